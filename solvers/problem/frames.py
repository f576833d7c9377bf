"""Data frames of pandas, polars, pyarrow and others as pandas frames with text headers.

Frames of other packages are read through the Arrow protocol (`__arrow_c_stream__`), which gives the type of each
column: the unit and zone of a time, the order of an enumeration.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from ..errors import DataError
from .texts import composed, quoted


def as_pandas(data: Any) -> Any:
    """Convert a frame or series of another package, or with Arrow columns, to pandas; return anything else unchanged.

    Raises
    ------
    DataError
        A column has a type that Arrow does not support, or the frame is a polars LazyFrame.
    """
    if isinstance(data, pd.DataFrame):
        arrow = [isinstance(dtype, pd.ArrowDtype) for dtype in data.dtypes]
        if not any(arrow):
            return data
        columns = range(data.shape[1])
        read = _read(data.loc[:, arrow].set_axis([str(j) for j in columns if arrow[j]], axis=1)).set_axis(data.index)
        parts = [read[str(j)] if arrow[j] else data.iloc[:, j] for j in columns]
        return pd.concat(parts, axis=1).set_axis(data.columns, axis=1)
    if isinstance(data, pd.Series) or not hasattr(data, "__arrow_c_stream__"):
        if type(data).__name__ == "LazyFrame":
            raise DataError("A LazyFrame holds no rows yet. Call collect() and pass the result.")
        return data
    return _read(data) if hasattr(data, "columns") else _read({"": data})[""].rename(getattr(data, "name", None))


def _read(data: Any) -> pd.DataFrame:
    """The data of the Arrow protocol, as a frame."""
    try:
        if isinstance(data, dict):
            data = {name: pa.chunked_array(column) for name, column in data.items()}
        return pa.table(data).to_pandas(ignore_metadata=True)
    except (pa.ArrowException, ValueError) as error:
        why = " ".join(str(error).split())
        raise DataError(
            f"A column of the data frame has a type that Arrow cannot convert ({why}). Cast it to numbers, dates, "
            f"texts or categories."
        ) from None


def headers(names: Iterable[object]) -> list[str]:
    """The headers of a frame as texts: years and dates as printed, texts in one Unicode spelling (NFC).

    Raises
    ------
    DataError
        Two headers are the same text.
    """
    texts = [composed(str(name)) for name in names]
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        places = " and ".join(str(j) for j, text in enumerate(texts, 1) if text == twice)
        raise DataError(f"The column '{twice}' appears twice (columns {places}). Column names must differ: rename one.")
    return texts


def with_headers(frame: Any) -> pd.DataFrame:
    """A frame of any package as a pandas frame with text headers.

    Raises
    ------
    DataError
        See `headers` and `as_pandas`.
    """
    frame = as_pandas(frame)
    names = headers(frame.columns)
    return frame if list(frame.columns) == names else frame.set_axis(names, axis=1)


def number_repeated(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names with repeated ones numbered, such as 'crp', 'crp (2)', and notes on them.

    The result has no equal names.
    """
    taken, numbered = set(names), []
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        one = name
        if seen[name] > 1:
            while (one := f"{name} ({seen[name]})") in taken:
                seen[name] += 1
            taken.add(one)
        numbered.append(one)
    again = [one for one, name in zip(numbered, names, strict=True) if one != name]
    return numbered, [f"Repeated column names are numbered: {quoted(again)}."] if again else []


def free_name(name: str, taken: Sequence[str]) -> str:
    """A name that is not taken: the given one, with underscores appended if needed."""
    while name in taken:
        name += "_"
    return name
