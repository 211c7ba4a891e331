"""The same bits as in C: frames, saved states, crowds."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess

import numpy as np
import pytest

import billow
from conftest import DT, hanging, play, program, roots, sway


@pytest.mark.parametrize("name", ["cape", "skirt"])
def test_frames_are_those_of_a_native_program(name: str) -> None:
    count = 16
    native = subprocess.run(
        [program("billow_frames"), f"assets/{name}.billow", str(count)],
        check=True,
        capture_output=True,
        text=True,
    )
    expected = [int(line.split()[1], 16) for line in native.stdout.splitlines()]
    found = play(billow.Instance(billow.Garment.load(f"assets/{name}.billow")), range(count))
    assert found == expected
    assert len(set(found)) == count


def test_chains_are_those_of_the_example_in_c() -> None:
    native = subprocess.run([program("example_hang_a_chain")], check=True, capture_output=True, text=True)
    body = billow.Body([billow.Collider.capsule((0, -0.5, -0.5), (0, -0.5, 0.5), 0.1)])
    chains = billow.Chains([[0, -0.08 * i, 0] for i in range(11)])
    chains.set(friction=0.1, damping=0.5)
    lines = ["   time      tip x   tip y   contacts  sub-steps"]
    for frame in range(120):
        body.pose([[0, 0, 0, 0, 0, 0, 1]])
        chains.step(1 / 60, [[0.5 * math.cos(3 * frame / 60), 0, 0, 0, 0, 0, 1]], body=body)
        report, tip = chains.report, chains.positions[-1]
        if frame % 10 == 0:
            lines.append(
                f"{frame / 60:5.2f} s  {tip[0]:7.3f} {tip[1]:7.3f}  {report.contacts:9} {report.substeps:10}"
            )
    assert lines == native.stdout.splitlines()


def test_restored_instance_goes_on_to_the_bit(cape: billow.Garment, instance: billow.Instance) -> None:
    play(instance, range(8))
    state = instance.save()
    assert len(state) == instance.state_size
    expected = play(instance, range(8, 14))
    instance.restore(state)
    assert play(instance, range(8, 14)) == expected
    other = billow.Instance(cape)
    other.restore(bytearray(state))
    assert play(other, range(8, 14)) == expected


def test_restored_chains_go_on_to_the_bit() -> None:
    chains = hanging(3, neighbours=True)
    path = [roots(3, 0.02 * k) for k in range(20)]
    for r in path[:10]:
        chains.step(DT, r)
    state, hash_then = chains.save(), chains.hash
    for r in path[10:]:
        chains.step(DT, r)
    expected = chains.hash
    chains.restore(state)
    assert chains.hash == hash_then != expected
    for r in path[10:]:
        chains.step(DT, r)
    assert chains.hash == expected


@pytest.mark.parametrize("threads", [1, 3])
def test_crowd_is_what_each_would_be_alone(cape: billow.Garment, threads: int) -> None:
    count, frames = 10, 4
    joints = np.stack([[sway(cape.joint_rest, 3 * i + k) for i in range(count)] for k in range(frames)])
    scales = 1 + 0.01 * np.arange(count)
    alone = []
    for i in range(count):
        one = billow.Instance(cape)
        for k in range(frames):
            one.step(DT, joints[k, i], scale=scales[i])
        alone.append(one.hash)
    crowd = billow.Crowd(cape, count, threads=threads)
    for k in range(frames):
        crowd.step(DT, joints[k], scale=scales)
    assert [one.hash for one in crowd] == alone
    assert len(crowd) == count and len(set(alone)) == count


def test_partners_meet_in_a_crowd(cape: billow.Garment) -> None:
    ground = billow.Body.ground(0)
    crowd = billow.Crowd(cape, 2, threads=2)
    others = [ground, crowd[0].body, crowd[1].body]
    rest = cape.joint_rest
    for k in range(30):
        behind = rest.copy()
        behind[:, 2] -= 0.9 - 0.02 * k
        crowd.step(DT, [rest, behind], others=others)
    met = [hash(one) for one in (crowd[0].hash, crowd[1].hash)]
    apart = billow.Crowd(cape, 2)
    for k in range(30):
        behind = rest.copy()
        behind[:, 2] -= 0.9 - 0.02 * k
        apart.step(DT, [rest, behind])
    assert crowd[0].hash != apart[0].hash and met
    assert crowd[0].body.query(crowd[1].positions).distances.min() > -0.02


def test_levels_of_detail(cape: billow.Garment) -> None:
    crowd = billow.Crowd(cape, 3)
    joints = [cape.joint_rest] * 3
    crowd.step(
        DT, joints, distances=[1, 30, 100], visible=[True, True, False], levels=billow.Levels(near_distance=8)
    )
    assert [one.options.interval for one in crowd] == [1, 4, 8]
    assert crowd[1].options.lengths == billow.Lengths.OFF
    with pytest.raises(billow.InvalidArgument, match="distances: expected one for each"):
        crowd.step(DT, joints, levels=billow.Levels())


def test_fixed_steps() -> None:
    clock, chains = billow.Clock(rate=60), hanging()
    steps = 0
    for k in range(50):
        due = clock.advance(0.012 + 0.008 * math.sin(0.7 * k))
        assert all(0 < clock.share(step) <= 1 for step in range(due))
        for _ in range(due):
            chains.step(clock.dt, roots())
        steps += due
    assert clock.steps == steps > 20 and clock.dt == np.float32(1) / np.float32(60)
    for saved in (copy.copy(clock), pickle.loads(pickle.dumps(clock))):
        assert saved == clock and saved.advance(0.1) > 0 and saved != clock


def test_far_worlds(instance: billow.Instance) -> None:
    play(instance, range(4))
    before = instance.positions.copy()
    instance.shift_origin((-8, 0, 16))
    np.testing.assert_allclose(instance.positions, before + np.float32([-8, 0, 16]), atol=1e-5)
    np.testing.assert_array_equal(instance.bounds.low, instance.positions.min(0))
    np.testing.assert_array_equal(instance.bounds.high, instance.positions.max(0))
