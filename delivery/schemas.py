"""Writes the JSON Schemas of our files into docs/schemas: ``python -m delivery.schemas``.

Each is what the struct declares that the file is read into or written from.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import msgspec

from core.data.schemas.agreement import Agreement
from core.decision.scenario.scenario_file import ScenarioInFile
from core.privacy.model import MODELS, Parameter
from core.privacy.parameters import policy_bounds
from core.register import Register
from core.report.evidence import Evidence

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "schemas"
SEALED = {"publication-register": Register, "evidence": Evidence, "agreement": Agreement}
DIGEST = {"description": "SHA-256 of all the rest.", "type": "string", "pattern": "^[0-9a-f]{64}$"}


def schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schema of each file, by the name of the file that has it."""
    scenario = msgspec.json.schema(ScenarioInFile)
    scenario["$defs"]["HospitalInFile"]["properties"]["policy"] = policy()
    made: dict[str, dict[str, Any]] = {"scenario": scenario}
    for name, declared in SEALED.items():
        made[name] = msgspec.json.schema(declared)
        own = made[name]["$defs"][declared.__name__]
        own["properties"]["digest"] = DIGEST
        del own["properties"]["version"]["default"]  # that of the program that wrote it
        own["required"] += ["digest", "schema_version", "version"]
    for schema in made.values():
        for part in schema["$defs"].values():
            part["description"] = part.get("description", "").partition("\n\n")[0]
    start = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {name: start | schema for name, schema in made.items()}


def policy() -> dict[str, Any]:
    """Return the JSON Schema of a policy: the parameters of every model."""
    parameters = [parameter for model in MODELS.values() for parameter in model.parameters]
    return {
        "type": "object",
        "properties": {parameter.name: _value(parameter) for parameter in parameters},
        "required": [parameter.name for parameter in parameters if parameter.required],
        "additionalProperties": False,
    }


def _value(parameter: Parameter) -> dict[str, Any]:
    words = {"description": parameter.about}
    if parameter.options:
        return words | {"enum": [option.name for option in parameter.options]}
    bound = policy_bounds()[parameter.name]
    bounds = {"type": "integer" if bound.whole else "number", "minimum": bound.low}
    return words | bounds | ({"maximum": bound.high} if math.isfinite(bound.high) else {})


def main() -> None:
    """Write them."""
    FOLDER.mkdir(exist_ok=True)
    for name, schema in schemas().items():
        (FOLDER / f"{name}.json").write_text(text_of(schema), encoding="utf-8")


def text_of(schema: dict[str, Any]) -> str:
    """A schema as its file has it."""
    return json.dumps(schema, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main()
