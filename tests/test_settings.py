"""An administrator's settings: defaults, valid values, and refusals in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from solvers.errors import SettingError
from solvers.problem import Limits
from solvers.settings import settings


def test_defaults_suit_one_person(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default, runs are in the user's data directory, and few runs work at once."""
    monkeypatch.setattr("solvers.settings.data_folder", lambda: Path("/data/espalier"))
    found = settings({})
    assert found.runs == Path("/data/espalier/runs")
    assert 1 <= found.max_running <= 4
    assert (found.max_seconds, found.keep_days, found.scheduler) == (None, None, None)
    assert (found.max_reading_seconds, found.max_reading_memory_mb) == (120.0, 4096)
    assert (found.hosts, found.token, found.recommend_seconds) == ((), None, 60.0)


def test_every_variable_is_read() -> None:
    """Every variable sets its field."""
    found = settings(
        {
            "ESPALIER_RUNS": "/srv/runs",
            "ESPALIER_MAX_RUNNING": "8",
            "ESPALIER_MAX_THREADS": "2",
            "ESPALIER_MAX_MEMORY_MB": "4096",
            "ESPALIER_MAX_SECONDS": "600",
            "ESPALIER_MAX_READING_SECONDS": "20",
            "ESPALIER_MAX_READING_MEMORY_MB": "1024",
            "ESPALIER_RECOMMEND_SECONDS": "0",
            "ESPALIER_KEEP_DAYS": "30",
            "ESPALIER_SCHEDULER": "tcp://scheduler:8786",
            "ESPALIER_HOSTS": "espalier.clinic.example, 10.0.0.5,fd00::5",
            "ESPALIER_TOKEN": "off",
        }
    )
    assert found.runs == Path("/srv/runs")
    assert (found.max_running, found.max_threads, found.max_memory_mb) == (8, 2, 4096)
    assert (found.max_seconds, found.keep_days, found.scheduler) == (600.0, 30.0, "tcp://scheduler:8786")
    assert (found.max_reading_seconds, found.max_reading_memory_mb, found.recommend_seconds) == (20.0, 1024, 0.0)
    assert (found.hosts, found.token) == (("espalier.clinic.example", "10.0.0.5", "fd00::5"), False)


def test_limits_of_a_run_are_narrowed_not_widened() -> None:
    """A user may request less than the administrator permits, never more."""
    found = settings({"ESPALIER_MAX_THREADS": "2", "ESPALIER_MAX_SECONDS": "60", "ESPALIER_MAX_MEMORY_MB": "500"})
    assert found.within(Limits(seconds=None, threads=8)) == Limits(seconds=60.0, threads=2, memory_mb=500)
    assert found.within(Limits(seconds=5.0, memory_mb=300)) == Limits(seconds=5.0, memory_mb=300)
    assert settings({}).within(Limits(seconds=5.0)) == Limits(seconds=5.0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ESPALIER_MAX_RUNNING", "0"),
        ("ESPALIER_MAX_RUNNING", "many"),
        ("ESPALIER_MAX_THREADS", "1.5"),
        ("ESPALIER_MAX_SECONDS", "nan"),
        ("ESPALIER_KEEP_DAYS", "-1"),
        ("ESPALIER_MAX_MEMORY_MB", "inf"),
    ],
)
def test_impossible_values_are_refused(name: str, value: str) -> None:
    """The error names the variable, its valid values and the given one."""
    with pytest.raises(SettingError, match=f"{name} must be a .*number of at least .* but (is|has) '{value}'"):
        settings({name: value})


@pytest.mark.parametrize("host", ["*", "*.clinic.example", "https://clinic.example", "clinic.example:8501", "a/b"])
def test_hosts_are_names_not_patterns(host: str) -> None:
    """A pattern would admit any matching name; a scheme or a port would match no request."""
    with pytest.raises(SettingError, match=r"ESPALIER_HOSTS must list names .* but (is|has) '"):
        settings({"ESPALIER_HOSTS": f"fine.example,{host}"})


def test_token_is_on_or_off() -> None:
    """A typo must not open the dashboard to everyone."""
    assert settings({"ESPALIER_TOKEN": "on"}).token is True
    with pytest.raises(SettingError, match=r"ESPALIER_TOKEN must be 'on' or 'off'.* but (is|has) 'no'"):
        settings({"ESPALIER_TOKEN": "no"})
