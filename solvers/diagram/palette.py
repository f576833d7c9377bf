"""The colours of classes and themes, the same on every screen.

Classes have the colours of Okabe and Ito (2008, 'Color Universal Design'), which people with colour-blindness can
distinguish: the positive class first, the others in order. Certainty is lightness: a certain leaf has the full colour,
an undecided one is near the background. Nothing depends on the hue alone: every leaf also names its class.
"""

from dataclasses import dataclass

from ..errors import RenderError

OKABE_ITO = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#999999")
"""Vermillion, blue, bluish green, reddish purple, orange, sky blue, yellow, grey."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The neutral colours of a drawing, as '#rrggbb'.

    Uncertain leaves fade to the background; a split has a surface and a border, the highlighted path the ink colour.
    """

    background: str
    surface: str
    border: str
    line: str
    ink: str
    muted: str


THEMES = {
    "light": Theme("#ffffff", "#ffffff", "#8c959f", "#8c959f", "#1f2328", "#57606a"),
    "dark": Theme("#0e1117", "#1b212b", "#6e7681", "#8b949e", "#f0f3f6", "#b1bac4"),
}


def theme_named(name: str) -> Theme:
    """The theme 'light' or 'dark'."""
    if name not in THEMES:
        raise RenderError(f"The theme must be one of {', '.join(THEMES)}, but is {name!r}.")
    return THEMES[name]


def class_colours(n_classes: int, positive: int | None) -> tuple[str, ...]:
    """The colour of each class, in the order of the classes; the positive class has the first of the palette.

    With more than eight classes colours repeat.
    """
    order = list(range(n_classes))
    if positive is not None:
        order.insert(0, order.pop(positive))
    colours = {k: OKABE_ITO[i % len(OKABE_ITO)] for i, k in enumerate(order)}
    return tuple(colours[k] for k in range(n_classes))


def certainty(share: float, n_classes: int) -> float:
    """The certainty of a leaf, 0 to 1: 0 if its class has at most an equal share, 1 if it has all rows."""
    if n_classes < 2:
        return 1.0
    return min(1.0, max(0.0, (share - 1 / n_classes) / (1 - 1 / n_classes)))


def mix(colour: str, other: str, amount: float) -> str:
    """Mix two colours, with `amount` (0 to 1) of the first."""
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(amount * a + (1 - amount) * b):02x}" for a, b in pairs)


def text_on(fill: str) -> str:
    """Black or white, whichever contrasts more with the fill; the ratio is never below 4.5."""
    return max(("#000000", "#ffffff"), key=lambda text: contrast(text, fill))


def contrast(a: str, b: str) -> float:
    """The contrast ratio of two colours, 1 to 21 (WCAG 2.2, 'contrast ratio')."""
    light, dark = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in _channels(colour)))
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _channels(colour: str) -> tuple[int, int, int]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))  # type: ignore[return-value]
