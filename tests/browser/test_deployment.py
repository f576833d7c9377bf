"""The services for a department: they find each other, do the work, and survive restarts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client
from playwright.sync_api import Browser, expect

from solvers.store import Query, RunIndex
from tests.browser.conftest import PATIENCE, come_to_rest
from tests.browser.deployment import Deployment, deployed
from tests.browser.journeys import press, solve_sample
from tests.browser.provider import Provider, provided, secrets_toml
from tests.browser.test_sign_in import COOKIE_SECRET, Department, cell, list_runs, sign_in, visitor

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    """The sign-in provider of the department."""
    with provided() as made:
        yield made


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory, provider: Provider) -> Iterator[Deployment]:
    """The services of both files, as an administrator has set them up."""
    folder = tmp_path_factory.mktemp("department")
    secrets = folder / "secrets.toml"
    variables = {"ESPALIER_SECRETS": str(secrets)}
    with deployed(folder, variables, "compose.yaml", "compose.sign-in.yaml") as made:
        secrets.write_text(secrets_toml(provider, made.url, COOKIE_SECRET))
        for name in ("scheduler", "worker", "dashboard"):
            made.start(name)
        until_well(made)
        yield made


def until_well(services: Deployment) -> None:
    """Wait until the dashboard responds; its check must pass then."""
    end = time.monotonic() + PATIENCE
    while not services.answers():
        assert time.monotonic() < end, services.log("dashboard")
        time.sleep(0.2)
    completed = services.health("dashboard")
    assert completed.returncode == 0, completed.stderr


def jobs_done(services: Deployment) -> list[int]:
    """Number of jobs that each worker of the cluster has done since its start."""
    with Client(services.scheduler, timeout=PATIENCE, set_as_default=False) as client:
        client.wait_for_workers(services.replicas, timeout=PATIENCE)
        return list(client.run(lambda dask_worker: dask_worker.state.executed_count).values())


def test_only_writable_places_can_be_written(services: Deployment) -> None:
    """This checks the tests' imitation of a read-only container: its program cannot be changed, its volume can."""
    tell = "import os; print(open({!r}, 'w').write('x'))"
    assert "Read-only file system" in services.within("dashboard", tell.format("app.py")).stderr
    assert services.within("worker", tell.format(str(services.runs / "x"))).stdout == ""
    assert services.within("dashboard", tell.format(str(services.runs / "x"))).stdout == "1\n"


def test_the_services_solve_runs_and_keep_them_after_restarts(
    browser: Browser, services: Deployment, provider: Provider
) -> None:
    """A run and its sweep are solved, listed, and found again after the dashboard was stopped."""
    clinic = Department(services.url, services.runs, Path(), provider)
    assert jobs_done(services) == [0] * services.replicas
    with visitor(browser, clinic) as page:
        sign_in(page, clinic, "Ada")
        solve_sample(page, "Iris")
        page.get_by_role("link", name="Sweep").click()
        expect(page.get_by_text(f"Dask scheduler {services.scheduler}")).to_be_visible()
        press(page, "sweep_start")
        expect(page.get_by_text("4 of 4 models done. Complete.")).to_be_visible()
        assert sum(jobs_done(services)) == 4
        list_runs(page)
        expect(cell(page, "Iris")).to_have_count(1)
        index = RunIndex(services.runs)
        index.synchronize()
        (entry,) = index.find(Query())
        assert entry.owner.startswith("user:") and entry.status == "optimal"
        assert len(list((services.runs / entry.folder).glob("sweeps/*/results.jsonl"))) == 1

        services.stop("dashboard")
        services.start("dashboard")
        until_well(services)
        page.goto(f"{services.url}/runs")
        list_runs(page)
        expect(cell(page, "Iris")).to_have_count(1)
        come_to_rest(page)
        page.get_by_test_id("stDataFrame").click(position={"x": 16, "y": 52}, force=True)
        page.locator(".st-key-runs_open").get_by_role("button").click()
        expect(page.get_by_text("All rows", exact=True)).to_be_visible()
        page.get_by_role("link", name="Sweep").click()
        expect(page.get_by_text("4 of 4 models done. Complete.")).to_be_visible()
        index.synchronize()
        assert [found.id for found in index.find(Query())] == [entry.id]
