"""Be the target: the reader's guess first, then what is left as one hospital after the other publishes.

Only the boxes themselves keep what is typed here, and Streamlit forgets them with the page.
"""

from __future__ import annotations

import streamlit as st

from core.base.assets import fill
from pages.overview import view
from pages.shared.ui.asset_texts import overview
from pages.shared.ui.text import count, listed, safe

_AGE, _SEX, _ZIP, _GUESS = (f"overview:target:{name}" for name in ("age", "sex", "zip", "guess"))
OLDEST, MOST_GUESSED = 100, 50


@st.fragment
def show() -> None:
    """Boxes for a person and a guess; the answer once there is a guess."""
    texts = overview()
    st.markdown(fill(texts["target"], _facts()))
    person, guess = _boxes()
    answer = view.look_up(person)
    if not view.matches_any_class(answer):
        st.markdown(texts["no class"])
    elif guess is None:
        st.markdown(_line(answer, 0))
    else:
        st.markdown("  \n".join(_line(answer, hospital) for hospital in range(view.HOSPITALS)))
        st.markdown(_outcome(answer, guess))
    st.caption(fill(texts["forgotten"], _facts()))


def _boxes() -> tuple[view.Person, int | None]:
    """Ask who is looked up, and for a guess; it is forgotten when the person changes."""
    first = view.FIRST
    sexes, codes = view.choices("sex"), view.choices("zip code")
    with st.grid(4, min_column_width=150, gap="small") as grid:
        with grid.cell():
            age = st.number_input("Age", 0, OLDEST, first.age, key=_AGE, on_change=_forget_guess)
        with grid.cell():
            sex = st.selectbox("Sex", sexes, sexes.index(first.sex), key=_SEX, on_change=_forget_guess)
        with grid.cell():
            code = st.selectbox("Zip code", codes, codes.index(first.zip_code), key=_ZIP, on_change=_forget_guess)
        with grid.cell():
            guess = st.number_input("Diagnoses left after all four", 0, MOST_GUESSED, None, key=_GUESS, placeholder="?")
    return view.Person(age, sex, code), guess


def _forget_guess() -> None:
    st.session_state[_GUESS] = None


def _line(answer: view.Answer, hospital: int) -> str:
    """One hospital: the diagnoses left after it, with those that it rules out struck out."""
    step = answer.steps[hospital]
    name = f"**Hospital {hospital + 1}**"
    if not step.matches:
        return f"{name}: no class fits, so it reveals nothing."
    colour = "red" if hospital == view.HOSPITALS - 1 else "blue"
    chips = [f":{colour}-badge[{safe(view.named(code))}]" for code in step.left]
    chips += [f":gray-badge[~~{safe(view.named(code))}~~]" for code in view.ruled_out(answer, hospital)]
    return f"{name}: {count(step.size)} records, **{len(step.left)} left**: {' '.join(chips)}"


def _outcome(answer: view.Answer, guess: int) -> str:
    """Compare the guess with the answer and the truth."""
    left = len(answer.left)
    compared = f"You said {guess}; **{left} {'is' if left == 1 else 'are'} left**."
    if not left:
        return f"{compared} {fill(overview()['nothing left'], _facts())}"
    if not answer.truths:
        return f"{compared} {fill(overview()['nobody'], _facts())}"
    truths = listed([view.named(code) for code in dict.fromkeys(answer.truths)])
    if len(answer.truths) == 1:
        return f"{compared} In truth this resident has **{truths}**."
    return f"{compared} In truth {len(answer.truths)} residents with these values were in all hospitals: **{truths}**."


def _facts() -> dict[str, object]:
    return {"hospitals": "four", "k": view.K, "shared": count(view.SHARED), "seed": view.SEED}
