"""Workers forked from a warm one: as good as freshly started ones, even if the server has ended."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from solvers.problem import Limits
from solvers.run import JobState, WorkerPool, fork_server
from solvers.run import process as worker_processes
from solvers.run.fork_server import ForkedProcess, ForkServer
from tests.faults.running import IMPORTS, PATIENCE, easy, looking, until
from tests.run.problems import plain

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are copied on Linux only")


@pytest.fixture(scope="module")
def ready() -> Iterator[ForkServer]:
    """A server that is ready; the last test that uses it ends it."""
    server = ForkServer()
    server.start()
    until(lambda: server.ready)
    yield server
    server.close()


@pytest.fixture
def server(ready: ForkServer, monkeypatch: pytest.MonkeyPatch) -> ForkServer:
    """The server that forks the workers of the test."""
    monkeypatch.setattr(worker_processes, "FORK_SERVER", ready)
    return ready


def parent_of(pid: int) -> int:
    """The parent process."""
    return psutil.Process(pid).ppid()


def test_a_forked_worker_finds_what_a_new_worker_finds(
    server: ForkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of a pool's workers come from the server; status, cost and model equal those of a separate worker."""
    with WorkerPool(tmp_path, imports=IMPORTS) as pool:
        one = pool.submit(easy(), "contree").wait(PATIENCE)
        slow = pool.submit(plain(), "fake-patient", Limits(seconds=PATIENCE))
        looking(slow)
        assert parent_of(slow.pid) == server.pid
        slow.cancel()
    monkeypatch.setattr(worker_processes, "FORK_SERVER", nobody := ForkServer())
    monkeypatch.setattr(nobody, "start", lambda: None)
    with WorkerPool(tmp_path, imports=IMPORTS, spares=0) as pool:
        other = pool.submit(easy(), "contree").wait(PATIENCE)
        slow = pool.submit(plain(), "fake-patient", Limits(seconds=PATIENCE))
        looking(slow)
        assert parent_of(slow.pid) == os.getpid()
    assert one.state is other.state is JobState.FINISHED
    assert (one.solution.status, one.solution.diagram) == (other.solution.status, other.solution.diagram)


def test_a_killed_forked_worker_is_reported_as_killed(server: ForkServer, tmp_path: Path) -> None:
    """The server passes on the signal."""
    with WorkerPool(tmp_path, imports=IMPORTS) as pool:
        job = pool.submit(plain(), "fake-patient", Limits(seconds=PATIENCE))
        looking(job)
        os.kill(job.pid, signal.SIGKILL)
        shot = job.wait(PATIENCE)
        assert shot.state is JobState.FAILED and "was killed (signal 9)" in shot.error
        assert pool.submit(easy(), "contree").wait(PATIENCE).state is JobState.FINISHED


def test_forked_workers_outlive_their_server(server: ForkServer, tmp_path: Path) -> None:
    """If the server is killed, its workers finish, and later ones are started without it."""
    with WorkerPool(tmp_path, imports=IMPORTS) as pool:
        job = pool.submit(plain(), "fake-patient", Limits(seconds=PATIENCE))
        looking(job)
        os.kill(server.pid, signal.SIGKILL)
        assert pool.submit(easy(), "contree").wait(PATIENCE).state is JobState.FINISHED
        job.cancel()
        assert job.wait(PATIENCE).state is JobState.CANCELLED
        assert pool.submit(easy(), "contree").wait(PATIENCE).state is JobState.FINISHED
    assert not server.ready


def test_a_server_ends_with_its_program(tmp_path: Path) -> None:
    """A killed program leaves no process, neither its server nor its workers."""
    script = (
        "import sys, time\nfrom pathlib import Path\nfrom solvers.run import WorkerPool\n"
        "from solvers.run.fork_server import FORK_SERVER as server\n"
        "pool = WorkerPool(Path(sys.argv[1]))\nserver.start()\n"
        "while not server.ready: time.sleep(0.05)\n"
        "print(server.pid, flush=True)\ntime.sleep(600)\n"
    )
    program = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    server = psutil.Process(int(program.stdout.readline()))
    left = [server, *psutil.Process(program.pid).children(recursive=True)]
    program.kill()
    program.wait()
    assert not psutil.wait_procs(left, PATIENCE)[1]


def test_a_server_that_warms_up_ends_with_its_program() -> None:
    """A killed program leaves no server that is still compiling."""
    script = (
        "import time\nfrom solvers.run.fork_server import FORK_SERVER as server\n"
        "server.start()\nprint(server.pid, flush=True)\ntime.sleep(600)\n"
    )
    program = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    server = psutil.Process(int(program.stdout.readline()))
    program.kill()
    program.wait()
    assert not psutil.wait_procs([server], PATIENCE)[1]


def test_a_wait_for_a_running_process_times_out() -> None:
    """A wait ends with an error at its time limit, and returns the exit status once it is known."""
    process = ForkedProcess(os.getpid())
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.01)
    process.end(-9)
    process.kill()
    assert process.wait(0.01) == -9


def test_a_late_forked_worker_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another worker already has its pipes: the two would read each other's commands."""
    monkeypatch.setattr(fork_server, "REPLY_TIMEOUT", 0.0)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server = ForkServer()
    server._socket, server._ready = ours, True
    with subprocess.Popen(["sleep", "60"]) as late, theirs:
        threading.Thread(target=server._listen, args=(ours, late), daemon=True).start()
        assert server.fork([], [0, 1, 2]) is None
        theirs.send(json.dumps({"forked": late.pid}).encode())
        assert late.wait(PATIENCE) == -signal.SIGKILL
