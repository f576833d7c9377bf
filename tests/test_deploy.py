"""What an administrator relies on: the check of a dashboard, and services that reach no more than they need."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy import health

DEPLOY = Path(health.__file__).parent
SERVICES: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
OWN = sorted(name for name, service in SERVICES.items() if service["image"] == "espalier")
"""The services of this program, as against the database."""


class Answering(BaseHTTPRequestHandler):
    """Says that all is well."""

    def do_GET(self) -> None:
        """Answer as a dashboard does."""
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def dashboard(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """The address of something that answers as a dashboard does, with an empty folder of runs."""
    monkeypatch.setenv("ESPALIER_RUNS", str(tmp_path / "runs"))
    monkeypatch.delenv("ESPALIER_DATABASE", raising=False)
    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_nothing_is_wrong(dashboard: str, tmp_path: Path) -> None:
    """A dashboard that answers, a folder that takes files and an index: no trouble, and no file is left behind."""
    assert health.trouble(dashboard) == ""
    assert [path.name for path in (tmp_path / "runs").iterdir() if "index.sqlite" not in path.name] == []


def test_silent_dashboard_is_told() -> None:
    """Nobody listens at port 1."""
    assert "does not answer" in health.trouble("http://127.0.0.1:1")


def test_folder_that_takes_no_runs_is_told(dashboard: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Below a file there can be no folder."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ESPALIER_RUNS", str(tmp_path / "file" / "runs"))
    assert "cannot be written" in health.trouble(dashboard)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [("ESPALIER_DATABASE", "nonsense", "ESPALIER_DATABASE"), ("ESPALIER_MAX_RUNNING", "many", "ESPALIER_MAX_RUNNING")],
)
def test_wrong_setting_is_told(
    dashboard: str, monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    """The sentence names the setting."""
    monkeypatch.setenv(name, value)
    assert said in health.trouble(dashboard)


@pytest.mark.parametrize("name", OWN)
def test_services_of_the_program_can_do_little(name: str) -> None:
    """No capability, no way to another user's rights, and a file system that takes nothing."""
    service = SERVICES[name]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_workers_reach_neither_runs_nor_database() -> None:
    """Whoever reaches a scheduler can run code on its workers; rows and owners lie elsewhere."""
    for name in ("scheduler", "worker"):
        assert not set(SERVICES[name]["networks"]) & set(SERVICES["database"]["networks"])
        assert not set(SERVICES[name].get("volumes", ())) & set(SERVICES["dashboard"]["volumes"])
        assert "environment" not in SERVICES[name]


def test_nothing_is_open_to_other_machines() -> None:
    """One port, of the dashboard, at this machine's own address."""
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert ports == {"dashboard": ["127.0.0.1:8501:8501"]}


def test_search_ends_before_its_worker_is_ended() -> None:
    """What a search may take at most is less than what Dask gives its worker."""
    (limit,) = (
        re.fullmatch(r"--memory-limit=(\d+)GiB", word) for word in SERVICES["worker"]["command"] if "mem" in word
    )
    assert int(SERVICES["dashboard"]["environment"]["ESPALIER_MAX_MEMORY_MB"]) < 0.8 * 1024 * int(limit[1])
