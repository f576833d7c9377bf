"""The services of `deploy/compose.yaml` as processes of this machine: their commands, settings, folders and checks.

There is no container engine. Instead the files are interpreted as an engine does: the program is copied without the
entries of `.dockerignore`, the settings of the Containerfile apply, services are found at free ports of this machine
instead of by name, and only the volumes and the in-memory folders of each service are writable.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import yaml

from solvers.kernels.code_cache import folder as kernel_folder
from tests.browser.conftest import PATIENCE, ROOT, free_port

_HERE = Path(__file__).parent
_PROGRAM = "espalier"
"""The name of the image that all services of the program share, and of its user."""

_AT_A_PORT = {"dashboard": ("--server.port={}",), "scheduler": ("--host=127.0.0.1", "--port={}")}
"""Arguments that make a service listen on a port of this machine instead of the same one in each container."""


class Deployment:
    """The services, each of which can be started, stopped and checked.

    Parameters
    ----------
    folder : for all written files.
    told : the administrator's variables, which the files refer to.
    files : of services, the second changing the first.

    Attributes
    ----------
    ports : of the services, by name.
    """

    def __init__(self, folder: Path, variables: Mapping[str, str], *files: str) -> None:
        self._folder, self._variables = folder, variables
        self.ports = {"dashboard": free_port(), "scheduler": free_port()}
        self._services: dict[str, dict[str, Any]] = {}
        for name in files:
            for service, parts in yaml.safe_load((ROOT / "deploy" / name).read_text())["services"].items():
                _merge(self._services.setdefault(service, {}), self._filled(parts))
        self._image = (ROOT / "deploy" / "Containerfile").read_text()
        self._processes: dict[str, list[subprocess.Popen]] = {}
        _copy_program(self._place("/app", "dashboard"))
        self._mount()

    @property
    def url(self) -> str:
        """The address of the dashboard."""
        return f"http://127.0.0.1:{self.ports['dashboard']}"

    @property
    def scheduler(self) -> str:
        """The address of the scheduler."""
        return f"tcp://127.0.0.1:{self.ports['scheduler']}"

    @property
    def runs(self) -> Path:
        """The folder of the runs."""
        return Path(self._environment("dashboard")["ESPALIER_RUNS"])

    @property
    def replicas(self) -> int:
        """The number of workers."""
        return self._services["worker"]["deploy"]["replicas"]

    def log(self, name: str) -> str:
        """The log of a service."""
        return (self._folder / f"{name}.txt").read_text("utf-8", "replace")

    def start(self, name: str) -> None:
        """Start a service with its command, without waiting for it."""
        words = [self._local(word, name) for word in self._command(name)]
        words += [word.format(self.ports[name]) for word in _AT_A_PORT.get(name, ())]
        environment, place = self._environment(name), self._place("/app", name)
        number = self._services[name].get("deploy", {}).get("replicas", 1)
        with (self._folder / f"{name}.txt").open("a") as out:
            self._processes[name] = [
                subprocess.Popen(words, cwd=place, env=environment, stdout=out, stderr=out) for _ in range(number)
            ]

    def stop(self, name: str) -> list[int]:
        """Stop a service as an engine does; returns the exit codes of its processes.

        Raises
        ------
        TimeoutExpired
            A process does not end; an engine would kill it.
        """
        processes = self._processes.pop(name)
        for process in processes:
            process.terminate()
        try:
            return [process.wait(PATIENCE) for process in processes]
        finally:
            for process in processes:
                process.kill()

    def answers(self) -> bool:
        """Whether the dashboard responds at all."""
        try:
            return urlopen(f"{self.url}/_stcore/health", timeout=2).status == 200
        except OSError:
            return False

    def health(self, name: str) -> subprocess.CompletedProcess[str]:
        """Run the health check of a service within it."""
        kind, *words = self._services[name]["healthcheck"]["test"]
        assert kind == "CMD", "a check is run without a shell"
        if name == "dashboard":
            words.append(self.url)
        environment = self._environment(name)
        return subprocess.run(words, cwd=self._place("/app", name), env=environment, capture_output=True, text=True)

    def within(self, name: str, program: str) -> subprocess.CompletedProcess[str]:
        """Run Python code within a service."""
        words, place = ["python", "-c", program], self._place("/app", name)
        return subprocess.run(words, cwd=place, env=self._environment(name), capture_output=True, text=True)

    def end(self) -> None:
        """Stop all services, by force if needed; workers first, because a scheduler that loses them ends slowly."""
        for name in reversed(list(self._processes)):
            with suppress(subprocess.TimeoutExpired):
                self.stop(name)

    def _command(self, name: str) -> list[str]:
        """The command of a service: its own, or that of the image."""
        own = self._services[name].get("command")
        return own or yaml.safe_load(re.search(r"^CMD (\[.*\])$", self._image, re.MULTILINE)[1])

    def _environment(self, name: str) -> dict[str, str]:
        """The environment variables of a service: nothing of this process except the path of programs."""
        service = self._services[name]
        scripts = os.pathsep.join((sysconfig.get_path("scripts"), os.environ["PATH"]))
        assert service["read_only"], f"the service '{name}' may write anywhere"
        set_by_image = dict(
            pair.split("=", 1) for line in re.findall(r"^ENV (.*)$", self._image, re.MULTILINE) for pair in line.split()
        )
        found = {
            key: self._local(str(value), name) for key, value in (set_by_image | service.get("environment", {})).items()
        }
        path = os.pathsep.join(filter(None, (str(_HERE / "read_only"), found.get("PYTHONPATH"))))
        places = os.pathsep.join(map(str, self._writable(name)))
        home, memory = self._place(f"/home/{_PROGRAM}", name), self._place("/tmp", name)
        return {"PATH": scripts, "HOME": str(home), "TMPDIR": str(memory), "LANG": "C.UTF-8",
                **found, "PYTHONPATH": path, "ESPALIER_TEST_WRITABLE": places}  # fmt: skip

    def _writable(self, name: str) -> list[Path]:
        """Writable folders of a service: its in-memory folders, and its volumes, which hold kernels of these tests."""
        service = self._services[name]
        volumes = [volume.split(":") for volume in service.get("volumes", ())]
        inside = [*service.get("tmpfs", ()), *(parts[1] for parts in volumes if "ro" not in parts[2:])]
        places = [self._place(path, name) for path in inside]
        for place in places:
            place.mkdir(parents=True, exist_ok=True)
        compiled = kernel_folder("tree_search").parents[2]
        if "/data" in inside:
            with suppress(FileExistsError):
                (self._place("/data", name) / "kernels").symlink_to(compiled)
            places.append(compiled)
        return places

    def _local(self, text: str, name: str) -> str:
        """Replace addresses and paths of containers by those of this machine."""
        for service, port in self.ports.items():
            text = re.sub(rf"(?<=[/@]){service}(:\d+)?(?=/|$)", f"127.0.0.1:{port}", text)
        inside = rf"(?:^|(?<==))/(app|data|tmp|home/{_PROGRAM})(?=/|$)"
        return re.sub(inside, lambda path: str(self._place(path[0], name)), text)

    def _place(self, path: str, name: str) -> Path:
        """The path of a service's folder on this machine."""
        if path == "/app":
            return self._folder / "app"
        volumes = {parts[1]: parts[0] for parts in (v.split(":") for v in self._services[name].get("volumes", ()))}
        if path in volumes:
            return self._folder / "volumes" / volumes[path]
        return self._folder / name / path.strip("/").replace("/", "-")

    def _filled(self, part: Any) -> Any:
        """A value of a file with the administrator's variables substituted; an unset variable is an error."""
        if isinstance(part, Mapping):
            return {key: self._filled(value) for key, value in part.items()}
        if isinstance(part, list):
            return [self._filled(value) for value in part]
        if isinstance(part, str):
            part = re.sub(r"\$\{(\w+):-([^}]*)\}", lambda name: self._variables.get(name[1], name[2]), part)
            return re.sub(r"\$\{(\w+):\?[^}]*\}", lambda name: self._variables[name[1]], part)
        return part

    def _mount(self) -> None:
        """Put files of the administrator, which may be written later, into the dashboard's folder."""
        for volume in self._services["dashboard"]["volumes"]:
            source, target, *_ = volume.split(":")
            if source.startswith("/"):
                place = self._place("/app", "dashboard") / target.removeprefix("/app/")
                place.symlink_to(source)


@contextmanager
def deployed(folder: Path, variables: Mapping[str, str], *files: str) -> Iterator[Deployment]:
    """The services until the block ends; none is started."""
    made = Deployment(folder, variables, *files)
    try:
        yield made
    finally:
        made.end()


def _merge(into: dict[str, Any], parts: Mapping[str, Any]) -> None:
    """Change a service as a second file does: lists grow, everything else is replaced."""
    for key, value in parts.items():
        into[key] = [*into.get(key, ()), *value] if isinstance(value, list) else value


def _copy_program(place: Path) -> None:
    """Copy the program as the image contains it."""
    left_out = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]

    def ignored(folder: str, names: list[str]) -> list[str]:
        inside = Path(folder).relative_to(ROOT)
        return [name for name in names if any(_fits(inside / name, pattern) for pattern in left_out)]

    shutil.copytree(ROOT, place, ignore=ignored)


def _fits(path: Path, pattern: str) -> bool:
    anywhere = pattern.removeprefix("**/")
    return fnmatch(path.name, anywhere) if anywhere != pattern else fnmatch(str(path), pattern)
