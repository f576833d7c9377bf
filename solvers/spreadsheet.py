"""User texts in files that spreadsheets open: a cell must never become a formula."""

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Characters that may start a formula; some spreadsheets treat full-width letters like the usual ones."""


def safe_cell(text: str) -> str:
    """The text, with a leading quote if a spreadsheet would read it as a formula; numbers are unchanged.

    >>> safe_cell("=1+1"), safe_cell("-3.5"), safe_cell("- none")
    ("'=1+1", '-3.5', "'- none")
    """
    if not text.startswith(_STARTS):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text if not text[0].isspace() else f"'{text}"
