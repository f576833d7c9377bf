"""Tables from OpenML (https://www.openml.org), by name, through scikit-learn's loader."""

from ..errors import DataError
from .tables import Table, table_of_frame


def fetch_openml_table(name: str) -> Table:
    """Download the oldest active version of a data set, or take it from scikit-learn's cache of earlier downloads.

    Parameters
    ----------
    name : its name on OpenML, for instance 'diabetes'.

    Raises
    ------
    DataError
        There is no such data set, or no network.
    """
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(name=name.strip(), version="active", as_frame=True, parser="auto")
    except OSError as error:
        if getattr(error, "code", None) in (404, 412):
            raise _not_there(name) from None
        why = getattr(error, "reason", None) or error
        raise DataError(f"OpenML cannot be reached ({why}). Check the network, or load a CSV file.") from None
    except ValueError as error:
        if "No known dataset" in str(error) or "not found" in str(error):
            raise _not_there(name) from None
        raise DataError(f"The data set '{name}' cannot be read as a table ({error}). Download it as CSV.") from None
    return table_of_frame(bunch.frame, name, outcome=(bunch.target_names or [None])[0])


def _not_there(name: str) -> DataError:
    return DataError(f"OpenML has no active data set '{name}'. Look up its exact name on openml.org.")
