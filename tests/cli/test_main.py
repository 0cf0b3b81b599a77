"""The entry point: version, help, usage errors, and what happens without the extra."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest


def test_version(rankmeld):
    done = rankmeld("--version")
    assert (done.code, done.out.split()) == (0, ["rankmeld", version("rankmeld")])


def test_help_names_the_commands(rankmeld):
    done = rankmeld("--help")
    assert done.code == 0
    assert all(word in done.out for word in ("index", "search", "info"))


@pytest.mark.parametrize("command", [[], ["index"], ["search"], ["info"]])
def test_flags_take_no_value(rankmeld, command):
    done = rankmeld(*command, "--help", COLUMNS="200")
    assert done.code == 0
    assert "--help" in done.out
    assert "bool" not in done.out


def test_it_runs_as_a_module(rankmeld):
    done = subprocess.run(
        [sys.executable, "-m", "rankmeld", "search", "--help"],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout == rankmeld("search", "--help").out


@pytest.mark.parametrize(
    "arguments", [["seek"], ["search", "x"], ["search", "--db", "t.db"], ["index", "--db", "t.db"]]
)
def test_usage_errors_exit_with_2_and_no_traceback(rankmeld, arguments):
    done = rankmeld(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err
    assert "Traceback" not in done.err


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", timeout=60, check=False
    )


@pytest.mark.parametrize("absent", ["typer", "rich"])
def test_without_the_extra_it_says_what_to_install(absent):
    code = (
        f"import sys; sys.modules[{absent!r}] = None; sys.argv = ['rankmeld', '--version']\n"
        "import rankmeld.cli as c; c.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    assert done.returncode == 2
    assert 'pip install "rankmeld[cli]"' in done.stderr
    assert "Traceback" not in done.stderr


def test_another_missing_module_is_not_blamed_on_the_extra():
    code = "import sys; sys.modules['rankmeld.stores'] = None; import rankmeld.cli as c; c.main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    assert "rankmeld.stores" in done.stderr
    assert "pip install" not in done.stderr


def test_the_library_does_not_import_the_extra():
    code = "import rankmeld, sys; sys.exit('typer' in sys.modules or 'rich' in sys.modules)"
    assert run(code).returncode == 0


def test_what_nobody_expected_is_a_sentence_too(capsys):
    import typer

    from rankmeld.cli.errors import reported

    with pytest.raises(typer.Exit) as stopped, reported(debug=False):
        raise ZeroDivisionError("by [red]zero")
    assert stopped.value.exit_code == 2
    assert "ZeroDivisionError: by [red]zero" in capsys.readouterr().err
