"""The tool keeps its data to itself: the settings that say so, and no address that a page would fetch."""

import ast
import copy
import re
import tomllib

import pytest
from streamlit import config, config_util

import launch
from pages.shared import server
from tests.colours import contrast
from tests.source import ROOT, python_files

CONFIG = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))

PRIVACY = {
    # Only this machine can connect.
    "server.address": "127.0.0.1",
    "server.enableCORS": True,
    "server.enableXsrfProtection": True,
    "server.enableStaticServing": False,
    "server.enableAgentApi": False,
    # A session belongs to its browser: see KnowsTheBrowser.
    "server.trustedUserHeaders": {"x-composition-browser": "browser"},
    # No telemetry.
    "browser.gatherUsageStats": False,
    # Streamlit's default lets pages on public hosting domains frame the app.
    "client.allowedOrigins": [],
    # No cell value on the screen by way of an error.
    "client.showErrorDetails": "type",
    # With rich installed, Streamlit would print an error with its message, past the filter of errors.py.
    "logger.enableRich": False,
    "server.allowedHosts": ["localhost", "127.0.0.1"],
    # With an address and headless, Streamlit asks no other host for its own.
    "server.headless": True,
    "server.fileWatcherType": "none",
    "client.showErrorLinks": False,
    "client.toolbarMode": "viewer",
    "runner.magicEnabled": False,
}


def test_the_settings_protect_the_data_and_bound_what_is_kept():
    settings = {f"{section}.{name}": value for section, table in CONFIG.items() for name, value in table.items()}
    assert {name: settings[name] for name in PRIVACY} == PRIVACY
    assert settings["server.disconnectedSessionTTL"] <= 60
    assert settings["server.maxUploadSize"] <= 200
    assert int(settings["server.maxCacheDataSize"].removesuffix("mb")) <= 512


def test_streamlit_knows_every_setting():
    known, unknown = set(config.get_config_options()), []

    def look(prefix: str, table: dict) -> None:
        for name, value in table.items():
            if f"{prefix}{name}" not in known:
                look(f"{prefix}{name}.", value) if isinstance(value, dict) else unknown.append(f"{prefix}{name}")

    look("", CONFIG)
    assert unknown == []


HARMLESS = {
    "server.port": 8600,
    "server.headless": False,
    "server.address": "localhost",
    "server.allowedHosts": ["localhost", "composition.example.org"],
    "server.disconnectedSessionTTL": 5,
    "client.showErrorDetails": "none",
    "logger.level": "error",
    "theme.base": "dark",
}
"""Options that may differ, each with another value than the app's."""


@pytest.fixture
def options(monkeypatch):
    """Streamlit's options, as the app starts with them; what a test sets is taken back."""
    kept = copy.deepcopy(config.get_config_options())
    monkeypatch.setattr(config, "_config_options", kept)
    monkeypatch.setattr(config, "_main_script_path", str(ROOT / "app.py"))
    return kept


def other_than(value):
    """A value that the app does not have, of the same type where it has one."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, list):
        return [*value, "https://example.com"]
    if isinstance(value, dict):
        return {**value, "x-other": "other"}
    return value + 1 if isinstance(value, int | float) else f"https://example.com/{value}"


def refusal(options, name, value):
    """What the start says with an option of this value; "" where it starts."""
    before = copy.copy(options[name])
    config._set_option(name, value, "a test")
    try:
        server.check_settings()
    except SystemExit as ended:
        return str(ended)
    finally:
        options[name] = before
    return ""


def test_an_option_that_is_not_the_apps_own_ends_the_start(options):
    """All options of the installed Streamlit: by flag, variable or file they come out here."""
    server.check_settings()
    for name in options:
        said = refusal(options, name, HARMLESS.get(name, other_than(options[name].value)))
        if name in HARMLESS:
            assert said == "", name
        else:
            assert f"does not start: the setting {name} must stay as the app sets it" in said
            assert "\n" not in said


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("server.address", "0.0.0.0"),
        ("server.allowedHosts", []),
        ("server.allowedHosts", ["*.example.org"]),
        ("server.disconnectedSessionTTL", 61),
        ("server.disconnectedSessionTTL", 0),
        ("client.showErrorDetails", "full"),
        ("logger.level", "debug"),
        ("theme.base", "https://example.com/theme.toml"),
        ("theme.primaryColor", "url(https://example.com)"),
        ("theme.dark.chartCategoricalColors", ["#fff", "url(//example.com)"]),
    ],
)
def test_an_option_that_may_differ_has_its_bounds(name, value, options):
    assert refusal(options, name, value)


def test_colours_of_the_theme_may_differ(options):
    for value in ("#123456", "navy", "rgb(1, 2, 3)"):
        assert refusal(options, "theme.light.primaryColor", value) == ""
    assert refusal(options, "theme.chartCategoricalColors", ["#123456", "#654321"]) == ""


@pytest.mark.parametrize("base", ["", 'base = "dark"'])
def test_a_theme_that_streamlit_has_read_from_elsewhere_ends_the_start(base, options, tmp_path):
    file = tmp_path / "theme.toml"
    file.write_text(f'[theme]\n{base}\ntextColor = "#123456"\n')
    config._set_option("theme.base", str(file), "a test")
    config_util.process_theme_inheritance(options, config._config_options_template, config._set_option)
    assert options["theme.base"].value in ("light", "dark"), "as the app might set it"
    with pytest.raises(SystemExit, match=r"the setting theme\.base must stay"):
        server.check_settings()


def test_a_theme_from_elsewhere_is_refused_before_streamlit_fetches_it(tmp_path):
    (tmp_path / ".streamlit").mkdir()
    file = tmp_path / ".streamlit" / "config.toml"
    assert launch.foreign_theme(tmp_path) is None
    for base, path in (("dark", None), ("https://example.com/theme.toml", file), ("theme.toml", file)):
        file.write_text(f'[theme]\nbase = "{base}"\n')
        assert launch.foreign_theme(tmp_path) == path


def test_make_run_starts_what_says_the_same_on_the_command_line():
    """A command line wins over the environment and over a config file in the home folder."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^run: .*\n\t@exec \$\(PY\) launch\.py --port", makefile, re.MULTILINE)
    words = launch.command(8501)
    assert {"--server.address=127.0.0.1", "--browser.gatherUsageStats=false", "--server.headless=true"} <= set(words)
    assert not any("allowedHosts" in word for word in words)


# --- addresses ---------------------------------------------------------------------------------

ADDRESS = re.compile(r"(?:https?|wss?|ftp):?//[^\s\"'<>)]+", re.IGNORECASE)
# Names of formats. Nobody fetches them.
NAMES_OF_FORMATS = ("http://www.w3.org/", "https://vega.github.io/schema/")
LOOPBACK = ("http://127.0.0.1", "http://localhost", "ws://127.0.0.1", "ws://localhost")
# Where an asset would have a browser fetch something. A plain citation or a link waits for a click.
FETCHED = re.compile(
    r"""!\[[^\]]*\]\(\s*<?(?:https?:)?//          # Markdown picture
      | !\[[^\]]*\]\[                             # the same by reference
      | <\s*(?:img|script|link|iframe|embed|object|source|video|audio|image|use|base|form|input)\b
        [^>]*(?:https?:)?//                       # HTML and SVG elements
      | \b(?:src|srcset|poster|action)\s*=\s*["']?\s*(?:https?:)?//
      | url\(\s*["']?\s*(?:https?:)?//            # CSS
      | @import\s+(?:url\()?["']?\s*(?:https?:)?//
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Streamlit and Plotly fetch map tiles, outlines of countries or pictures for these.
FETCHING_CALLS = {
    "map",
    "pydeck_chart",
    "iframe",
    "Choropleth",
    "Choroplethmap",
    "Choroplethmapbox",
    "Densitymap",
    "Densitymapbox",
    "Scattergeo",
    "Scattermap",
    "Scattermapbox",
    "choropleth",
    "choropleth_map",
    "density_map",
    "line_geo",
    "line_map",
    "scatter_geo",
    "scatter_map",
}
PRODUCT = python_files("app.py", "pages", "core", "assets")
TEXTS = {".md", ".html", ".css", ".svg", ".js", ".json", ".txt", ".toml", ".xml"}


def test_no_program_text_holds_an_address():
    """Comments and docstrings may cite; texts for the screen are in assets/, and are tested below."""
    wrong = [
        f"{source.where(text)} {address}"
        for source in PRODUCT
        for text in source.texts()
        for address in ADDRESS.findall(text.value)
        if not address.startswith((*NAMES_OF_FORMATS, *LOOPBACK))
    ]
    assert not wrong, wrong


def test_no_asset_would_fetch_anything():
    files = [path for path in (ROOT / "assets").rglob("*") if path.suffix.lower() in TEXTS]
    assert len(files) > 20
    wrong = [(path.name, part.group()) for path in files for part in FETCHED.finditer(path.read_text("utf-8"))]
    assert not wrong, wrong


@pytest.mark.parametrize(
    "text, fetched",
    [
        ("Ganta et al. (2008), https://doi.org/10.1145/1401890.1401926.", False),
        ("[the paper](https://doi.org/10.1145/1401890.1401926)", False),
        ('<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>', False),
        ("![a](picture.png)", False),
        ("![a](https://example.com/a.png)", True),
        ("![a](//example.com/a.png)", True),
        ("![a][ref]", True),
        ('<img alt="x" src="https://example.com/a.png">', True),
        ('<image href="http://example.com/a.png"/>', True),
        ("@import url(https://example.com/a.css)", True),
        ("background: url('//example.com/a.png')", True),
        ('<link rel="stylesheet" href="https://example.com/a.css">', True),
    ],
)
def test_what_counts_as_fetched(text, fetched):
    assert bool(FETCHED.search(text)) is fetched


def test_no_page_draws_what_needs_another_host():
    wrong = [
        f"{source.where(node)} {name}"
        for source in python_files("app.py", "pages")
        for node, name in source.calls()
        if name in FETCHING_CALLS and isinstance(node.func, ast.Attribute)
    ]
    assert not wrong, wrong


def test_the_icon_of_the_tab_comes_from_this_machine():
    """Without `page_icon`, Streamlit 1.67 makes the icon of the tab from that of the page.

    For a Material icon the browser then asks fonts.gstatic.com, although the same icon in the
    sidebar is drawn from a font that Streamlit serves itself.
    """
    calls = [node for node, name in python_files("app.py")[0].calls() if name == "set_page_config"]
    assert calls
    for call in calls:
        icon = next(key.value for key in call.keywords if key.arg == "page_icon")
        written = icon.value if isinstance(icon, ast.Constant) else ""
        assert not str(written).startswith((":material", "http", "//")), f"{written} would be fetched"


# --- colours -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["light", "dark"])
def test_contrasts(name):
    theme = CONFIG["theme"][name]
    least = {"textColor": 7, "linkColor": 4.5, "redTextColor": 4.5, "primaryColor": 3}
    for ground in (theme["backgroundColor"], theme["secondaryBackgroundColor"]):
        assert [part for part, ratio in least.items() if contrast(theme[part], ground) < ratio] == []
        assert all(contrast(colour, ground) >= 3.1 for colour in theme["chartCategoricalColors"])
    # Streamlit writes white on the primary colour; what it writes in it, the style sheet writes in that of links.
    assert contrast(theme["primaryColor"], "#FFFFFF") >= 4.5
    assert theme["redColor"] == theme["chartCategoricalColors"][2], "a breach, in charts and texts"


def test_the_style_sheet_has_the_colours_of_the_themes():
    """It cannot ask Streamlit for them, so they stand there again: light, then dark."""
    text = (ROOT / "assets" / "style.css").read_text(encoding="utf-8")
    pairs = set(re.findall(r"(background-color|border-bottom)[^;]*light-dark\((#\w+), (#\w+)\)", text))
    light, dark = CONFIG["theme"]["light"], CONFIG["theme"]["dark"]
    assert f"light-dark({light['linkColor']}, {dark['linkColor']})" in text
    drawn = {*light["chartCategoricalColors"], *dark["chartCategoricalColors"]}
    names = re.findall(r'text\[fill="(#\w+)" i\] \{ fill: (#\w+); \}', text)
    assert len(names) == 3
    for line, name in names:
        assert line in drawn, "the colour of a line"
        ground = light if line in light["chartCategoricalColors"] else dark
        assert contrast(name, ground["secondaryBackgroundColor"]) >= 4.5
    assert pairs == {
        ("background-color", light["backgroundColor"], dark["backgroundColor"]),
        ("border-bottom", light["borderColor"], dark["borderColor"]),
    }
