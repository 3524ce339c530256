"""``python -m core``: the command line; see :mod:`core.command`."""

import sys

from core.command import main

if __name__ == "__main__":
    sys.exit(main())
