"""The command's tree and its outermost frame: arguments in, exit code out, no traceback."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from workbench.cli import (
    administration,
    alerts,
    boards,
    docs,
    doctor,
    download,
    login,
    lookups,
    profiles,
    search,
    serve,
    tasks,
    tools,
)
from workbench.cli.failures import ExitCode, Failure, WrongUse, explain
from workbench.cli.output import is_terminal, put, say
from workbench.cli.session import Choice, DataOption, ProfileOption

NO_TERMINAL = (
    "`workbench` alone opens the terminal UI, and this is not a terminal. Open it in one, or use a command: "
    "try `workbench --profile sample search software`, `workbench local import FILE`, `workbench docs`, or `workbench --help`."
)


class _ReaderGone(Failure):
    """Whoever read our output has closed it, as ``| head`` does; there is nothing to say and nobody to say it to."""


class _Verbs(TyperGroup):
    """The root of the tree. typer answers a closed pipe with exit code 1, which here would mean that the service refused."""

    def make_context(self, *args: Any, **options: Any) -> Any:
        with _noticing_a_closed_pipe():
            return super().make_context(*args, **options)

    def invoke(self, ctx: Any) -> Any:
        with _noticing_a_closed_pipe():
            return super().invoke(ctx)


@contextmanager
def _noticing_a_closed_pipe() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as closed:
        raise _ReaderGone("", ExitCode.PIPE_CLOSED) from closed


app = typer.Typer(
    name="workbench",
    cls=_Verbs,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        put(f"workbench {version('tender-workbench')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def open_workbench(
    context: typer.Context,
    profile: ProfileOption = None,
    data: DataOption = None,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """A workbench for public-procurement analysts. Without a command it opens the terminal UI."""
    context.obj = Choice(profile, data)
    if context.invoked_subcommand is not None:
        return
    if not (sys.stdin.isatty() and is_terminal()):
        raise WrongUse(NO_TERMINAL)
    from workbench.tui import run as run_terminal

    raise typer.Exit(run_terminal(profile, data=data))


search.register(app)
lookups.register(app)
download.register(app)
alerts.register(app)
boards.register(app)
tasks.register(app)
login.register(app)
profiles.register(app)
doctor.register(app)
tools.register(app)
serve.register(app)
administration.register(app)
docs.register(app)


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command line and give its exit code; every failure becomes one sentence on standard error."""
    for stream in (sys.stdout, sys.stderr):
        # A character that the terminal's encoding lacks is shown as a question mark instead of ending the command.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    command = typer.main.get_command(app)
    try:
        code = command.main(args=None if argv is None else list(argv), prog_name="workbench", standalone_mode=False)
        sys.stdout.flush()
    except (_ReaderGone, BrokenPipeError):
        return _leave_quietly()
    except TyperException as wrong:
        return _refuse(wrong)
    except typer.Abort:
        say("Stopped; nothing was changed.")
        return ExitCode.INTERRUPTED
    except Exception as error:  # noqa: BLE001 (the outermost frame: whatever it is becomes a sentence)
        return _tell(error)
    return code if isinstance(code, int) else ExitCode.OK


def _tell(error: Exception) -> int:
    code, sentence = explain(error)
    say(sentence)
    return code


def _refuse(wrong: TyperException) -> int:
    wrong.show()  # type: ignore[attr-defined]  # every exception that typer raises for a person can show itself
    return getattr(wrong, "exit_code", ExitCode.USAGE)


def _leave_quietly() -> int:
    # What is still in Python's buffer would be written at exit and fail once more, loudly.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.PIPE_CLOSED
