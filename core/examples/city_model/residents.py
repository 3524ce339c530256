"""Invented curves of how the residents of the synthetic city differ by age.

A curve gives a relative frequency at a few ages; between them it is a straight line, outside
them level.
"""

from __future__ import annotations

from collections.abc import Mapping

Curve = Mapping[int, float]

PYRAMID: Curve = {0: 1.0, 10: 1.05, 20: 1.3, 30: 1.45, 45: 1.25, 60: 1.1, 70: 0.8, 80: 0.42, 90: 0.12, 100: 0.008}

SEXES: dict[str, Curve] = {
    "female": {0: 0.487, 50: 0.495, 65: 0.515, 80: 0.59, 100: 0.76},
    "male": {0: 0.513, 50: 0.505, 65: 0.485, 80: 0.41, 100: 0.24},
    "other": {13: 0.0, 14: 0.004, 40: 0.003, 100: 0.001},
}

MARITAL: dict[str, Curve] = {
    "never married": {17: 1.0, 22: 0.93, 30: 0.55, 40: 0.27, 55: 0.15, 75: 0.07, 100: 0.06},
    "married": {17: 0.0, 22: 0.06, 30: 0.38, 40: 0.55, 60: 0.62, 75: 0.52, 100: 0.1},
    "separated": {20: 0.0, 30: 0.02, 50: 0.03, 100: 0.01},
    "divorced": {21: 0.0, 30: 0.05, 45: 0.16, 60: 0.18, 100: 0.06},
    "widowed": {28: 0.0, 50: 0.02, 65: 0.08, 75: 0.2, 85: 0.45, 100: 0.8},
}

EDUCATION: dict[str, Curve] = {
    "none": {10: 1.0, 13: 0.03, 30: 0.01, 100: 0.03},
    "primary": {9: 0.0, 12: 0.9, 14: 0.85, 17: 0.08, 40: 0.05, 100: 0.3},
    "lower secondary": {13: 0.0, 16: 0.85, 18: 0.45, 25: 0.1, 60: 0.18, 100: 0.3},
    "upper secondary": {16: 0.0, 18: 0.6, 21: 0.6, 26: 0.3, 100: 0.22},
    "vocational": {17: 0.0, 21: 0.15, 28: 0.25, 60: 0.28, 100: 0.15},
    "bachelor": {20: 0.0, 24: 0.26, 40: 0.24, 100: 0.05},
    "master": {22: 0.0, 27: 0.12, 40: 0.16, 100: 0.03},
    "doctorate": {26: 0.0, 33: 0.025, 60: 0.025, 100: 0.01},
}
"""Highest level completed; the order of the keys is the order of the levels."""

WORK: dict[str, Curve] = {
    "below school age": {5: 1.0, 6: 0.0},
    "pupil or student": {5: 0.0, 6: 1.0, 16: 0.9, 20: 0.45, 26: 0.12, 40: 0.02, 60: 0.0},
    "private company": {15: 0.0, 20: 0.3, 30: 0.5, 55: 0.46, 64: 0.28, 70: 0.04, 80: 0.0},
    "public service": {16: 0.0, 24: 0.1, 50: 0.15, 64: 0.1, 70: 0.01, 80: 0.0},
    "self-employed": {17: 0.0, 30: 0.06, 50: 0.1, 70: 0.05, 90: 0.0},
    "family business": {15: 0.0, 20: 0.015, 60: 0.015, 85: 0.0},
    "looking for work": {15: 0.0, 20: 0.09, 30: 0.06, 60: 0.05, 68: 0.0},
    "keeping house": {16: 0.0, 30: 0.06, 65: 0.06, 100: 0.02},
    "unable to work": {16: 0.0, 40: 0.03, 60: 0.07, 70: 0.01, 80: 0.0},
    "retired": {48: 0.0, 60: 0.08, 67: 0.8, 75: 1.0},
}

WORK_BY_EDUCATION: dict[str, tuple[float, float]] = {
    "public service": (0.4, 2.2),
    "self-employed": (0.7, 1.5),
    "looking for work": (2.2, 0.4),
    "keeping house": (2.0, 0.5),
    "unable to work": (2.5, 0.3),
}
"""Factor on a work class at the lowest and the highest level of education, linear between."""
