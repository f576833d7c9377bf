"""The administrator's settings, read from the environment; every default suits a personal machine.

| variable | meaning | default |
|---|---|---|
| ESPALIER_RUNS | the folder of the runs | in the user's data directory |
| ESPALIER_MAX_RUNNING | maximum number of runs at the same time | one per core, at most 4 |
| ESPALIER_MAX_THREADS | maximum number of threads of a run | all cores |
| ESPALIER_MAX_MEMORY_MB | maximum memory of a run, in MiB | no limit |
| ESPALIER_MAX_SECONDS | time limit of a run, in seconds | no limit |
| ESPALIER_MAX_READING_SECONDS | time limit for reading a table, in seconds | 120 |
| ESPALIER_MAX_READING_MEMORY_MB | maximum memory for reading a table, in MiB | 4096 |
| ESPALIER_RECOMMEND_SECONDS | seconds for comparing sizes beside a run if you chose no size; 0 for never | 60 |
| ESPALIER_KEEP_DAYS | days after which a run or a draft and its data are deleted | kept |
| ESPALIER_SCHEDULER | the address of a Dask scheduler for sweeps | none: local processes |
| ESPALIER_HOSTS | host names of the dashboard for browsers, separated by commas | this machine's own |
| ESPALIER_TOKEN | `on` or `off`: whether a browser must present a token | on if strangers could reach it |
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from .errors import SettingError
from .platforms import data_folder
from .problem import Limits

_HOST = re.compile(r"[A-Za-z0-9_.-]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*")
"""A host name or an address, without the port."""


@dataclass(frozen=True)
class Settings:
    """The settings of this program, see the module; `None` means 'no limit', 'none' or 'not set'."""

    runs: Path
    max_running: int
    max_threads: int | None = None
    max_memory_mb: int | None = None
    max_seconds: float | None = None
    max_reading_seconds: float = 120.0
    max_reading_memory_mb: int = 4096
    recommend_seconds: float = 60.0
    keep_days: float | None = None
    scheduler: str | None = None
    hosts: tuple[str, ...] = ()
    token: bool | None = None

    def within(self, limits: Limits) -> Limits:
        """The limits of a run, capped at what the administrator permits."""
        threads = limits.threads if self.max_threads is None else min(limits.threads, self.max_threads)
        return replace(
            limits,
            threads=threads,
            seconds=_least(limits.seconds, self.max_seconds),
            memory_mb=None if (memory_mb := _least(limits.memory_mb, self.max_memory_mb)) is None else int(memory_mb),
        )


def settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings from the environment.

    Raises
    ------
    SettingError
        A value is not valid for its setting.
    """
    variables = os.environ if environment is None else environment
    runs = Path(variables["ESPALIER_RUNS"]).expanduser() if variables.get("ESPALIER_RUNS") else data_folder() / "runs"
    recommend_seconds = _number(variables, "ESPALIER_RECOMMEND_SECONDS", least=0)
    return Settings(
        runs=runs,
        max_running=int(_number(variables, "ESPALIER_MAX_RUNNING", least=1, whole=True) or min(4, os.cpu_count() or 1)),
        max_threads=_whole(_number(variables, "ESPALIER_MAX_THREADS", least=1, whole=True)),
        max_memory_mb=_whole(_number(variables, "ESPALIER_MAX_MEMORY_MB", least=256, whole=True)),
        max_seconds=_number(variables, "ESPALIER_MAX_SECONDS", least=1),
        max_reading_seconds=_number(variables, "ESPALIER_MAX_READING_SECONDS", least=1) or 120.0,
        max_reading_memory_mb=int(_number(variables, "ESPALIER_MAX_READING_MEMORY_MB", least=256, whole=True) or 4096),
        recommend_seconds=60.0 if recommend_seconds is None else recommend_seconds,
        keep_days=_number(variables, "ESPALIER_KEEP_DAYS", least=0),
        scheduler=variables.get("ESPALIER_SCHEDULER") or None,
        hosts=_hosts(variables),
        token=_switch(variables, "ESPALIER_TOKEN"),
    )


def _hosts(variables: Mapping[str, str]) -> tuple[str, ...]:
    """The names of hosts; no patterns, since anyone who can create a name that matches one would be admitted."""
    names = tuple(variables.get("ESPALIER_HOSTS", "").replace(",", " ").split())
    if odd := next((name for name in names if not _HOST.fullmatch(name)), None):
        raise SettingError(
            f"The setting ESPALIER_HOSTS must list names such as 'espalier.clinic.example', separated by commas, "
            f"without 'https://' and port, but has '{odd}'."
        )
    return names


def _switch(variables: Mapping[str, str], name: str) -> bool | None:
    text = variables.get(name, "").strip()
    if text not in ("", "on", "off"):
        raise SettingError(f"The setting {name} must be 'on' or 'off', or not be set, but is '{text}'.")
    return text == "on" if text else None


def _number(variables: Mapping[str, str], name: str, least: float, whole: bool = False) -> float | None:
    text = variables.get(name, "").strip()
    if not text:
        return None
    kind = "whole number" if whole else "number"
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        raise SettingError(f"The setting {name} must be a {kind} of at least {least:g}, but is '{text}'.") from None
    if not least <= value < float("inf"):
        raise SettingError(f"The setting {name} must be a {kind} of at least {least:g}, but is '{text}'.")
    return value


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _least(a: float | None, b: float | None) -> float | None:
    """The smaller of two limits; `None` is no limit."""
    return min((limit for limit in (a, b) if limit is not None), default=None)
