"""The files of a certificate: a folder or a zip file of texts under plain names."""

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from ..errors import CertificateError
from .optimum_bounds import RejectedError
from .optimum_checker import files_of

_MOMENT = (1980, 1, 1, 0, 0, 0)


def write_folder(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files into a folder, which is made if there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """The files as one zip file, the same bytes for the same files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, _MOMENT), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def reader(path: Path) -> Callable[[str], bytes]:
    """The content of a file of a certificate, a folder or a zip file, by its name.

    It raises `CertificateError` for a file that is not there, cannot be read, or is too large.
    """

    def read(name: str) -> bytes:
        try:
            return files_of(path)(name)
        except RejectedError as error:
            raise CertificateError(f"The certificate '{path.name}': {error}") from None
        # a damaged file may end the unpacking in whatever exception its bytes lead to
        except Exception:
            raise CertificateError(
                f"The certificate '{path.name}' has no file '{name}' that can be read. "
                "Choose the folder or zip file of a certificate."
            ) from None

    return read
