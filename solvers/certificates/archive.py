"""Read and write the files of a certificate: a folder or a zip file of text files."""

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from ..errors import CertificateError
from .optimum_bounds import RejectedError
from .optimum_checker import files_of

_MOMENT = (1980, 1, 1, 0, 0, 0)


def write_folder(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files into a folder, which is created if needed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """Pack the files into one zip file; the same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, _MOMENT), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def reader(path: Path) -> Callable[[str], bytes]:
    """Return a function that reads a file of a certificate (a folder or a zip file) by its name.

    The function raises `CertificateError` if a file is missing, unreadable or too large.
    """

    def read(name: str) -> bytes:
        try:
            return files_of(path)(name)
        except RejectedError as error:
            raise CertificateError(f"The certificate '{path.name}': {error}") from None
        # unpacking a damaged file may raise any exception
        except Exception:
            raise CertificateError(
                f"The certificate '{path.name}' has no file '{name}' that can be read. "
                "Choose the folder or zip file of a certificate."
            ) from None

    return read
