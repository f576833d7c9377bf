"""Texts of users in files that spreadsheets open: a cell must never become a formula."""

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What may start a formula; some spreadsheets read wide letters as the usual ones."""


def safe_cell(text: str) -> str:
    """The text with a quote before it where a spreadsheet would take it for a formula; numbers stay as they are.

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
