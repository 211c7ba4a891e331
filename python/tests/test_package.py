"""The package as its users see it: documents, examples, types."""

from __future__ import annotations

import inspect
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import billow
from billow import _core
from conftest import ROOT, program

EXAMPLES = ROOT / "python/examples"


def public(owner: object) -> dict[str, object]:
    return {name: value for name, value in vars(owner).items() if not name.startswith("_")}


def test_everything_public_says_what_it_is() -> None:
    for name in billow.__all__:
        thing = getattr(billow, name)
        assert inspect.getdoc(thing), name
        for member, value in public(thing).items() if isinstance(thing, type) else ():
            if isinstance(value, (property, classmethod, staticmethod)) or inspect.isfunction(value):
                assert inspect.getdoc(getattr(thing, member)), f"{name}.{member} says nothing"
                function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
                assert "return" in function.__annotations__, f"{name}.{member} has no types"


def test_stubs_are_those_of_the_module() -> None:
    stubs = (Path(billow.__file__).parent / "_core.pyi").read_text()
    top = set(re.findall(r"^(?:def|class) (\w+)", stubs, re.M))
    assert top == set(public(_core))
    for kind in re.findall(r"^class (\w+)", stubs, re.M):
        block = re.search(rf"^class {kind}:\n((?:    .*\n|\n)+)", stubs, re.M).group(1)
        methods = {name for name in re.findall(r"def (\w+)\(", block) if name != "__init__"}
        assert methods == set(public(getattr(_core, kind))), kind
    assert (Path(billow.__file__).parent / "py.typed").exists()


def test_private_half_refuses_what_would_reach_wrong_memory(cape: billow.Garment) -> None:
    import numpy as np

    core = billow.Instance(cape)._core
    for joints in (
        np.zeros((22, 6), np.float32),
        np.zeros((22, 7)),
        np.zeros((7, 22), np.float32).T,
        np.zeros(22, np.float32),
    ):
        with pytest.raises(TypeError, match="call it through the package"):
            core.step(0.1, joints, 1.0, None, None, 0, False, [])
    for settings in (b"", b"x" * 7):
        with pytest.raises(TypeError, match="bytes of a struct"):
            core.set_options(settings)


def test_quick_start_of_the_document() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/python.md").read_text(), re.S)
    assert len(blocks) >= 3
    assert len(blocks[0].strip().splitlines()) <= 10
    names: dict[str, object] = {}
    for block in blocks:  # each goes on where the one before has ended
        exec(compile(block, "docs/python.md", "exec"), names)


def test_a_motion_is_dressed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "argv", ["dress_a_motion.py", "--seconds", "0.5", "--table"])
    runpy.run_path(str(EXAMPLES / "dress_a_motion.py"), run_name="__main__")
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if re.match(r"\s*\d", line)]
    assert len(rows) >= 2 and all(0 < float(row[1]) < 10 for row in rows)
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
    picture = tmp_path / "strain.png"
    monkeypatch.setattr(sys, "argv", ["dress_a_motion.py", "--seconds", "0.2", "-o", str(picture)])
    runpy.run_path(str(EXAMPLES / "dress_a_motion.py"), run_name="__main__")
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_training_says_what_it_would_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BILLOW", program("billow"))
    monkeypatch.setattr(sys, "argv", ["train_from_a_notebook.py", "--dry-run"])
    runpy.run_path(str(EXAMPLES / "train_from_a_notebook.py"), run_name="__main__")
    out = capsys.readouterr().out
    for step in ("simulate", "train", "pack", "evaluate"):
        assert f"billow {step}" in out


def test_tensors_in_and_out(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="torch is not installed for Python")
    monkeypatch.setattr(sys, "argv", ["torch_in_and_out.py"])
    runpy.run_path(str(EXAMPLES / "torch_in_and_out.py"), run_name="__main__")
    assert "gradient" in capsys.readouterr().out
