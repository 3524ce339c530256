"""What the register says: the worst in a sentence, recipients by recipients, and the list of publications."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.base.wording import NONE, headcount
from core.register import KINDS, Register, Standing, remarks_on, worst_first
from core.register.recipients import in_words, value_text
from pages.register import work
from pages.shared.state import publications
from pages.shared.ui import widgets
from pages.shared.ui.text import count, plain, safe

SHOWN = {"one_value_left": "One value left", "at_risk": "Anonymity set under 11", "epsilon": "Epsilon"}
"""Numbers of the matrix, and their titles."""
MOST_SENTENCES = 3


def show() -> None:
    """The worst recipient or pair in words, then the matrix."""
    register = publications.register()
    if not register.publications:
        st.markdown(
            "Nothing is in the register yet. Open a register, or add the present release with its recipients below."
        )
        return
    worst = worst_first(register.standings())
    if not worst:
        st.markdown("What is in the register is planned: no one has it yet.")
        _download(register)
        return
    _number(worst[0])
    name = st.segmented_control(
        "Number of the matrix",
        list(SHOWN),
        default="one_value_left",
        format_func=SHOWN.__getitem__,
        key="register:number",
        label_visibility="collapsed",
    )
    chosen = name or "one_value_left"
    st.dataframe(matrix(register, chosen), alt=f"{SHOWN[chosen]}: recipients by recipients")
    st.caption("Diagonal: one recipient alone. Elsewhere: both together. What is public is everyone's.")
    for remark in remarks_on(register, work.linked(register)):
        st.caption(f":material/warning: {safe(remark, 500)}")
    for standing in worst[1:MOST_SENTENCES]:
        st.caption(sentence(standing))
    _download(register)


def _download(register: Register) -> None:
    widgets.download("Download the register (JSON)", register.to_json(), "register.json", "register:download")


def _number(worst: Standing) -> None:
    """The number of the worst recipient or pair, and the rest of it in words."""
    st.metric("One value left, at worst", value_text(worst, "one_value_left"))
    st.markdown(f"**{sentence(worst)}**")


def sentence(standing: Standing) -> str:
    """What a recipient or a pair can conclude, with names that are safe for Markdown."""
    return in_words(standing, [safe(name, 40) for name in standing.recipients])


def matrix(register: Register, name: str) -> pd.DataFrame:
    """Recipients by recipients: one number of each alone, and of each two together."""
    names = register.recipients
    labels = [f"{place}. {plain(who, 30)}" for place, who in enumerate(names, 1)]  # two may be cut to one text
    label = dict(zip(names, labels, strict=True))
    table = pd.DataFrame("", index=pd.Index(labels, name="Recipient"), columns=labels)
    for standing in register.standings():
        first, last = (label[who] for who in (standing.recipients[0], standing.recipients[-1]))
        table.loc[first, last] = table.loc[last, first] = value_text(standing, name)
    return table


def listed() -> None:
    """Every publication with its recipients."""
    rows = []
    for own in publications.register().publications:
        to = [*(["everyone"] if own.public else []), *own.recipients]
        rows.append(
            {
                "Number": own.number,
                "Day": own.published.isoformat(),
                "Kind": KINDS[own.kind],
                "Name": plain(own.name),
                "Recipients": plain(", ".join(to), 200) or "planned",
                "Settings": plain(own.settings_text, 120) or NONE,
                "Rows": headcount(own.records) if own.records else NONE,
                "Epsilon": f"{own.epsilon:g}" if own.epsilon else NONE,
                "Assessed": "noise" if own.kind == "noisy" else "yes" if own.is_assessed else "no: no private copy",
            }
        )
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt=f"The {count(len(rows))} publications of the register")
