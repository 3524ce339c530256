"""The state of one session: data, schema and every choice. Pages never touch raw keys.

Choices are stored under their own names, separate from the widgets that show them. So they survive a change of page,
and two widgets can show one choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import streamlit as st

from core import FrequencyTable, Policy, Scenario, Schema, Table, examples
from core.base.arrays import T
from core.base.errors import ScenarioError
from core.data.encoding.persons import people_of
from core.data.frequency_table import records_of, rows_of
from core.decision.scenario.questions import AskedForecast, AskedNoise
from core.decision.scenario.requirements import Requirements
from core.privacy.model import NONE, Model, further_models
from core.privacy.parameters import counts, is_wanted, is_whole, variant_parameter
from core.release.algorithm import ALGORITHMS, DEFAULT, MINE
from core.release.count_settings import CountSettings
from core.study.hospitals import OWN, PUBLISHED, Hospital
from core.study.own_counts import own_hospital
from pages.shared.state.choices import CHOICES, SWITCHES

_PREFIX = "choice:"
LIKE_MINE = "resampled"
"""Default origin of another hospital's records."""
_WORKSPACE = "workspace"
RESULTS = "results"
_FILES = "files"
FILE_READ = "their file"
"""Prefix of the key of another publisher's table that was read but not accepted yet."""

DECIDED, PROPOSED, CHOOSING = "", "proposed", "choosing"
"""Roles of a table: decided, left as they were proposed, or being chosen column by column."""


@dataclass(frozen=True, eq=False)
class Workspace:
    """The table of the session.

    Parameters
    ----------
    data, schema
        The table, or a frequency table of one, and the roles of its columns.
    name
        What the data is called on screen.
    example
        Whether it is the built-in city.
    origin
        Which built-in table it is, as a link names it; "" for any other.
    first
        Roles that the table came with: the present ones unless they are given.
    roles
        How far the publisher has decided about the columns that were proposed to be left out: :data:`DECIDED`,
        :data:`PROPOSED` or :data:`CHOOSING`.
    """

    data: Table | FrequencyTable
    schema: Schema
    name: str
    example: bool
    origin: str = ""
    first: Schema | None = None
    roles: str = DECIDED

    def __post_init__(self) -> None:
        if self.first is None:
            object.__setattr__(self, "first", self.schema)

    @property
    def undecided(self) -> tuple[str, ...]:
        """Columns that are left out by proposal alone."""
        return () if self.roles == DECIDED else self.schema.other

    @property
    def table(self) -> Table:
        """The rows; for a frequency table its distinct ones with counts."""
        return rows_of(self.data)

    @property
    def frequency_table(self) -> FrequencyTable | None:
        """The data if they are a frequency table."""
        return self.data if isinstance(self.data, FrequencyTable) else None

    @property
    def records(self) -> int:
        """Records of the table."""
        return records_of(self.data)

    @property
    def content_id(self) -> str:
        """Content id of the data, independent of their file."""
        return self.data.content_id


def get(name: str) -> Any:
    """Return the present value of a choice, or its default if no control could have set it."""
    choice = CHOICES[name]
    value = st.session_state.get(_PREFIX + name, choice.start)
    return value if choice.may_be(value) else choice.start


_MADE = "made of choices"


def begin() -> None:
    """Begin a run of the script.

    From now on, results of the choices are computed once until these change, because pages need them hundreds of times
    per run.
    """
    st.session_state[_MADE] = {}


def once(name: str, make: Callable[[], T]) -> T:
    """Return a result of the choices and the table, recomputed once one of them changes."""
    made = st.session_state.get(_MADE)
    if made is None:
        return make()
    loaded = workspace()
    # Looked up once: a newer move, which runs in parallel with the end of this one, may clear it.
    held = made.get(name)
    if held is None or held[0] is not loaded:
        held = made[name] = (loaded, make())
    known: T = held[1]
    return known


def _set(name: str, value: Any) -> None:
    st.session_state[_PREFIX + name] = value
    st.session_state.get(_MADE, {}).clear()


def put(name: str, value: Any) -> None:
    """Set a choice; linked choices follow."""
    _set(name, value)
    if name in _FOR_ALL:
        for number in get("own"):
            set_own(number, _FOR_ALL[name], None)
    if name == "my_k" and get("linked"):
        put("their_k", value)
    if name == "linked" and value:
        put("their_k", get("my_k"))


def settings() -> dict[str, Any]:
    """Every choice, by its name."""
    return {name: get(name) for name in CHOICES}


_FOR_ALL = {
    "their_k": "k",
    "same_value_rate": "same_value_rate",
    "case_mix": "case_mix",
    "their_algorithm": "algorithm",
    "their_models": "policy",
}
"""Choices that apply to every other hospital."""


def own(number: int) -> dict[str, Any]:
    """Choices for one of the other hospitals alone, by field of a ``Hospital`` or "k"."""
    choices: dict[str, Any] = get("own").get(number, {})
    return choices


def set_own(number: int, field: str, value: Any) -> None:
    """Set one field of one of the other hospitals; ``None`` restores the choice for all."""
    choices_of = {**own(number), field: value}
    choices_of = {name: chosen for name, chosen in choices_of.items() if chosen is not None}
    _set("own", {**get("own"), number: choices_of})


def files() -> dict[str, Table]:
    """Tables of other publishers that were loaded in this session, by content id."""
    tables: dict[str, Table] = st.session_state.setdefault(_FILES, {})
    return tables


def drop_unused_files() -> None:
    """Drop the tables of others that no hospital uses; then, or after an unused file, also all results."""
    used = {chosen["upload"].content_id for chosen in get("own").values() if chosen.get("upload") is not None}
    unused = files().keys() - used
    for content_id in unused:
        files().pop(content_id, None)
    if unused or any(key[1] == FILE_READ for key in st.session_state.get(RESULTS, {})):
        st.session_state.pop(RESULTS, None)


def workspace() -> Workspace:
    """Return the data of the session; the synthetic city until something is loaded."""
    if _WORKSPACE not in st.session_state:
        st.session_state[_WORKSPACE] = Workspace(
            examples.city(), examples.city_schema(), "The synthetic city", example=True, origin="city"
        )
    loaded: Workspace = st.session_state[_WORKSPACE]
    return loaded


def load(
    data: Table | FrequencyTable,
    schema: Schema,
    name: str,
    example: bool = False,
    origin: str = "",
    roles: str = DECIDED,
) -> None:
    """Replace the data and drop its results; choices stay if they fit the new table."""
    st.session_state.pop(RESULTS, None)
    st.session_state[_WORKSPACE] = Workspace(data, schema, name, example, origin, roles=roles)
    _forget_what_does_not_fit(schema)
    fit_choices(people())
    put("decision", {})  # it was about the earlier table


def change_schema(schema: Schema, edited: bool = False) -> None:
    """Give the present data other roles or types.

    If they are ``edited`` on a page, an agreement stays as long as the sensitive attribute does. A change of the
    columns left out is a decision about them, unless one was edited.
    """
    old = workspace()
    if edited and schema.agreement is None and schema.sensitive == old.schema.sensitive:
        schema = schema.with_(agreement=old.schema.agreement)
    roles = old.roles if edited or schema.other == old.schema.other else DECIDED
    st.session_state[_WORKSPACE] = replace(old, schema=schema, roles=roles)
    _forget_what_does_not_fit(schema)


def decide_roles(roles: str = DECIDED) -> None:
    """Note how far the publisher has decided about the columns that are left out."""
    st.session_state[_WORKSPACE] = replace(workspace(), roles=roles)


def _forget_what_does_not_fit(schema: Schema) -> None:
    """Drop choices that name columns the schema does not have: the files matched with them, and chosen attributes."""
    if schema.sensitive not in schema.taxonomies:
        for model in further_models():
            parameter = variant_parameter(model)
            if parameter is not None and get(parameter.name) != NONE and parameter.option(get(parameter.name)).taxonomy:
                put(parameter.name, parameter.default)
    if schema.agreement is None:
        for name, usual in (("my_algorithm", MINE), ("their_algorithm", DEFAULT)):
            if ALGORITHMS[get(name)].agreement:
                put(name, usual)
    if schema.provider is None:
        put("collusion", False)
        if ALGORITHMS[get("my_algorithm")].providers == "needed":
            put("my_algorithm", MINE)
    _forget_what_needs_rows()
    known = {*schema.released, *schema.identifiers, schema.person}
    for number, chosen in get("own").items():
        attributes = chosen.get("attributes")
        if attributes is not None and not set(attributes) <= known:
            set_own(number, "attributes", None)
        upload = chosen.get("upload")
        if upload is not None and not {pair[0] for pair in upload.columns} <= known:
            set_own(number, "upload", None)
            set_own(number, "origin", None)
        if not _fits(chosen.get("counts"), schema):
            set_own(number, "counts", None)
    if not _fits(get("my_counts"), schema):
        put("my_counts", None)
    drop_unused_files()


def _fits(made: CountSettings | None, schema: Schema) -> bool:
    """Whether a table of counts can be made under a schema, as far as its columns say."""
    if made is None:
        return True
    known = {*schema.quasi_identifiers}
    trees = {name: tree.height for name, tree in schema.taxonomies.items()}
    return len(schema.sensitive_columns) == 1 and all(
        column.name in known and (not column.level or column.step <= trees.get(column.name, 0))
        for column in made.groups
    )


def _forget_what_needs_rows() -> None:
    """Drop choices that a frequency table cannot have: m-privacy, and algorithms that need individual records."""
    if workspace().frequency_table is None:
        return
    put("collusion", False)
    for name in ("my_algorithm", "their_algorithm"):
        if not ALGORITHMS[get(name)].takes_frequency_tables:
            put(name, CHOICES[name].start)


def fit() -> None:
    """Bring every choice within what the present table and its columns allow."""
    loaded = workspace()
    wanted, records = get("overlap"), people()
    _forget_what_does_not_fit(loaded.schema)
    fit_choices(records)
    put("overlap", max(1, min(wanted, overlap_bound(records))))


def people() -> int:
    """Number of people of the present table: persons if a column identifies them, else records."""
    loaded = workspace()
    return people_of(loaded.data, loaded.schema)


def fit_choices(records: int) -> None:
    """Bring choices that depend on the size of the table within it."""
    put("overlap", max(1, min(get("overlap"), overlap_bound(records), max(1, records // 6))))
    put("size", None)
    for name in ("my_k", "their_k"):
        if get(name) > max(2, records // 4):
            put(name, max(2, min(5, records // 4)))
    put("person", CHOICES["person"].start)


def overlap_bound(records: int) -> int:
    """Most people that two hospitals of this table can share so that each also has other people."""
    return max(1, (2 * records) // 3)


MOST_K = 100
MOST_K_OF_FREQUENCIES = 10_000


def most_k(records: int) -> int:
    """Largest k that the sliders offer for a table of this size.

    It is higher for a frequency table: if many records are equal, classes are whole tuples, and a k below their size
    changes nothing.
    """
    frequencies = workspace().frequency_table
    records_per_row = 1 if frequencies is None else -(-frequencies.records // len(frequencies))
    return max(3, min(MOST_K * records_per_row, MOST_K if frequencies is None else MOST_K_OF_FREQUENCIES, records // 4))


LARGE_K = (200, 500, 1_000, 2_000, 5_000, 10_000)


def and_large(ks: Sequence[int]) -> list[int]:
    """Values of k to try, in order, and the larger ones that the sliders offer for the present data."""
    most = most_k(people())
    return sorted({*ks, *(k for k in (MOST_K, *LARGE_K) if most > MOST_K and k <= most)})


def forget() -> None:
    """Forget data, results and choices of this session."""
    for key in list(st.session_state):
        del st.session_state[key]


def policy(k: int, models: bool = True) -> Policy:
    """Return the policy of the present choices, with this k."""
    values: dict[str, Any] = {"k": int(k)}
    for model in further_models():
        if models and is_asked(model):
            values |= _asked_of(model)
    return Policy.of(values)


def possible_models() -> tuple[Model, ...]:
    """Return the models with a switch that the present data support."""
    return further_models()


def switch_is_variant(model: Model) -> bool:
    """Whether the switch of a model is the list of its variants, including none."""
    parameter = variant_parameter(model)
    return parameter is not None and parameter.name == SWITCHES[model.symbol]


def is_asked(model: Model) -> bool:
    """Whether a model is switched on and the present data support it."""
    return bool(get(SWITCHES[model.symbol])) and get(SWITCHES[model.symbol]) != NONE


def _asked_of(model: Model) -> dict[str, Any]:
    """The parameters of a model that is switched on, as far as they have an effect."""
    chosen = {parameter.name: get(parameter.name) for parameter in model.parameters}
    counted = [parameter for parameter in model.parameters if counts(model, parameter, chosen)]
    return {
        parameter.name: chosen[parameter.name]
        if parameter.options
        else (int if is_whole(model, parameter, chosen) else float)(chosen[parameter.name])
        for parameter in counted
    }


def take_models(wanted: Policy) -> None:
    """Set the switches and parameters of the models from a policy; the others are switched off."""
    for model in further_models():
        on, switch = is_wanted(model, wanted.values), SWITCHES[model.symbol]
        for parameter in model.parameters:
            value = wanted.values[parameter.name]
            if value is not None:
                put(parameter.name, value if parameter.options else float(value))
        put(switch, on if not switch_is_variant(model) else wanted.values[switch] if on else NONE)


def hospitals() -> tuple[Hospital, ...]:
    """Return the hospitals of the present choices, mine first."""
    return once("hospitals", _hospitals)


def _hospitals() -> tuple[Hospital, ...]:
    drawn = (_other(own(number)) for number in range(1, int(get("releases"))))
    tables = () if get("my_counts") is None else (own_hospital(mine(), get("my_counts")),)
    return (mine(), *drawn, *tables)


def others() -> tuple[Hospital, ...]:
    """Return the other hospitals, without my own table of counts."""
    return tuple(hospital for hospital in hospitals()[1:] if hospital.origin != OWN)


def mine() -> Hospital:
    """Return my hospital as it is chosen."""
    return once("mine", _mine)


def _mine() -> Hospital:
    return Hospital(replace(policy(get("my_k")), m=my_m()), get("my_algorithm"))


def my_m() -> int | None:
    """Number of colluding providers that my release must withstand; ``None`` if not required or not possible."""
    algorithm = get("my_algorithm")
    if workspace().schema.provider is None or ALGORITHMS[algorithm].providers == "none":
        return None
    return int(get("my_m")) if get("collusion") or ALGORITHMS[algorithm].providers == "needed" else None


def _other(chosen: dict[str, Any]) -> Hospital:
    origin = chosen.get("origin", LIKE_MINE)
    uploaded, k = origin == PUBLISHED, int(chosen.get("k", get("their_k")))
    whole = chosen.get("policy")
    return Hospital(
        policy(k, models=get("their_models")) if whole is None else replace(whole, k=k),
        chosen.get("algorithm", get("their_algorithm")),
        1.0 if uploaded else float(chosen.get("same_value_rate", get("same_value_rate"))),
        origin,
        None if uploaded or "size" not in chosen else max(chosen["size"], int(get("overlap"))),
        None if uploaded or "counts" in chosen else chosen.get("attributes"),
        chosen.get("upload") if uploaded else None,
        float(chosen.get("case_mix", get("case_mix"))) if origin == LIKE_MINE else 0.0,
        None if uploaded else chosen.get("counts"),
    )


def scenario() -> Scenario:
    """Every choice of the session as one object of core."""
    return once("scenario", _scenario)


def _scenario() -> Scenario:
    loaded, chosen = workspace(), _fields("")
    if chosen["size"] is not None:
        chosen["size"] = max(int(chosen["size"]), chosen["overlap"])
    return Scenario(
        schema=loaded.schema,
        hospitals=hospitals(),
        data_name=loaded.name,
        data_id=loaded.content_id,
        forecast=AskedForecast(**_fields("forecast") | ({"others": None} if get("forecast_same") else {})),
        noise=_asked_noise(loaded.schema),
        requirements=Requirements(**get("requirements")),
        **chosen,
    )


def _fields(part: str) -> dict[str, Any]:
    """Chosen fields of a scenario, or of one of its parts; a control may give 5.0 for 5."""
    fields = {}
    for name, choice in CHOICES.items():
        inside, _, field = choice.field.rpartition(".")
        if field and inside == part:
            value = get(name)
            fields[field] = type(choice.start)(value) if isinstance(choice.start, int | float) else value
    return fields


def _asked_noise(schema: Schema) -> AskedNoise:
    """Settings of noisy tables; columns of another table are ignored."""
    names, chosen = {*schema.counted}, _fields("noise")
    if chosen["columns"] is not None:
        chosen["columns"] = tuple(name for name in chosen["columns"] if name in schema.quasi_identifiers)
    return AskedNoise(domains={name: domain for name, domain in get("noise_domains") if name in names}, **chosen)


def adopt(wanted: Scenario) -> None:
    """Set the choices from a scenario; the data stays what it is.

    Raises
    ------
    ScenarioError
        If the scenario has no hospital but mine, or several tables of counts of mine, which only the gate can attack.
    """
    mine, others = wanted.hospitals[0].policy, [each for each in wanted.hospitals[1:] if each.origin != OWN]
    own_tables = [each.counts for each in wanted.hospitals if each.origin == OWN]
    if not others or len(own_tables) > 1:
        raise ScenarioError(
            "The pages attack my release with another hospital and at most one table of counts of mine; use the "
            "scenario on the command line.",
            parameter="hospitals",
        )
    put("my_counts", own_tables[0] if own_tables else None)
    put("linked", False)
    put("my_k", mine.k)
    put("their_k", others[0].policy.k)
    put("linked", all(other.policy.k == mine.k for other in others))
    take_models(mine)
    theirs = others[0].policy.values
    put("their_models", all(theirs[model.symbol] == mine.values[model.symbol] for model in further_models()))
    put("releases", 1 + len(others))
    put("my_algorithm", wanted.hospitals[0].algorithm)
    put("collusion", mine.m is not None)
    if mine.m is not None:
        put("my_m", mine.m)
    put("their_algorithm", others[0].algorithm)
    drawn = [other for other in others if other.is_drawn]
    put("same_value_rate", drawn[0].same_value_rate if drawn else 1.0)
    alike = [other for other in others if other.origin == LIKE_MINE]
    put("case_mix", alike[0].case_mix if alike else 0.0)
    _set("own", {i: _own_of(other) for i, other in enumerate(others, 1)})
    for name, choice in CHOICES.items():
        value = attrgetter(choice.field)(wanted) if choice.field else None
        if value is not None or (choice.field and choice.start is None):
            put(name, value)
    # A file of marginals is only for the command line.
    put("forecast_source", "table" if wanted.forecast.statistics == "file" else wanted.forecast.statistics)
    put("forecast_same", wanted.forecast.others is None)
    put("noise_domains", tuple(wanted.noise.domains.items()))
    put("requirements", wanted.requirements.to_json())


def _own_of(other: Hospital) -> dict[str, Any]:
    """Choices needed for this hospital alone, in addition to those for all."""
    chosen = {
        "k": None if other.policy.k == get("their_k") else other.policy.k,
        "policy": None if other.policy == policy(other.policy.k, get("their_models")) else other.policy,
        "algorithm": None if other.algorithm == get("their_algorithm") else other.algorithm,
        "same_value_rate": None
        if not other.is_drawn or other.same_value_rate == get("same_value_rate")
        else other.same_value_rate,
        "case_mix": None if other.origin != LIKE_MINE or other.case_mix == get("case_mix") else other.case_mix,
        "origin": None if other.origin == LIKE_MINE else other.origin,
        "size": other.size,
        "attributes": other.attributes,
        "upload": other.upload,
        "counts": other.counts,
    }
    return {name: value for name, value in chosen.items() if value is not None}
