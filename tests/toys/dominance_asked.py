"""How pages ask for the toy privacy model, and draw a curve by it."""

from pages.shared.state.choices import Choice

CHOICES = {
    "dominance": Choice(False, "Limit the most common value"),
    "p": Choice(0.6, "Share of the most common value (p)", "1 asks nothing.", 0.1, 1.0, 0.05),
}
CURVE = ("Share of the most common value (p)", (0.5, 0.75, 1.0))
