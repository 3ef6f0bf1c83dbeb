"""Builds the package, including the small program that reads graphs and predicts, so that nothing else needs to be installed. This
needs a clone of Highwater, CMake, a C++20 compiler and the headers of three libraries. Without CMake or a compiler, the package uses
the highwater-cli of an installed Highwater; missing headers are reported in one line."""

import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.bdist_wheel import bdist_wheel

SOURCE = Path(__file__).resolve().parent.parent.parent
HEADERS = {"nlohmann/json.hpp": "nlohmann-json3-dev", "fmt/format.h": "libfmt-dev", "CLI/CLI.hpp": "libcli11-dev"}


def can_build() -> bool:
    tools = shutil.which("cmake") and (shutil.which(os.environ.get("CXX", "c++")) or shutil.which("g++"))
    return bool(tools) and (SOURCE / "CMakeLists.txt").is_file() and not os.environ.get("HIGHWATER_WITHOUT_PROGRAM")


def folder_of_headers() -> str:
    folder = os.environ.get("HIGHWATER_HEADERS") or "/usr/include"
    missing = {header: package for header, package in HEADERS.items() if not (Path(folder) / header).is_file()}
    if missing:
        raise SystemExit(f"highwatermark: {folder} lacks {', '.join(missing)} (Debian: apt install {' '.join(missing.values())}); "
                         f"HIGHWATER_HEADERS names another folder, and with HIGHWATER_WITHOUT_PROGRAM=1 the package is built "
                         f"without its program")
    return folder


class BuildWithProgram(build_py):
    def run(self) -> None:
        shutil.rmtree(self.build_lib, ignore_errors=True)  # what an earlier version had would be packed too
        if not can_build():
            return super().run()
        headers = folder_of_headers()
        super().run()
        # Within the clone, where a compiler cache finds what an earlier build compiled.
        with tempfile.TemporaryDirectory(prefix="program-", dir=Path(self.build_lib).parent) as folder:
            for command in (["cmake", "-S", str(SOURCE), "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DHIGHWATER_WHEEL=ON",
                             f"-DHIGHWATER_HEADERS={headers}"],
                            ["cmake", "--build", folder, "--parallel", str(os.cpu_count() or 1),
                             "--target", "highwater-cli", "highwater-cudnn", "highwater_pretend"],
                            ["cmake", "--install", folder, "--prefix", str(Path(self.build_lib).resolve()), "--component",
                             "wheel", "--strip"]):
                subprocess.run(command, check=True)
        notices = Path(self.build_lib) / "highwatermark/share/highwater/libraries"
        notices.mkdir(parents=True, exist_ok=True)
        for package in HEADERS.values():  # compiled into the program
            notice = Path("/usr/share/doc") / package / "copyright"
            if headers == "/usr/include" and notice.is_file():
                shutil.copyfile(notice, notices / package)


def platform_tag(programs: Path) -> str:
    """The programs' only system dependency is the C library: glibc of the newest version that they name, or newer."""
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    named = [int(version) for file in programs.rglob("*") if file.is_file() and file.suffix != ".py"
             for version in re.findall(rb"GLIBC_2\.(\d+)\0", file.read_bytes())]
    return system.replace("linux", f"manylinux_2_{max(named)}") if named else system


class WheelOfAProgram(bdist_wheel):
    """A wheel for any Python 3 on this platform."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = not can_build()

    def get_tag(self) -> tuple:
        if not can_build():
            return "py3", "none", "any"
        return "py3", "none", platform_tag(Path(self.distribution.get_command_obj("build_py").build_lib) / "highwatermark/bin")


class MaybeBinary(Distribution):
    def has_ext_modules(self) -> bool:
        return can_build()


setup(cmdclass={"build_py": BuildWithProgram, "bdist_wheel": WheelOfAProgram}, distclass=MaybeBinary)
