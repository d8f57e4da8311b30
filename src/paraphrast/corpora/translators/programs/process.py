"""Programs that translate: a chain of them that stays alive, and groups that end as one.

Programs are run without a shell. The output of the last program of a chain is ours alone, so its
end is seen at once whichever program dies, because each of the others ends when it has nothing more
to read.
"""

from __future__ import annotations

import os
import select
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO

from paraphrast.corpora.translators.secrets import without_secrets
from paraphrast.errors import ConfigError

_CHUNK = 1 << 16
_LAST = 2000  # bytes of the error stream that are kept


class Stopped(Exception):
    """No answer to a message; those before it have theirs."""

    def __init__(self, answers: list[bytes], *, hung: bool, detail: str) -> None:
        super().__init__(detail)
        self.answers, self.hung, self.detail = answers, hung, detail


class ProcessGroup:
    """Programs that end when this process ends, even if it is killed while they are busy.

    A shell leads their process group. It waits for the end of a pipe that this process alone holds
    open, and then kills the group: the programs, what they have started, and itself.
    """

    def __init__(self) -> None:
        self._leader = subprocess.Popen(
            ["/bin/sh", "-c", "read -r _; kill -KILL 0"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
        self._programs: list[subprocess.Popen[bytes]] = []

    def start(
        self,
        command: Sequence[str],
        *,
        stdin: int | IO[bytes] | None,
        stderr: int,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a program whose output is read through a pipe; ConfigError if it cannot be run."""
        try:
            program = subprocess.Popen(  # noqa: S603  (the recipe's own command, without a shell)
                list(command),
                bufsize=0,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=env,
                process_group=self._leader.pid,
            )
        except OSError as error:
            raise ConfigError(f"cannot run {command[0]}: {error.strerror or error}") from error
        self._programs.append(program)
        return program

    def kill(self) -> None:
        """End all programs with what they have started, wait for them, and close their pipes."""
        if self._leader.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._leader.pid, signal.SIGKILL)
        for process in (*self._programs, self._leader):
            process.wait()
            for file in (process.stdin, process.stdout, process.stderr):
                if file is not None:
                    with suppress(OSError):
                        file.close()


class LivePrograms:
    """Programs, each reading what the one before writes; `end` ends a message and an answer."""

    def __init__(
        self,
        commands: Sequence[Sequence[str]],
        *,
        end: bytes,
        timeout: float,
        env: Mapping[str, str] | None = None,
        merged: bool = False,
        secrets: Sequence[str] = (),
    ) -> None:
        """Start the programs; `merged` puts what they say to the error stream into the answers.

        `secrets` are environment variables of which what they say shall not be shown.
        """
        self._end, self._timeout, self._secrets = end, timeout, secrets
        self._rest = b""
        self._errors = bytearray()
        self._processes: list[subprocess.Popen[bytes]] = []
        ours, theirs = os.pipe()
        stderr = subprocess.STDOUT if merged else theirs
        self._stderr = os.fdopen(ours, "rb", 0)
        self._group = ProcessGroup()
        try:
            for command in commands:
                before = self._processes[-1].stdout if self._processes else subprocess.PIPE
                program = self._group.start(command, stdin=before, stderr=stderr, env=env)
                self._processes.append(program)
                if not isinstance(before, int) and before is not None:
                    before.close()  # or a program would never see the end of the one after it
        except BaseException:
            self.kill()
            raise
        finally:
            os.close(theirs)
        for file in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(file.fileno(), False)

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._processes]

    @property
    def _stdin(self) -> IO[bytes]:
        file = self._processes[0].stdin
        assert file is not None
        return file

    @property
    def _stdout(self) -> IO[bytes]:
        file = self._processes[-1].stdout
        assert file is not None
        return file

    def surplus(self, *, wait: float = 0.0) -> bytes:
        """Return what was written beyond the answers, as far as it comes within `wait` seconds."""
        if not self._rest and wait:
            select.select([self._stdout], [], [], wait)
        with suppress(BlockingIOError):
            self._rest += os.read(self._stdout.fileno(), _CHUNK)
        return self._rest

    def ask(self, messages: Sequence[bytes]) -> list[bytes]:
        """Return an answer to each message; `timeout` runs anew with each.

        Messages are written while answers are read, so none waits for the other and several
        programs work at once.
        """
        pending = memoryview(b"".join(message + self._end for message in messages))
        answers: list[bytes] = []
        deadline = time.monotonic() + self._timeout
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdin, selectors.EVENT_WRITE)
            selector.register(self._stdout, selectors.EVENT_READ)
            selector.register(self._stderr, selectors.EVENT_READ)
            while len(answers) < len(messages):
                ready = selector.select(max(0.0, deadline - time.monotonic()))
                if not ready:
                    raise self._stopped(answers, hung=True)
                for key, _ in ready:
                    if key.fileobj is self._stdin:
                        pending = self._write(pending)
                        if not pending:
                            selector.unregister(self._stdin)
                    elif key.fileobj is self._stderr:
                        if not self._read_errors():
                            selector.unregister(self._stderr)
                    elif new := self._read_answers():
                        answers += new
                        deadline = time.monotonic() + self._timeout
                    elif new is None:
                        raise self._stopped(answers, hung=False)
        if answers[len(messages) :]:  # more than was asked for
            self._rest = self._end.join([*answers[len(messages) :], self._rest])
        return answers[: len(messages)]

    def _write(self, pending: memoryview) -> memoryview:
        try:
            return pending[os.write(self._stdin.fileno(), pending[:_CHUNK]) :]
        except BlockingIOError:
            return pending
        except BrokenPipeError:
            return pending[len(pending) :]  # the end of its output tells the rest

    def _read_answers(self) -> list[bytes] | None:
        """Return the answers that are complete now; None at the end of the output."""
        try:
            chunk = os.read(self._stdout.fileno(), _CHUNK)
        except BlockingIOError:
            return []
        if not chunk:
            return None
        *complete, self._rest = (self._rest + chunk).split(self._end)
        return complete

    def _read_errors(self) -> bool:
        try:
            chunk = os.read(self._stderr.fileno(), _CHUNK)
        except BlockingIOError:
            return True
        self._errors += chunk
        del self._errors[:-_LAST]
        return bool(chunk)

    def _stopped(self, answers: list[bytes], *, hung: bool) -> Stopped:
        if hung:
            why = f"no answer within {self._timeout:g} s"
        else:
            first = next((p for p in self._processes if _status(p)), self._processes[-1])
            why = f"{os.path.basename(str(first.args[0]))} ended with status {_status(first)}"  # type: ignore[index]
        with suppress(OSError, ValueError):
            self._read_errors()
        return Stopped(
            answers, hung=hung, detail=with_errors(why, bytes(self._errors), self._secrets)
        )

    def kill(self) -> None:
        """End all programs and what they have started."""
        self._group.kill()
        self._stderr.close()


def _status(process: subprocess.Popen[bytes]) -> int | None:
    """Return the exit status of a program that is about to end, or has."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(0.2)
    return process.returncode


def with_errors(why: str, errors: bytes, secrets: Sequence[str] = ()) -> str:
    """Return a reason with the last lines of an error stream; `secrets` are variables to hide."""
    shown = without_secrets(errors.decode(errors="replace"), secrets)
    lines = shown.strip().splitlines()[-3:]
    return "; ".join([why, *(line.strip()[:300] for line in lines)])
