"""Publication register: who has what, and what each recipient and each pair can conclude."""

from __future__ import annotations

from collections.abc import Callable

from pages.register import adding, describing, matrix, opening
from pages.shared.state import publications
from pages.shared.ui import errors, layout

layout.heading(
    "Publication register", "What can those who received my publications conclude, each alone or two together?"
)
rail, stage = layout.one_view()
with rail, errors.refusing():
    opening.show()
with stage, errors.refusing():
    matrix.show()
layout.answered()
sections: dict[str, Callable[[], None]] = {"Add the present release": adding.present}
sections |= {"Add another publication": describing.show}
sections |= {"Add noisy tables": adding.noisy}
if any(own.kind != "noisy" and not own.copy for own in publications.register().publications):
    sections |= {"Add a private copy": adding.copy}
if publications.register().publications:
    sections |= {"Add a recipient": adding.recipient, "Publications": matrix.listed}
layout.closer("register:sections", sections)
