"""The application, and what a user sees when something goes wrong: one line on stderr, never a traceback."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Sequence
from contextvars import ContextVar
from importlib import import_module
from typing import Annotated, Any

import typer

from deciduous.cli.spelling import as_typed
from deciduous.elsewhere import parameter_hint
from deciduous.errors import DataWarning
from deciduous.language import LANGUAGES, checked, of_environment, speaking, spoken, translate, translate_filled
from deciduous.textgrid import WIDTH, one_line, wrapped

#: The exit code after Ctrl-C.
INTERRUPTED = 130
#: The files of the sub-commands, in the order of the help.
COMMANDS = (
    "datasets",
    "draw",
    "evaluate",
    "explain",
    "fit",
    "importance",
    "measure",
    "predict",
    "prune",
    "report",
    "rules",
    "show",
    "worksheet",
)

app = typer.Typer(
    name="deciduous",
    help="Decision trees on your own table: ID3, C4.5 and CART, with every figure in reach.",
    epilog="Example:  deciduous fit loan.csv --target Class --algorithm id3 --save loan.json",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


#: What was typed, and what was said on the error output; of the command that runs.
_typed: ContextVar[tuple[str, ...]] = ContextVar("typed", default=())
_said: ContextVar[set[str]] = ContextVar("said")


def _version(wanted: bool) -> None:
    if wanted:
        from deciduous import __version__

        typer.echo(f"deciduous {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and stop.")
    ] = False,
    lang: Annotated[
        str | None, typer.Option("--lang", help="The language: en or zh; by default what the locale says.")
    ] = None,
) -> None:
    """Decision trees on your own table: ID3, C4.5 and CART, with every figure in reach."""
    if lang is not None:
        checked(lang)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0, 2 for a mistake of the user, 130 when interrupted."""
    given = _language_first(list(sys.argv[1:] if arguments is None else arguments))
    asked = given[1] if given[:1] == ["--lang"] and len(given) > 1 else ""
    _said.set(set())
    _typed.set(tuple(given))
    with speaking(asked if asked in LANGUAGES else of_environment()):
        return _in_language(given)


def _language_first(given: list[str]) -> list[str]:
    """Return the arguments with `--lang` and its value, wherever they stand, before all others."""
    for i, argument in enumerate(given):
        if argument == "--":
            break
        if argument.startswith("--lang="):
            return ["--lang", argument.removeprefix("--lang="), *given[:i], *given[i + 1 :]]
        if argument == "--lang" and i + 1 < len(given):
            return ["--lang", given[i + 1], *given[:i], *given[i + 2 :]]
    return given


def _in_language(arguments: list[str]) -> int:
    _register()
    for stream in (sys.stdout, sys.stderr):  # either may be None, where the caller closed it
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(
                errors="backslashreplace"
            )  # a terminal without Chinese shows the code, and does not fail
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", DataWarning)
        warnings.simplefilter("default", RuntimeWarning)
        warnings.showwarning = _show_note
        return _run(arguments)


def _run(arguments: list[str]) -> int:
    try:
        command = typer.main.get_command(app)
        _translate_help(command)
        result = command(args=arguments, standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        if result == INTERRUPTED:  # newer versions of typer turn the interrupt into a code themselves
            return _complain("interrupted; nothing was written", INTERRUPTED)
        return result if isinstance(result, int) else 0
    except BrokenPipeError:
        return _pipe_closed()
    except SystemExit as leaving:
        # Newer versions of typer handle a closed pipe themselves, by leaving with code 1.
        return _pipe_closed() if leaving.code == 1 else int(leaving.code or 0)
    except KeyboardInterrupt:
        return _complain("interrupted; nothing was written", INTERRUPTED)
    except MemoryError:
        return _complain("the table does not fit in memory")
    except RecursionError:
        return _complain("the input is nested too deeply")
    except (ValueError, TypeError, OSError) as error:  # ours, and those of the libraries that read data
        return _complain(_one_line(error))
    except (
        Exception
    ) as error:  # typer's own exceptions differ between its versions; all that show a message have this method
        if type(error).__name__ == "Abort":
            return _complain("interrupted; nothing was written", INTERRUPTED)
        if not hasattr(error, "format_message"):
            raise
        option = str(getattr(error, "option_name", "")).lstrip("-").replace("-", "_")
        elsewhere = parameter_hint(option, ())
        message = _misused(error, arguments) + (elsewhere and "." + elsewhere)
        return _complain(message, hint=_help_hint(error))


def _misused(error: Any, arguments: Sequence[str]) -> str:
    """Return what typer complains about; a missing option with what it takes, a number that is none with what it is."""
    message, parameter = str(error.format_message()), getattr(error, "param", None)
    option = next(iter(getattr(parameter, "opts", ())), "")
    if parameter is not None and type(error).__name__ == "MissingParameter" and option.startswith("--"):
        return f"Missing option {option!r}: {parameter.help}"
    if type(error).__name__ == "BadParameter" and re.search(r"\b(number|float|integer)\b", message):
        given = [*arguments, ""]
        value = next((given[i + 1] for i, word in enumerate(given[:-1]) if word == option), None)
        value = next((word.partition("=")[2] for word in given if word.startswith(f"{option}=")), value)
        if value is not None:
            whole = "integer" in message
            return f"{option} {value!r} must be a whole number." if whole else f"{option} {value!r} must be a number."
    return message


def _pipe_closed() -> int:
    """Leave quietly, as a reader that has seen enough expects."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so that Python's last flush does not complain
    return 0


def _help_hint(error: Any) -> str:
    context = getattr(error, "ctx", None)
    return "" if context is None else translate(" (see: {command})").format(command=f"{context.command_path} --help")


def _translate_help(command: Any) -> None:
    """Put the help of a command, its options and sub-commands into the language spoken."""
    if spoken() == "en":
        return
    for thing in (command, *command.params):
        if getattr(thing, "help", None):
            thing.help = translate(" ".join(thing.help.split()))
    if command.help:
        command.short_help = re.split("(?<=。)", command.help)[0]  # as the help of English stops at the first sentence
    plain = command.get_help
    command.get_help = lambda context: _with_headings(plain(_wide(context)))
    for sub_command in getattr(command, "commands", {}).values():
        _translate_help(sub_command)


def _wide(context: Any) -> Any:
    """Return a context whose help is not broken into lines: what breaks them counts letters, and not their cells."""
    context.terminal_width = 10_000
    return context


#: What stands in the help beside the texts of the options.
HEADINGS = ("Usage:", "Arguments:", "Options:", "Commands:", "Example:", "[OPTIONS]", "COMMAND [ARGS]...")
WORDS = (*HEADINGS, "Show this message and exit.", "[required]")


def _with_headings(text: str) -> str:
    """Return the help with its headings and marks in the language spoken."""
    for word in WORDS:
        text = text.replace(word, translate(word))
    default = translate("[default: {value}]")
    text = re.sub(r"\[default: ([^\]]*)\]", lambda found: default.format(value=found[1]), text)
    return "\n".join(line for long in text.split("\n") for line in _broken(long))


def _broken(line: str) -> list[str]:
    """Return a line of the help in lines that fit a terminal."""
    begin = re.match(r" *(\S+( \S+)* {2,})?", line)
    return wrapped(line, WIDTH, " " * (0 if begin is None else begin.end()))


def _complain(message: str, code: int = 2, hint: str = "") -> int:
    complain(translate("error"), _in_words(message) + hint)
    return code


def complain(what: str, text: str) -> None:
    """Print an error or a note on stderr, each once: one line, which a terminal gets in lines that fit it."""
    line = f"deciduous: {what}: {text}"
    if line in _said.get(set()):
        return
    _said.get(set()).add(line)
    if sys.stderr is not None and sys.stderr.isatty():
        line = "\n".join(wrapped(line, WIDTH, "  "))
    print(line, file=sys.stderr)


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename!r}: {error.strerror}"
    return str(error) or type(error).__name__


def _show_note(message: Any, *_: Any, **__: Any) -> None:
    complain(translate("note"), _in_words(str(message)))


def _in_words(message: str) -> str:
    """Return an error or a note in one line, in the language spoken, with options as they are typed."""
    return one_line(as_typed(translate_filled(" ".join(message.split())), _flags()))


def _flags() -> dict[str, str]:
    """Return the flag of every option by its name in Python; `cv` is called --folds where models are judged."""
    command = typer.main.get_command(app)
    commands: dict[str, Any] = getattr(command, "commands", {})
    flags = {
        parameter.name: parameter.opts[0]
        for one in commands.values()
        for parameter in one.params
        if parameter.opts[0].startswith("--")
    }
    judges = any(word in ("evaluate", "compare") for word in _typed.get())
    if judges and not any(word.startswith("--cv") for word in _typed.get()):
        flags["cv"] = "--folds"
    return flags


def _register() -> None:
    """Import the sub-commands, which add themselves to the application."""
    for name in COMMANDS:
        import_module(f"deciduous.cli.{name}")
