"""Readers of data sets, motion bundles and garment files."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

import billow
from billow import _core
from conftest import ROOT, program

BUNDLE = ROOT / "assets/motions/captured.billowmotion"


def write_data_set(folder: Path) -> Path:
    """A data set as docs/cloth.md has it: a square of four vertices, two clips."""
    rng = np.random.default_rng(0)
    clips = []
    for index, (name, frames, usable, split) in enumerate(
        (("walk", 4, True, "ttvh"), ("fall", 2, False, "uu"))
    ):
        clip = folder / "clips" / f"{index:04d}"
        clip.mkdir(parents=True)
        checksums = {}
        for file, rows, columns in (("cloth", 4, 3), ("bones", 2, 3), ("rope", 2, 3), ("joints", 5, 7)):
            np.save(clip / f"{file}.npy", rng.normal(size=(frames, rows, columns)).astype(np.float32))
            checksums[f"{file}.npy"] = f"{_core.checksum((clip / f'{file}.npy').read_bytes()):016x}"
        clips.append(
            {"name": name, "frames": frames, "usable": usable, "split": split, "checksums": checksums}
        )
    manifest = {"format": "billow data set", "version": 1, "garment": "square", "preset": "average"}
    manifest.update(vertices=4, bones=2, simulated_bones=1, frames_per_second=30, clips=clips, chaos=[])
    (folder / "manifest.json").write_text(json.dumps(manifest))
    np.save(folder / "garment_rest.npy", np.zeros((4, 3), np.float32))
    (folder / "garment_mesh.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n"
    )
    garment = {"mesh": "garment_mesh.obj", "rest": "garment_rest.npy", "vertices": 4, "triangles": 2}
    (folder / "garment.json").write_text(json.dumps(garment))
    return folder


def test_data_set(tmp_path: Path) -> None:
    data = billow.DataSet(write_data_set(tmp_path))
    assert len(data) == 2 and data.garment == "square" and data.character == "average"
    assert [c.name for c in data] == ["walk", "fall"] and [c.name for c in data.usable] == ["walk"]
    walk = data[0]
    for array, shape in (
        (walk.cloth, (4, 4, 3)),
        (walk.bones, (4, 2, 3)),
        (walk.rope, (4, 2, 3)),
        (walk.joints, (4, 5, 7)),
    ):
        assert isinstance(array, np.memmap) and array.shape == shape and array.dtype == np.float32
    assert walk.mask("t").tolist() == [True, True, False, False] and walk.mask("vh").sum() == 2
    assert data.frames("tv").tolist() == [[0, 0], [0, 1], [0, 2]] and len(data.frames("u")) == 0
    assert data.triangles.tolist() == [[0, 1, 2], [0, 2, 3]] and data.uvs.tolist() == [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
    ]
    assert data.rest.shape == (4, 3) and data.check() == []
    assert "2 clips, 6 frames" in repr(data) and "rejected" in repr(data[1])
    with pytest.raises(billow.InvalidArgument, match="parts: expected letters of t, v, h and u, found 'x'"):
        walk.mask("x")


def change_manifest(folder: Path, change: object) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    change(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("damage", "error", "why"),
    [
        (lambda f: shutil.rmtree(f), billow.CannotRead, "manifest.json: expected a file of a data set"),
        (lambda f: (f / "manifest.json").write_text("{"), billow.BadData, "manifest.json: expected JSON"),
        (
            lambda f: (f / "manifest.json").write_text("[" * 99999),
            billow.BadData,
            "manifest.json: expected JSON",
        ),
        (lambda f: (f / "manifest.json").write_bytes(b"\xff"), billow.BadData, "expected UTF-8"),
        (
            lambda f: (f / "manifest.json").write_text("[]"),
            billow.BadData,
            "expected an object, found 'list'",
        ),
        (
            lambda f: change_manifest(f, lambda m: m.update(version=2)),
            billow.BadData,
            "version: expected 1, found 2",
        ),
        (
            lambda f: change_manifest(f, lambda m: m.pop("vertices")),
            billow.BadData,
            "vertices: expected a whole number, found None",
        ),
        (
            lambda f: change_manifest(f, lambda m: m["clips"][1].update(usable=1)),
            billow.BadData,
            r"clips\[1\].usable: expected true or false",
        ),
        (
            lambda f: change_manifest(f, lambda m: m["clips"][0].update(split="ttvx")),
            billow.BadData,
            r"clips\[0\].split: expected a letter",
        ),
        (
            lambda f: change_manifest(f, lambda m: m["clips"].append(3)),
            billow.BadData,
            r"clips\[2\]: expected an object, found 3",
        ),
        (
            lambda f: (f / "clips/0000/cloth.npy").unlink(),
            billow.CannotRead,
            "cloth.npy: expected an array of a data set",
        ),
        (
            lambda f: (f / "clips/0000/cloth.npy").write_bytes(b"text"),
            billow.BadData,
            "cloth.npy: expected a NumPy array",
        ),
        (
            lambda f: np.save(f / "clips/0000/cloth.npy", np.zeros((4, 4, 3))),
            billow.BadData,
            "expected float32 of 4 x 4 x 3, found 'float64",
        ),
        (
            lambda f: np.save(f / "clips/0000/cloth.npy", np.zeros((3, 4, 3), "f4")),
            billow.BadData,
            "found 'float32 of 3 x 4 x 3'",
        ),
        (
            lambda f: np.save(f / "clips/0000/cloth.npy", np.array([{}])),
            billow.BadData,
            "cloth.npy: expected a NumPy array",
        ),
        (
            lambda f: (f / "garment.json").write_text('{"rest": "../x", "mesh": "/etc/passwd"}'),
            billow.BadData,
            "a file in the same folder",
        ),
        (
            lambda f: (f / "garment_mesh.obj").write_text("f 1 2 9\n"),
            billow.BadData,
            "line 1: expected a triangle of 4 vertices",
        ),
        (
            lambda f: (f / "garment_mesh.obj").write_text("f 1 x 3\n"),
            billow.BadData,
            "line 1: expected numbers",
        ),
        (
            lambda f: (f / "garment_mesh.obj").write_text("f 1 2 3\n"),
            billow.BadData,
            "triangles: expected 2, found 1",
        ),
        (
            lambda f: (f / "garment_mesh.obj").write_text("f 1/1 2/9 3/1\nf 1/1 2/1 4/1"),
            billow.BadData,
            "vt: expected one for each of 4",
        ),
    ],
)
def test_bad_data_sets(tmp_path: Path, damage: object, error: type, why: str) -> None:
    folder = write_data_set(tmp_path / "data")
    damage(folder)
    with pytest.raises(error, match=why):
        data = billow.DataSet(folder)
        data[0].cloth, data.rest, data.triangles


def test_check_finds_what_is_damaged(tmp_path: Path) -> None:
    folder = write_data_set(tmp_path)
    cloth = np.load(folder / "clips/0000/cloth.npy")
    cloth[1, 2, 0] = np.nan
    np.save(folder / "clips/0000/cloth.npy", cloth)
    (folder / "clips/0001/rope.npy").unlink()
    errors = billow.DataSet(folder).check()
    assert len(errors) == 3
    assert (
        "expected finite values" in errors[0]
        and "expected the checksum" in errors[1]
        and "rope.npy" in errors[2]
    )


def test_data_set_of_the_simulator(tmp_path: Path) -> None:
    simulate = [program("billow_simulate"), "cape", str(tmp_path / "cape"), "--frames", "3", "--unseen", "0"]
    subprocess.run([*simulate, "--vertices", "500", "--threads", "1"], check=True, capture_output=True)
    data = billow.DataSet(tmp_path / "cape")
    assert data.check() == [] and len(data.frames()) == 3
    clip = data[0]
    assert clip.cloth.shape == (3, 500, 3) and clip.joints.shape == (3, 22, 7)
    edges = data.triangles[:, :2]
    length = np.linalg.norm(clip.cloth[0][edges[:, 0]] - clip.cloth[0][edges[:, 1]], axis=1)
    flat = np.linalg.norm(data.uvs[edges[:, 0]] - data.uvs[edges[:, 1]], axis=1)
    assert abs(length / flat - 1).mean() < 0.01  # it is the pattern's cloth
    assert np.linalg.norm(data.rest - clip.cloth[0], axis=1).max() < 1.5


def test_captured_clips(cape: billow.Garment) -> None:
    clips = billow.MotionBundle(BUNDLE)
    assert len(clips) == 265 and "07_03" in clips
    walk = clips["07_03"]
    assert walk.about == "walk" and walk.subject == "07" and len(walk) == 95 and walk.frames_per_second == 30
    joints = walk.joints()
    assert joints.shape == (95, 22, 7) and joints.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(joints[..., 3:], axis=-1), 1, atol=1e-5)
    # Bones keep their lengths, a foot is near the ground, and the person walks.
    thigh, calf = 10, 11
    np.testing.assert_allclose(
        np.linalg.norm(joints[:, calf, :3] - joints[:, thigh, :3], axis=1),
        np.linalg.norm(walk.offsets[calf]),
        atol=1e-5,
    )
    toes = joints[:, [13, 21], 1].min(1)
    assert -0.03 < toes.min() and toes.max() < 0.1
    assert np.linalg.norm(joints[-1, 0, [0, 2]] - joints[0, 0, [0, 2]]) > 1
    # At another rate: the same moments, and no leaps between them.
    fast = walk.joints(cape, rate=60)
    assert fast.shape == (189, 22, 7)
    np.testing.assert_allclose(fast[::2, :, :3], joints[:, :, :3], atol=1e-5)
    assert np.linalg.norm(np.diff(fast[..., :3], axis=0), axis=-1).max() < 0.1
    with pytest.raises(billow.InvalidArgument, match="rate: expected 1 to 1000, found 0"):
        walk.joints(rate=0)
    with pytest.raises(KeyError):
        clips["no such clip"]


def small_bundle() -> bytes:
    """The first clip of the shipped bundle with five frames, as a bundle of its own."""
    data = BUNDLE.read_bytes()
    first = next(iter(billow.MotionBundle(BUNDLE).values()))
    texts = b"".join(
        struct.pack("<H", len(t.encode())) + t.encode() for t in (first.name, first.about, first.subject)
    )
    start = data.index(texts)
    frames = start + len(texts) + 33
    head = data[40 : start + len(texts) + 5] + struct.pack("<I", 5) + data[start + len(texts) + 9 : frames]
    body = head + data[frames : frames + 5 * 6 * 23]
    return struct.pack("<8sIIIIQQ", b"billmo\x1a\n", 1, 1, 22, 0, 40 + len(body), _core.checksum(body)) + body


def repaired(data: bytearray) -> bytes:
    """With a size and checksum that fit, so that what is behind them is read."""
    data[24:40] = struct.pack("<QQ", len(data), _core.checksum(bytes(data[40:])))
    return bytes(data)


def test_bad_bundles(tmp_path: Path) -> None:
    good, file = small_bundle(), tmp_path / "small.billowmotion"
    file.write_bytes(good)
    whole = billow.MotionBundle(BUNDLE)
    name = next(iter(whole))
    np.testing.assert_array_equal(billow.MotionBundle(file)[name].joints(), whole[name].joints()[:5])
    flags = good.index(b"pelvis") - 2
    clip = good.index(struct.pack("<H", len(name)) + name.encode(), 60)
    rate = len(good) - 5 * 6 * 23 - 32
    for change, why in (
        (lambda d: d[:20], "expected 40 more bytes, found 20"),
        (lambda d: b"x" + d[1:], "expected a motion bundle"),
        (lambda d: d[:8] + b"\x02" + d[9:], "expected version: 1, found 2"),
        (lambda d: d[:-1], "expected bytes"),
        (lambda d: d[:-1] + b"?", "expected checksum"),
        (lambda d: repaired(bytearray(d[:-1])), "more bytes"),
        (lambda d: repaired(bytearray(d + b"?")), "expected the end of the file, found 1 more bytes"),
        (
            lambda d: repaired(bytearray(d[:flags] + b"\x06\x00tentak" + d[flags + 8 :])),
            "joint 'pelvis', found 'tentak'",
        ),
        (
            lambda d: repaired(bytearray(d[:clip] + b"\x00\x00" + d[clip + 2 + len(name) :])),
            "expected a name",
        ),
        (
            lambda d: repaired(bytearray(d[:rate] + struct.pack("<f", 0.5) + d[rate + 4 :])),
            "1 to 1000 frames a second",
        ),
        (
            lambda d: repaired(bytearray(d[: rate + 4] + struct.pack("<I", 0) + d[rate + 8 :])),
            "at least one frame",
        ),
        (
            lambda d: repaired(bytearray(d[: rate + 4] + struct.pack("<I", 1 << 30) + d[rate + 8 :])),
            "more bytes, found",
        ),
        (
            lambda d: repaired(bytearray(d[: rate + 8] + struct.pack("<f", float("nan")) + d[rate + 12 :])),
            "finite numbers",
        ),
        (lambda d: repaired(bytearray(d[: rate - 1] + b"\x04" + d[rate:])), "flags from 0 to 3, found 4"),
    ):
        file.write_bytes(change(good))
        with pytest.raises(billow.BadData, match=why):
            billow.MotionBundle(file)
    with pytest.raises(billow.CannotRead, match="nowhere"):
        billow.MotionBundle(tmp_path / "nowhere")
    rng = np.random.default_rng(0)
    for _ in range(300):  # any bytes are a bundle or an error
        damaged = bytearray(good)
        for at in rng.integers(40, len(good), 8):
            damaged[at] = rng.integers(256)
        file.write_bytes(repaired(damaged))
        try:
            for motion in billow.MotionBundle(file).values():
                assert np.isfinite(motion.rotations).all()
        except billow.BadData:
            pass


def test_report_of_a_garment_file(cape: billow.Garment) -> None:
    report = cape.training
    assert isinstance(report, dict) and report
    assert json.loads(cape.section("training")) == report
    assert cape.section("nothing") is None
    info = cape.info()
    assert info["vertices"] == 12690 and info["key_joint"] == "neck" and info["joints"][0] == "pelvis"
    if os.path.exists(program("billow")):
        printed = subprocess.run(
            [program("billow"), "info", "cape", "--json"], check=True, capture_output=True, text=True
        )
        told = json.loads(printed.stdout)
        assert {key: told[key] for key in info} == info
