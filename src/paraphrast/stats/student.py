"""Student's t distribution without scipy."""

from __future__ import annotations

import math

_STEPS = 100_000  # the fraction needs about √ν of them
_SMALL = 1e-300


def student_p(t: float, degrees: int) -> float:
    """Return the two-sided p-value of Student's t: I_x(ν/2, 1/2) at x = ν / (ν + t²).

    Logarithms are taken of 1 + t²/ν, as x near 1 would lose digits: ten are right up to a million
    degrees of freedom.
    """
    ratio = t * t / degrees
    if ratio < _SMALL or math.isinf(ratio):
        return float(ratio < _SMALL)
    half = degrees / 2
    x, rest = 1 / (1 + ratio), ratio / (1 + ratio)
    front = math.exp(
        _log_gamma_step(half) - half * math.log1p(ratio) + 0.5 * math.log(rest / math.pi)
    )
    if x < (half + 1) / (half + 2.5):
        return front * _fraction(half, 0.5, x) / half
    return 1 - front * _fraction(0.5, half, rest) / 0.5


def _log_gamma_step(a: float) -> float:
    """Return ln Γ(a + 1/2) − ln Γ(a); for large a by its series, as the two nearly cancel."""
    if a < 30:
        return math.lgamma(a + 0.5) - math.lgamma(a)
    return 0.5 * math.log(a) - 1 / (8 * a) + 1 / (192 * a**3) - 1 / (640 * a**5)


def _fraction(a: float, b: float, x: float) -> float:
    """Return the incomplete beta function's continued fraction by Lentz's method (DLMF 8.17.22)."""
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away(1 + term * d)
            c = _away(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            return value
    raise ArithmeticError(f"the fraction for a = {a}, b = {b}, x = {x} does not settle")


def _away(value: float) -> float:
    return value if abs(value) > _SMALL else _SMALL
