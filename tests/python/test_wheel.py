"""What pip builds of packaging/python where something is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "packaging/python"
setuptools = pytest.importorskip("setuptools")
if tuple(map(int, setuptools.__version__.split(".")[:2])) < (77, 0):
    pytest.skip("setuptools 77 or newer is needed", allow_module_level=True)


def build(folder: Path, **environment: str) -> subprocess.CompletedProcess:
    """As pip does, of a copy in a clone that has nothing else."""
    copy = folder / "clone/packaging/python"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    for stale in ("lib", "lib.linux-x86_64-cpython-311"):  # where setuptools keeps what it packs
        (copy / "build" / stale / "highwatermark").mkdir(parents=True)
        (copy / "build" / stale / "highwatermark/removed.py").touch()
    (folder / "clone/CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\n")
    return subprocess.run([sys.executable, "setup.py", "-q", "bdist_wheel", "-d", str(folder)], cwd=copy, capture_output=True,
                          text=True, env={**os.environ, **environment})


def tool(folder: Path, name: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("#!/bin/sh\nexit 1\n")
    (folder / name).chmod(0o755)


def expect_without_program(folder: Path, done: subprocess.CompletedProcess) -> None:
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    version = (PACKAGE.parents[1] / "VERSION").read_text().strip()
    assert wheel.name == f"highwatermark-{version}-py3-none-any.whl"
    names = zipfile.ZipFile(wheel).namelist()
    assert "highwatermark/network.py" in names and "highwatermark/removed.py" not in names and not any(name.startswith("highwatermark/bin") for name in names)


def test_missing_headers_are_one_line(tmp_path):
    for name in ("cmake", "c++"):
        tool(tmp_path / "tools", name)
    (tmp_path / "headers/fmt").mkdir(parents=True)
    (tmp_path / "headers/fmt/format.h").touch()
    done = build(tmp_path, PATH=f"{tmp_path / 'tools'}:{os.environ['PATH']}", HIGHWATER_HEADERS=str(tmp_path / "headers"))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"highwatermark: {tmp_path / 'headers'} lacks nlohmann/json.hpp, CLI/CLI.hpp (Debian: apt install nlohmann-json3-dev "
        f"libcli11-dev); HIGHWATER_HEADERS names another folder, and with HIGHWATER_WITHOUT_PROGRAM=1 the package is built "
        f"without its program")
    assert not list(tmp_path.glob("*.whl"))


def test_without_cmake_the_package_has_no_program(tmp_path):
    (tmp_path / "tools").mkdir()
    expect_without_program(tmp_path, build(tmp_path, PATH=str(tmp_path / "tools")))


def test_the_program_can_be_left_out(tmp_path):
    expect_without_program(tmp_path, build(tmp_path, HIGHWATER_WITHOUT_PROGRAM="1"))
