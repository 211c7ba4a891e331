"""What is refused says what was expected and what was found, and changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

import billow
from conftest import DT, hanging, play, roots

NAN = float("nan")


def test_every_status_has_its_exception() -> None:
    from billow.errors import error_of

    for status in billow.Status:
        if status != billow.Status.OK:
            error = error_of(status, "why")
            assert error.status == status and str(error) == "why" and type(error) is not billow.Error
    assert issubclass(billow.InvalidArgument, ValueError) and issubclass(billow.BufferTooSmall, ValueError)
    assert issubclass(billow.CannotRead, OSError) and issubclass(billow.OutOfMemory, MemoryError)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"dt": -1}, "frame.dt: expected 0 or more, found -1"),
        ({"dt": NAN}, "frame.dt: expected 0 or more"),
        ({"dt": "1"}, "dt: expected a number, found str"),
        ({"dt": None}, "dt: expected a number, found NoneType"),
        ({"scale": -1}, "frame.scale: expected 0.001 to 1000"),
        ({"teleport": 3}, "frame.teleport: expected a billow_teleport, found 3"),
        ({"body": 5}, "body: expected a Body or None, found int"),
        ({"others": ["wall"]}, r"others\[0\]: expected a Body, found str"),
        (
            {"space": np.zeros((2, 7))},
            r"space: expected an array of shape \(7,\), position .*, found shape \(2, 7\)",
        ),
        ({"space": [NAN, 0, 0, 0, 0, 0, 1]}, r"frame.space\[0\].position\[0\]"),
        ({"joints": None}, "joints: expected an array of numbers, found NoneType with dtype object"),
        ({"joints": "rest"}, "joints: expected an array of numbers, found str"),
        ({"joints": [[1, 2], [3]]}, "joints: expected an array of numbers, found list"),
        ({"joints": np.zeros((22, 7), complex)}, "with dtype complex128"),
        ({"joints": np.zeros((22, 7), bool)}, "with dtype bool"),
        (
            {"joints": np.zeros((21, 7))},
            r"\(22, 7\), position x y z and rotation x y z w, found shape \(21, 7\)",
        ),
        ({"joints": np.zeros((22, 4, 4))}, r"expected an array of shape \(22, 7\).*found shape \(22, 4, 4\)"),
        ({"joints": np.full((22, 7), np.inf)}, r"frame.joints\[0\].position\[0\]"),
        ({"joints": np.full((22, 7), 1e300)}, r"frame.joints\[0\].position\[0\]"),
    ],
)
def test_bad_frames(cape: billow.Garment, instance: billow.Instance, change: dict, why: str) -> None:
    play(instance, range(2))
    before = instance.hash, instance.chains.hash
    frame = {"dt": DT, "joints": cape.joint_rest, **change}
    with pytest.raises(billow.InvalidArgument, match=why):
        instance.step(frame.pop("dt"), frame.pop("joints"), **frame)
    assert (instance.hash, instance.chains.hash) == before


def test_crowd_changes_nothing_where_something_is_wrong(cape: billow.Garment) -> None:
    crowd = billow.Crowd(cape, 3)
    joints = np.stack([cape.joint_rest] * 3)
    crowd.step(DT, joints)
    before = [one.hash for one in crowd]
    wrong = joints.copy()
    wrong[2, 4, 1] = NAN
    for arguments, why in (
        ({"joints": wrong}, r"frame.joints\[4\].position\[1\]"),
        (
            {"joints": joints[:2]},
            r"joints: expected an array of shape \(3, 22, 7\).*found shape \(2, 22, 7\)",
        ),
        (
            {"joints": joints, "scale": [1, 1]},
            r"scale: expected an array of shape \(3,\), found shape \(2,\)",
        ),
        ({"joints": joints, "scale": [1, 1, 0.0001]}, "frame.scale"),
        ({"joints": joints, "spaces": np.zeros((3, 6))}, r"spaces: expected an array of shape \(3, 7\)"),
        ({"joints": joints, "bodies": [None]}, "bodies: expected 3, one for each character, found 1"),
        ({"joints": joints, "distances": [1, 2]}, r"distances: expected an array of shape \(3,\)"),
        ({"joints": joints, "distances": [1, 2, NAN]}, "distance"),
    ):
        with pytest.raises(billow.InvalidArgument, match=why):
            crowd.step(DT, **arguments)
    assert [one.hash for one in crowd] == before
    one = billow.Instance(cape)
    with pytest.raises(billow.InvalidArgument, match="expected each once, found number 1 again"):
        billow.Crowd(cape, [one, one]).step(DT, joints[:2])
    with pytest.raises(
        billow.InvalidArgument, match=r"instances\[0\]: expected an Instance of the crowd's garment"
    ):
        billow.Crowd(billow.Garment.load("assets/skirt.billow"), [one])
    for bad, why in (
        ({"count": -1}, "count"),
        ({"count": 1, "threads": 0}, "threads: expected 1 to 1024, found 0"),
    ):
        with pytest.raises(billow.InvalidArgument, match=why):
            billow.Crowd(cape, **bad)


def test_bad_garments(tmp_path) -> None:
    with pytest.raises(billow.CannotRead, match="nowhere.billow"):
        billow.Garment.load(tmp_path / "nowhere.billow")
    (tmp_path / "text.billow").write_text(
        "not a garment, but long enough to have a header of 64 bytes; so it is."
    )
    with pytest.raises(billow.BadData, match="magic|billow|garment"):
        billow.Garment.load(tmp_path / "text.billow")
    with open("assets/cape.billow", "rb") as file:
        data = bytearray(file.read())
    data[len(data) // 2] ^= 1
    with pytest.raises(billow.BadData, match="checksum"):
        billow.Garment(data)
    with pytest.raises(billow.Error):
        billow.Garment(b"")
    with pytest.raises(billow.InvalidArgument, match="data: expected the bytes of a garment file, found int"):
        billow.Garment(5)
    with pytest.raises(billow.InvalidArgument, match="garment: expected a Garment, found str"):
        billow.Instance("assets/cape.billow")


def test_bad_states(instance: billow.Instance) -> None:
    play(instance, range(2))
    state, before = instance.save(), (instance.hash, instance.chains.hash)
    damaged = bytearray(state)
    damaged[-1] ^= 1
    for bytes_, why in (
        (b"", "expected the saved state"),
        (state[:-1], "bytes"),
        (bytes(damaged), "checksum|found"),
    ):
        with pytest.raises(billow.BadData, match=why):
            instance.restore(bytes_)
    with pytest.raises(billow.BadData):
        billow.Instance(billow.Garment.load("assets/skirt.billow")).restore(state)
    with pytest.raises(billow.InvalidArgument, match=r"state: expected bytes of save\(\), found str"):
        instance.restore("state")
    assert (instance.hash, instance.chains.hash) == before


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"rest": [[0, 0, 0]]}, r"bone_counts\[0\]: expected 2 to 256, found 1"),
        ({"rest": []}, "rest: expected rest positions"),
        ({"rest": 5}, "rest: expected rest positions"),
        ({"rest": [[0, 0], [0, 1]]}, r"rest\[0\]: expected an array of shape \(n, 3\)"),
        ({"rest": [[0, 0, 0], [0, NAN, 0]]}, "rest_positions, chain 0 bone 1: expected finite"),
        ({"rest": np.zeros((2, 4, 3))}, "chain 0 bone 1: expected a rope of"),
        ({"max_lengths": [1, 2]}, "max_lengths: expected 3 numbers, one for each bone, found 2"),
        ({"mass_factors": [1, 1, -1]}, "mass_factors, chain 0 bone 2: expected more than 0"),
        ({"areas": [0, 0, NAN]}, "areas, chain 0 bone 2"),
        ({"lateral_lengths": "none"}, "lateral_lengths: expected an array of numbers"),
        ({"root_rest": np.zeros((2, 7))}, r"root_rest: expected an array of shape \(1, 7\)"),
        ({"neighbours": True, "closed": True}, "expected at least 3 for a closed ring, found 1"),
        ({"max_colliders": 1000}, "max_colliders: expected at most 128, found 1000"),
        ({"max_colliders": -1}, "max_colliders: expected numbers from 0"),
    ],
)
def test_bad_chains(arguments: dict, why: str) -> None:
    rest = arguments.pop("rest", [[0, 0, 0], [0, -0.1, 0], [0, -0.2, 0]])
    with pytest.raises(billow.InvalidArgument, match=why):
        billow.Chains(rest, **arguments)


def test_bad_calls_of_chains(instance: billow.Instance) -> None:
    chains = hanging(2)
    chains.step(DT, roots(2))
    before = chains.hash
    for call, why in (
        (lambda: chains.step(DT, roots(1)), r"roots: expected an array of shape \(2, 7\)"),
        (lambda: chains.settle(-1, roots(2)), "seconds: expected 0 to 3600, found -1"),
        (lambda: chains.teleport(billow.Teleport.NONE, roots(2)), "mode: expected reset or keep, found 0"),
        (lambda: chains.set_bones(np.zeros((3, 3))), r"positions: expected an array of shape \(16, 3\)"),
        (lambda: chains.set(friction=-1), "friction"),
        (lambda: chains.set(gravity=(0, NAN, 0)), "gravity"),
        (lambda: chains.shift_origin((0, 0)), r"offset: expected an array of shape \(3,\)"),
        (lambda: setattr(chains, "wind", billow.Wind(gust=2)), "wind.gust: expected 0 to 1, found 2"),
        (lambda: setattr(chains, "wind", (1, 0, 0)), "wind: expected a Wind, found tuple"),
        (lambda: setattr(chains, "settings", {}), "settings: expected Settings, found dict"),
        (lambda: instance.chains.step(DT, roots(10)), "found an instance's, which steps them itself"),
        (lambda: instance.chains.shift_origin((0, 0, 0)), "found an instance's"),
        (lambda: instance.body.pose(np.zeros((22, 7))), "found an instance's, which poses it itself"),
        (lambda: instance.set(interval=17), "options.interval: expected 1 to 16 frames, found 17"),
        (lambda: setattr(instance, "options", None), "options: expected Options, found NoneType"),
    ):
        with pytest.raises(billow.InvalidArgument, match=why):
            call()
    assert chains.hash == before and instance.options == billow.Options()
    with pytest.raises(TypeError, match="has no field 'frictoin'; it has mass, damping"):
        chains.set(frictoin=1)
    settings = chains.settings
    with pytest.raises(AttributeError, match="Settings has no field 'frictoin'"):
        settings.frictoin = 1
    with pytest.raises(AttributeError, match="SolverSettings has no field 'substeps'"):
        settings.solver.substeps = 1
