"""Writing files whole or not at all."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from deciduous.errors import DataError
from deciduous.files import write_whole

TEXT = "树\r\nline\n"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_text_is_written_as_it_is(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.json", TEXT)
    assert (tmp_path / "a.json").read_bytes() == TEXT.encode()
    write_whole(str(tmp_path / "a.json"), "shorter")
    assert (tmp_path / "a.json").read_text() == "shorter"
    assert os.listdir(tmp_path) == ["a.json"]


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_a_new_file_has_the_usual_permissions(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "new", TEXT)
        assert os.umask(umask) == umask
    finally:
        os.umask(before)
    assert mode(tmp_path / "new") == 0o666 & ~umask


@pytest.mark.parametrize("permissions", [0o600, 0o664])
def test_a_file_keeps_its_permissions(tmp_path: Path, permissions: int) -> None:
    path = tmp_path / "old"
    path.write_text("old")
    path.chmod(permissions)
    write_whole(path, TEXT)
    assert mode(path) == permissions
    assert path.read_bytes() == TEXT.encode()


def test_when_writing_fails_the_old_file_stays_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "a lone surrogate \ud800")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["old"]


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_keeps_pointing_at_its_file(tmp_path: Path, exists: bool) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    if exists:
        target.write_text("old")
    link.symlink_to(target)
    write_whole(link, TEXT)
    assert link.is_symlink()
    assert target.read_bytes() == TEXT.encode()


def test_long_chinese_names(tmp_path: Path) -> None:
    path = tmp_path / ("西瓜" * 40)
    write_whole(path, TEXT)
    assert path.read_bytes() == TEXT.encode()


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("", "it is a folder; give a file name"),
        ("absent/a.json", r"absent/a\.json': No such file or directory"),
        ("file/a.json", "cannot write"),
    ],
)
def test_places_that_cannot_be_written(tmp_path: Path, place: str, message: str) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(DataError, match=message):
        write_whole(tmp_path / place, TEXT)
    assert os.listdir(tmp_path) == ["file"]


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot write"):
        write_whole(tmp_path / ("a" * 300), TEXT)


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")
def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, TEXT)
    reader.join(timeout=10)
    assert read == [TEXT.encode()]
    assert pipe.is_fifo()


def run(code: str, **options: object) -> "subprocess.CompletedProcess[bytes]":
    paths = os.pathsep.join(path for path in sys.path if path)
    code = f"from deciduous.files import write_whole\n{code}"
    environment = os.environ | {"PYTHONPATH": paths}
    return subprocess.run([sys.executable, "-c", code], env=environment, check=True, **options)  # type: ignore


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="needs /dev/stdout")
def test_standard_output_that_is_a_pipe() -> None:
    assert run("write_whole('/dev/stdout', 'whole')", stdout=subprocess.PIPE).stdout == b"whole"


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="needs /dev/stdout")
def test_standard_output_that_is_a_file(tmp_path: Path) -> None:
    with open(tmp_path / "out", "w") as file:
        run("write_whole('/dev/stdout', 'whole\\n'); print('after')", stdout=file)
    assert (tmp_path / "out").read_text().splitlines() == ["whole", "after"]


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="needs /dev/null")
def test_the_null_device_stays_one() -> None:
    write_whole("/dev/null", TEXT)
    assert not Path("/dev/null").is_file()
