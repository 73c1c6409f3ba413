"""The program as a whole: help, version, usage, start-up, colours."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time

import pytest

MOST_SECONDS = 0.5
COMMANDS = ("demo", "sql", "tables", "views", "create", "append", "refresh", "explain", "verify", "history", "states")
HEAVY = ("pyspark", "deltalake", "pyarrow", "pandas", "sqlglot", "numpy", "headwater.api", "headwater.bench.cli")


def headwater(*arguments, **environment):
    """The command line in a process of its own."""
    command = [sys.executable, "-m", "headwater.cli.main", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=60)


def test_alone_it_prints_help(run):
    result = run()
    assert result.exit_code == 0
    for command in (*COMMANDS, "bench"):
        assert re.search(rf"^  {command} ", result.stdout, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_in_a_line_and_takes_json(run, command):
    summary = next(line for line in run().stdout.splitlines() if line.startswith(f"  {command} "))
    assert not summary.endswith("...")
    shown = run(command, "--help").stdout
    assert "--json" in shown
    assert "--warehouse" in shown


def test_version(run):
    from headwater import __version__

    assert run("--version").stdout == f"headwater {__version__}\n"


@pytest.mark.parametrize("arguments", [["nothing"], ["views", "--nothing"], ["sql", "q", "--limit", "-1"]])
def test_wrong_usage_leaves_with_2(run, arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "--help" in result.stderr


def test_start_up_is_quick():
    def seconds() -> float:
        started = time.perf_counter()
        assert headwater("--help").returncode == 0
        return time.perf_counter() - started

    assert min(seconds() for _ in range(5)) < MOST_SECONDS


def test_start_up_imports_nothing_heavy():
    program = f"import sys, headwater.cli.main; print([name for name in {HEAVY!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_pipe_gets_no_colour_and_whole_lines(tmp_path):
    missing = "m" * 300
    result = headwater("views", "--warehouse", str(tmp_path / missing[:200] / "n"))
    assert result.returncode == 1
    assert "\x1b" not in result.stderr
    assert result.stderr.count("\n") == 1


def test_colour_is_shown_where_it_is_forced_and_no_color_wins(tmp_path):
    coloured = headwater("views", "-w", str(tmp_path / "n"), FORCE_COLOR="1", TERM="xterm-256color")
    assert "\x1b[1;31m" in coloured.stderr
    plain = headwater("views", "-w", str(tmp_path / "n"), FORCE_COLOR="1", TERM="xterm-256color", NO_COLOR="1")
    assert not re.search(r"\x1b\[[\d;]*3\dm", plain.stderr)


def test_completion_is_offered():
    # Without a shell among the parents, as in a background job, there is none to detect.
    shown = headwater("--show-completion", "bash", SHELL="/bin/bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert "headwater" in shown.stdout + shown.stderr
