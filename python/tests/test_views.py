"""Arrays without copies: what shares memory, how long it lives, what may be written."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import billow
from billow import _arrays
from conftest import DT, play, sway


@pytest.mark.parametrize("attribute", ["positions", "normals", "bones"])
def test_views_are_the_instances_memory(instance: billow.Instance, attribute: str) -> None:
    before = getattr(instance, attribute)
    kept = before.copy()
    play(instance, range(3))
    after = getattr(instance, attribute)
    assert np.shares_memory(before, after)
    np.testing.assert_array_equal(before, after)  # a view shows the newest frame
    assert not np.array_equal(kept, after)
    rows = instance.garment.bone_count if attribute == "bones" else instance.garment.vertex_count
    assert after.shape == (rows, 3) and after.dtype == np.float32 and after.flags.c_contiguous
    assert np.isfinite(after).all() and np.ptp(after, axis=0).min() > 0.05


def test_views_cannot_be_written(instance: billow.Instance) -> None:
    view = instance.positions
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 0
    with pytest.raises(ValueError):
        view.flags.writeable = True


def test_views_keep_their_instance(cape: billow.Garment) -> None:
    instance = billow.Instance(cape)
    play(instance, range(2))
    expected, core = instance.positions.copy(), weakref.ref(instance._core)
    view = instance.positions[10:20]
    del instance
    gc.collect()
    pressure = [billow.Instance(cape) for _ in range(3)]  # would take freed memory
    np.testing.assert_array_equal(view, expected[10:20])
    assert core() is not None and pressure
    del view
    gc.collect()
    assert core() is None  # and not longer than needed


def test_parts_keep_their_instance(cape: billow.Garment) -> None:
    chains, body = billow.Instance(cape).chains, billow.Instance(cape).body
    gc.collect()
    assert chains.bone_count > 0 and np.isfinite(chains.settings.friction)
    assert body.collider_count == cape.collider_count


def test_instances_keep_their_garment() -> None:
    garment = billow.Garment.load("assets/cape.billow")
    instance, core = billow.Instance(garment), weakref.ref(garment._core)
    rest = garment.joint_rest.copy()
    del garment
    gc.collect()
    assert core() is not None
    instance.step(DT, rest)
    del instance
    gc.collect()
    assert core() is None


def test_float32_joints_are_used_in_place() -> None:
    joints = np.zeros((22, 7), np.float32)
    assert _arrays.transforms(joints, 22, "joints") is joints
    part = np.zeros((3, 22, 7), np.float32)[1]
    assert np.shares_memory(_arrays.transforms(part, 22, "joints"), part)


def test_joints_of_any_layout(cape: billow.Garment) -> None:
    joints = sway(cape.joint_rest, 5)
    wide = np.zeros((22, 14), np.float64)
    wide[:, ::2] = joints
    layouts = [
        joints,
        joints.astype(np.float64),
        np.asfortranarray(joints),
        wide[:, ::2],
        joints[::-1].copy()[::-1],
        joints.astype(">f4"),
        joints.tolist(),
        np.frombuffer(b"x" + joints.tobytes(), np.uint8)[1:].view(np.float32).reshape(22, 7),  # not aligned
    ]
    hashes = set()
    for layout in layouts:
        instance = billow.Instance(cape)
        instance.step(DT, layout)
        hashes.add(instance.hash)
    assert len(hashes) == 1


def test_write_interleaves_in_one_buffer(instance: billow.Instance) -> None:
    play(instance, range(2))
    count = instance.garment.vertex_count
    buffer = np.full((count, 11), 7, np.float32)
    instance.write(positions=buffer[:, :3], normals=buffer[:, 3:6], tangents=buffer[:, 6:10])
    np.testing.assert_array_equal(buffer[:, :3], instance.positions)
    np.testing.assert_array_equal(buffer[:, 3:6], instance.normals)
    np.testing.assert_array_equal(buffer[:, 6:10], instance.tangents)
    assert (buffer[:, 10] == 7).all()
    dots = np.einsum("ij,ij->i", instance.tangents[:, :3], instance.normals)
    assert abs(dots).max() < 1e-4 and set(np.unique(instance.tangents[:, 3])) <= {-1, 1}


def test_write_halves_of_chosen_vertices(instance: billow.Instance) -> None:
    play(instance, range(2))
    chosen, origin = [5, 3, 1000], (0.1, 1.0, 0.0)
    halves = np.zeros((3, 3), np.float16)
    instance.write(positions=halves, vertices=chosen, origin=origin)
    np.testing.assert_allclose(halves, instance.positions[chosen] - np.float32(origin), atol=1e-3)


def test_write_refuses(instance: billow.Instance) -> None:
    count = instance.garment.vertex_count
    good = np.zeros((count, 3), np.float32)
    frozen = good.copy()
    frozen.flags.writeable = False
    for out, why in (
        (
            np.zeros((count, 4), np.float32),
            r"positions: expected an array of shape \(n, 3\), found shape \(12690, 4\)",
        ),
        (np.zeros((count, 3)), "expected dtype float32 or float16, found dtype float64"),
        (frozen, "found one that is read-only"),
        (np.zeros((3, count), np.float32).T, "expected rows without gaps inside"),
        (good[::-1], "expected rows without gaps inside"),
        (good.tolist(), "whose memory can be written to, found list"),
    ):
        with pytest.raises(billow.InvalidArgument, match=why):
            instance.write(positions=out)
    with pytest.raises(
        billow.BufferTooSmall, match="capacity: expected at least 12690 vertices, found 12689"
    ):
        instance.write(positions=good[1:])
    with pytest.raises(billow.InvalidArgument, match="expected less than 12690, found 12690 as number 1"):
        instance.write(positions=good, vertices=[0, count])
    with pytest.raises(billow.InvalidArgument, match="vertices: expected numbers from 0"):
        instance.write(positions=good, vertices=[-1])
    with pytest.raises(billow.InvalidArgument, match="whole numbers"):
        instance.write(positions=good, vertices=[0.5])
    assert not good.any()


def test_garment_files_in_place() -> None:
    mapped = np.memmap("assets/cape.billow", np.uint8, "r")
    garment = billow.Garment(mapped, keep=True)
    assert garment.name == "cape" and garment.vertex_count == 12690
    with open("assets/cape.billow", "rb") as file:
        data = file.read()
    assert billow.Garment(data).triangles.shape == garment.triangles.shape
    with pytest.raises(billow.InvalidArgument, match="bytes that nobody can change"):
        billow.Garment(bytearray(data), keep=True)
    with pytest.raises(billow.Error, match="64"):
        billow.Garment(memoryview(b"x" * 3 + data)[3:].toreadonly(), keep=True)  # not aligned


def test_arrays_of_a_garment_are_read_only(cape: billow.Garment) -> None:
    for array in (cape.triangles, cape.uvs, cape.joint_rest, cape.joint_parents):
        assert not array.flags.writeable
    assert cape.triangles.max() == cape.vertex_count - 1
    assert cape.joint_names[cape.key_joint] == "neck" and cape.joint_parents[0] == -1


def test_tensors_of_torch(cape: billow.Garment) -> None:
    torch = pytest.importorskip("torch")
    joints = torch.from_numpy(sway(cape.joint_rest, 5))
    assert np.shares_memory(_arrays.transforms(joints, 22, "joints"), joints.numpy())
    instance, expected = billow.Instance(cape), billow.Instance(cape)
    instance.step(DT, joints)
    expected.step(DT, joints.numpy())
    assert instance.hash == expected.hash
    out = torch.empty(cape.vertex_count, 3)
    instance.write(positions=out)
    np.testing.assert_array_equal(out.numpy(), instance.positions)
    with pytest.raises(billow.InvalidArgument, match="requires grad"):
        instance.step(DT, joints.clone().requires_grad_())
