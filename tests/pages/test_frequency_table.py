"""A frequency table in the app: opened by its marks, and every number is that of the table which it counts."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from streamlit.testing.v1 import AppTest

from core import FrequencyTable, Schema, Table
from core.algorithms import partition
from core.base.wording import count
from core.data.encoding.encoded import encode
from core.data.reading.frequency_file import KEY, Mark
from core.data.schemas.schema import Role
from core.engine.output import write_frequency_table
from core.privacy.policy import Policy
from pages.release import controls
from pages.shared.state import algorithm_choice, session
from tests.pages.drive import (
    Session,
    at_section,
    choice_of,
    city_frequencies,
    loaded,
    opened,
    press,
    set_section,
    spaced,
    texts,
    workspace_of,
)

DATA, RELEASE = "pages/data/page.py", "pages/release/page.py"


def parquet_of(frequencies: FrequencyTable, tmp_path: Path, sensitive: str = "") -> bytes:
    path = tmp_path / "frequencies.parquet"
    write_frequency_table(frequencies, path, sensitive=sensitive)
    return path.read_bytes()


def csv_of(frequencies: FrequencyTable) -> bytes:
    return frequencies.table.to_frame().assign(count=frequencies.counts).to_csv(index=False).encode()


def upload(name: str, content: bytes) -> AppTest:
    app = opened(DATA)
    app.file_uploader[0].upload(name, content, "application/octet-stream")
    app.run()
    return app


def stands_for(app: AppTest, column: str) -> None:
    next(box for box in app.selectbox if box.label == "A row stands for").set_value(column).run()


def said(app: AppTest) -> list[str]:
    return [spaced(error.value) for error in app.error]


# --- opened -------------------------------------------------------------------------------------


def test_a_frequency_table_file_is_opened_as_a_frequency_table_with_its_roles(tmp_path: Path) -> None:
    frequencies, schema = city_frequencies()
    app = upload("city.parquet", parquet_of(frequencies, tmp_path, schema.sensitive))
    assert not said(app)[1:]
    size = f"a frequency table of {count(frequencies.records)} records in {count(len(frequencies))} distinct rows"
    assert spaced(size) in texts(app)
    app = press(app, "Use this table")
    workspace = workspace_of(app)
    assert workspace.frequency_table is not None
    assert workspace.content_id == frequencies.content_id
    assert workspace.records == frequencies.records
    roles = dict.fromkeys(schema.quasi_identifiers, Role.QUASI_IDENTIFIER) | {schema.sensitive: Role.SENSITIVE}
    assert dict(workspace.schema.roles()) == roles
    assert spaced(f"{count(frequencies.records)} records") in texts(app)


def test_a_text_file_is_taken_for_a_frequency_table_and_need_not_be() -> None:
    frequencies, _ = city_frequencies()
    app = upload("city.csv", csv_of(frequencies))
    assert "a frequency table of" in texts(app)
    stands_for(app, "")
    assert "a frequency table of" not in texts(app)
    app = press(app, "Use this table")
    assert workspace_of(app).frequency_table is None
    assert workspace_of(app).records == len(frequencies)
    assert "count" in workspace_of(app).table.names


def test_a_table_can_be_said_to_be_a_frequency_table() -> None:
    frame = pd.DataFrame({"number": [3, 9, 2] * 4, "sex": ["f", "m"] * 6, "illness": ["a", "b", "c"] * 4})
    app = upload("numbers.csv", frame.to_csv(index=False).encode())
    assert "a frequency table of" not in texts(app)
    stands_for(app, "number")
    assert "a frequency table of 56 records" in texts(app)


def test_a_frequency_table_of_a_later_version_is_refused_until_its_counts_are_named() -> None:
    frequencies, _ = city_frequencies()
    table = pa.Table.from_pandas(frequencies.table.to_frame().assign(count=frequencies.counts), preserve_index=False)
    stream = io.BytesIO()
    mark = Mark("count").to_text().replace("1", "2")
    parquet.write_table(table.replace_schema_metadata({KEY: mark.encode()}), stream)
    app = upload("city.parquet", stream.getvalue())
    assert "in a way that this version does not know" in said(app)[0]
    stands_for(app, "count")
    assert not said(app)
    assert "a frequency table of" in texts(app)


# --- every number is that of the table -------------------------------------------------------------


def everything(app: AppTest, begins: str = "") -> dict[str, list[str]]:
    """All that a page shows: texts, from one of them on, tables and what is in charts."""
    markdown = [item.value for item in app.markdown]
    return {
        "markdown": markdown[markdown.index(begins) if begins else 0 :],
        "metrics": [f"{metric.label} {metric.value}" for metric in app.metric],
        "tables": [table.value.to_csv() for table in app.table],
        "frames": [frame.value.to_csv() for frame in app.dataframe],
        "pictures": [picture.proto.spec for picture in app.get("plotly_chart")],
        "charts": [
            chart.proto.spec + "".join(written(named.data.data) for named in chart.proto.datasets)
            for chart in app.get("vega_lite_chart")
        ],
    }


def written(rows: bytes) -> str:
    """What a chart is drawn from; sums of another order may differ in their last digits."""
    return str(pa.ipc.open_stream(rows).read_pandas().to_csv(float_format="%.9g"))


def both(page: str, **choices: object) -> tuple[AppTest, AppTest]:
    frequencies, schema = city_frequencies()
    return loaded(frequencies, schema, page, **choices), loaded(frequencies.expanded(), schema, page, **choices)


@pytest.mark.parametrize("choices", [{"my_k": 40}, {"diversity": "distinct", "l": 3.0, "my_algorithm": "mondrian"}])
def test_the_release_page_shows_the_numbers_of_the_table(choices: dict[str, object]) -> None:
    apps = both(RELEASE, **choices)
    for section in ("Classes", "Map", "What it costs"):
        # The exposure in the bar above is drawn at random, otherwise from a frequency table than from rows.
        ours, twin = (everything(at_section(app, "release", section), "People per class (k)") for app in apps)
        assert ours["tables"], section
        assert ours["charts"], section
        for kind in ours:
            assert ours[kind] == twin[kind], (section, kind)


def test_the_data_page_counts_records() -> None:
    apps = both(DATA)
    columns = [next(frame.value for frame in app.dataframe if "noticed" in frame.value) for app in apps]
    assert columns[0].equals(columns[1])
    for app in apps:
        set_section(app, "data", "Missing values")
    lacking = [list(app.run().radio(key="data:missing").proto.captions) for app in apps]
    assert lacking[0] == lacking[1]


def test_the_file_of_a_release_is_that_of_the_rows() -> None:
    frequencies, schema = city_frequencies()
    release, twin = (partition(encode(data, schema), Policy(9)) for data in (frequencies, frequencies.expanded()))
    counted = read(controls.counted_file(release))
    expanded = counted.loc[counted.index.repeat(counted["count"].astype(int))].drop(columns="count")
    wanted = sorted(read(controls.release_file(twin)).itertuples(index=False, name=None))
    for frame in (expanded, read(controls.release_file(release))):
        assert sorted(frame.itertuples(index=False, name=None)) == wanted
    assert not counted.duplicated(subset=[*schema.quasi_identifiers, schema.sensitive]).any()


def read(content: bytes) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)


def test_a_column_called_count_keeps_its_name() -> None:
    table = Table.from_frame(pd.DataFrame({"count": ["1", "2"] * 4, "illness": ["a", "b"] * 4}))
    frequencies = FrequencyTable.of(table, ["count", "illness"], np.arange(1, 9))
    release = partition(encode(frequencies, Schema(["count"], "illness")), Policy(2))
    assert list(read(controls.counted_file(release))) == ["count", "illness", "count of records"]


# --- large ------------------------------------------------------------------------------------------


def test_a_hundred_million_records_are_released_but_not_written_row_by_row() -> None:
    frequencies, schema = city_frequencies()
    many = FrequencyTable.of(
        frequencies.table, frequencies.table.names, frequencies.counts * (1 + 100_000_000 // frequencies.records)
    )
    app = loaded(many, schema, RELEASE, my_k=1_000_000)
    assert choice_of(app, "my_k") == 1_000_000
    assert not said(app)[1:]
    labels = [button.label for button in app.get("download_button")]
    assert "Download the release" not in labels
    assert "Download as counts" in labels
    assert any("core release" in code.value and "--count count" in code.value for code in app.code)


# --- what needs rows ----------------------------------------------------------------------------------


def test_what_needs_rows_is_not_offered_for_a_frequency_table(bare: Session) -> None:
    """Differential privacy asks for nothing it cannot use; for the other pages, see test_every_section.py."""
    frequencies, schema = city_frequencies()
    session.put("my_algorithm", "mdav")
    session.put("their_algorithm", "mdav")
    session.load(frequencies, schema, "a frequency table")
    assert (session.get("my_algorithm"), session.get("their_algorithm")) == ("least-loss", "mondrian")
    assert "mdav" not in algorithm_choice.offered_to_others()
    app = loaded(frequencies, schema, "pages/noise/page.py", repeats=2)
    assert not app.multiselect
    assert not app.select_slider
    assert "You can read the charts" not in texts(app)
