"""Builds the C++ half of the package with CMake, from the project that this folder is part of."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parents[1]
HEADER = ROOT / "include/billow/billow.h"
if not HEADER.exists():
    sys.exit(f"expected the sources of Billow round {Path(__file__).parent}, found no {HEADER}")


def version() -> str:
    """That of the public header, its only home."""
    return ".".join(re.findall(r"#define BILLOW_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", HEADER.read_text()))


class CMakeBuild(build_ext):
    """Configures, builds, and puts the module where setuptools wants it."""

    def build_extension(self, ext: Extension) -> None:
        folder = Path(self.build_temp).resolve() / "cmake"
        options = [
            "-DCMAKE_BUILD_TYPE=Release",
            "-DBILLOW_BUILD_PYTHON=ON",
            f"-DPython_EXECUTABLE={sys.executable}",
        ]
        options += [f"-DBILLOW_BUILD_{part}=OFF" for part in ("TESTS", "TOOLS", "OFFLINE")]
        if shutil.which("ninja"):
            options.append("-GNinja")
        try:  # a pybind11 of pip, where there is one
            import pybind11

            options.append(f"-Dpybind11_DIR={pybind11.get_cmake_dir()}")
        except ImportError:
            pass
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, *options], check=True)
        jobs = str(self.parallel or os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", folder, "--target", "billow_python", "-j", jobs], check=True)
        (built,) = (folder / "python/billow").glob("_core.*.so")
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(built, target)


setup(version=version(), ext_modules=[Extension("billow._core", [])], cmdclass={"build_ext": CMakeBuild})
