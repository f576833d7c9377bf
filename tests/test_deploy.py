"""What an administrator relies on: the health check of a dashboard, and services with minimal access."""

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
from solvers.settings import settings

DEPLOY = Path(health.__file__).parent
SERVICES: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]


class Answering(BaseHTTPRequestHandler):
    """A server that responds with status 200."""

    def do_GET(self) -> None:
        """Respond as a dashboard does."""
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@pytest.fixture
def dashboard(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """The address of a server that responds as a dashboard does, with an empty folder of runs."""
    monkeypatch.setenv("ESPALIER_RUNS", str(tmp_path / "runs"))
    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_healthy_dashboard(dashboard: str, tmp_path: Path) -> None:
    """A dashboard that responds, and a writable folder: no problem, and no file is left behind."""
    assert health.trouble(dashboard) == ""
    assert [path.name for path in (tmp_path / "runs").iterdir()] == []


def test_a_silent_dashboard_is_reported() -> None:
    """No process listens at port 1."""
    assert "does not answer" in health.trouble("http://127.0.0.1:1")


def test_a_read_only_folder_is_reported(dashboard: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A file cannot contain a folder."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ESPALIER_RUNS", str(tmp_path / "file" / "runs"))
    assert "cannot be written" in health.trouble(dashboard)


def test_a_wrong_setting_is_reported(dashboard: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the setting."""
    monkeypatch.setenv("ESPALIER_MAX_RUNNING", "many")
    assert "ESPALIER_MAX_RUNNING" in health.trouble(dashboard)


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_services_have_few_rights(name: str) -> None:
    """No capabilities, no new privileges, and a read-only file system."""
    service = SERVICES[name]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_workers_do_not_reach_runs() -> None:
    """Access to a scheduler is access to run code on its workers, so rows and owners are stored elsewhere."""
    for name in ("scheduler", "worker"):
        assert not set(SERVICES[name].get("volumes", ())) & set(SERVICES["dashboard"]["volumes"])
        assert "environment" not in SERVICES[name]


def test_settings_and_addresses_of_the_services_exist() -> None:
    """The dashboard reads its settings without an error, and its addresses are those of other services."""
    environment = {name: str(value) for name, value in SERVICES["dashboard"]["environment"].items()}
    found = settings({name: re.sub(r"\$\{\w+:.*\}", "", value) for name, value in environment.items()})
    assert (found.max_running, found.scheduler) == (2, "tcp://scheduler:8786")
    hosts = set(
        re.findall(
            r"(?:(?<=//)|(?<=@))[a-z]+(?=[:/])", " ".join([*environment.values(), *SERVICES["worker"]["command"]])
        )
    )
    assert "scheduler" in hosts and hosts <= set(SERVICES)


def test_nothing_is_open_to_other_machines() -> None:
    """One port, of the dashboard, at the local address only."""
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert ports == {"dashboard": ["127.0.0.1:8501:8501"]}


def test_the_memory_limit_of_a_search_is_below_that_of_its_worker() -> None:
    """A search ends at its own limit before Dask kills its worker."""
    (limit,) = (
        re.fullmatch(r"--memory-limit=(\d+)GiB", word) for word in SERVICES["worker"]["command"] if "mem" in word
    )
    assert int(SERVICES["dashboard"]["environment"]["ESPALIER_MAX_MEMORY_MB"]) < 0.8 * 1024 * int(limit[1])
