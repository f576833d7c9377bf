"""The files of a certificate: a folder or a zip file of texts under plain names."""

import io
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path

from ..errors import CertificateError

MOST_BYTES = 1 << 27
"""A file that is larger when unpacked is not read."""

_NAME = re.compile(r"[A-Za-z0-9-]+\.(?:json|csv|txt|md|py)")
_MOMENT = (1980, 1, 1, 0, 0, 0)


def write_folder(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files into a folder, which is made where there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / _checked(name)).write_bytes(content)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """The files as one zip file, the same bytes for the same files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(_checked(name), _MOMENT), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


class Archive:
    """Reads the files of a certificate, which is a folder or a zip file, one by one."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, name: str) -> bytes:
        """The content of a file; `CertificateError` where it is not there, cannot be read, or is too large."""
        what = f"The certificate '{self._path.name}'"
        try:
            if self._path.is_dir():
                file = self._path / _checked(name)
                self._measured(name, file.stat().st_size)
                return file.read_bytes()
            with zipfile.ZipFile(self._path) as archive:
                self._measured(name, archive.getinfo(_checked(name)).file_size)
                if archive.namelist().count(name) > 1:
                    raise CertificateError(f"{what} has two files '{name}'. Make the certificate again.")
                return archive.read(name)
        except CertificateError:
            raise
        # a damaged file may end the unpacking in whatever exception its bytes lead to
        except Exception:
            raise CertificateError(
                f"{what} has no file '{name}' that can be read. Choose the folder or zip file of a certificate."
            ) from None

    def _measured(self, name: str, n_bytes: int) -> None:
        if n_bytes > MOST_BYTES:
            raise CertificateError(
                f"The certificate '{self._path.name}': the file '{name}' is too large to be checked."
            )


def _checked(name: str) -> str:
    """A plain name, so that nothing is read or written elsewhere."""
    if not _NAME.fullmatch(name):
        raise CertificateError(f"A certificate has no file of the name '{name}'. Make the certificate again.")
    return name
