"""Chains, bodies and what can be set about them."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

import billow
from billow import _core, _structs, enums
from conftest import DT, ROOT, hanging, play, roots

REST = [[0, 0, 0, 0, 0, 0, 1]]


def test_enums_are_those_of_the_header() -> None:
    header = (ROOT / "include/billow/billow.h").read_text()
    names = {"Lengths": "lengths", "Debug": "debug", "Solver": "solver"}
    for kind in vars(enums).values():
        if not isinstance(kind, type) or kind.__module__ != enums.__name__:
            continue
        c_name = names.get(kind.__name__) or re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
        body = re.search(rf"typedef enum billow_{c_name} {{(.*?)}}", header, re.S)
        assert body, c_name
        prefix = "BILLOW_" if c_name == "status" else f"BILLOW_{c_name.upper()}_"
        found = {
            name.removeprefix(prefix).removeprefix("ERROR_"): int(value)
            for name, value in re.findall(r"(BILLOW_\w+)\s*=\s*(\d+)", body.group(1))
        }
        found = {name: value for name, value in found.items() if name != "COUNT"}
        assert found == {m.name: m.value for m in kind if m.name != "ALL"}, c_name
    assert [s.name.lower() for s in billow.FrameStage] == _core.frame_stages()
    assert [s.name.lower() for s in billow.ChainStage] == _core.chain_stages()


def test_structs_have_the_fields_of_the_header() -> None:
    header = re.sub(r"/\*.*?\*/", "", (ROOT / "include/billow/billow.h").read_text(), flags=re.S)
    pointers = {"wind": {"field", "user"}, "collider": {"sdf", "user", "grid", "neural"}}
    for name, (size, fields, default) in _core.layouts().items():
        body = re.search(rf"typedef struct billow_{name} {{(.*?)}} billow_{name};", header, re.S).group(1)
        declared = set()
        for declaration in body.split(";"):
            words = re.sub(r"\[\w+\]", "", declaration).replace("*", " ").split()
            names = " ".join(words).split(" ", 2 if words[:1] == ["const"] else 1)[-1] if words else ""
            declared |= {n.strip() for n in names.split(",") if n.strip()}
        assert declared - pointers.get(name, set()) == {field for field, _, _, _ in fields}, name
        assert len(default) == size


def test_settings_keep_what_they_are_given() -> None:
    chains, settings = hanging(), billow.Settings()
    for name, value in settings.items():
        if isinstance(value, bool):
            setattr(settings, name, not value)
        elif isinstance(value, (float, billow.Curve)):
            setattr(settings, name, 0.5)
    settings.mass = billow.ramp(0.1, 0.2)
    settings.damping = billow.Curve(2, (1, 0.5, 0.25))
    settings.gravity = np.array([0, -1.6, 0])
    settings.softness = [0, 0, 0, 0.5, 0, 0, 0, 0]
    settings.teleport = billow.Teleport.RESET
    settings.solver.max_substeps = 4
    settings.solver.tension.method = billow.Solver.SWEEPS
    settings.solver.impulses = billow.Impulse.AFTER_MOVE | billow.Impulse.AFTER_COLLISION
    chains.settings = settings
    found = chains.settings
    assert found == settings and found is not settings
    assert found.mass == billow.Curve(1, (0.1, 0.2)) and found.friction == 0.5
    assert found.gravity == (0, -1.6, 0) and found.solver.tension.method is billow.Solver.SWEEPS
    assert "max_substeps=4" in repr(found) and "panel_lift=0.5" in repr(found)
    assert billow.Settings.cape() != billow.Settings.skirt() != billow.Settings()
    assert billow.Settings().friction == 0.3 and billow.Settings().gravity == (0, -9.81, 0)
    with chains.changed(friction=0.9, solver=billow.SolverSettings(max_substeps=2)):
        assert chains.settings.friction == 0.9 and chains.settings.solver.max_substeps == 2
    assert chains.settings == settings


def test_settings_refuse_what_cannot_be() -> None:
    settings = billow.Settings()
    for name, value, why in (
        ("friction", "much", "Settings.friction: expected numbers, found"),
        ("gravity", (0, -9.81), "Settings.gravity: expected 3 numbers, found 2"),
        ("gravity", -9.81, "Settings.gravity: expected 3 numbers, found -9.81"),
        ("collider_groups", -1, "Settings.collider_groups: expected whole numbers that fit"),
        ("collider_groups", 0.5, "whole numbers"),
        ("teleport", 9, "Settings.teleport: expected one of Teleport.NONE, .*, found 9"),
        ("mass", billow.Curve(1, (1,) * 9), "Settings.mass: expected at most 8 points, found 9"),
        ("solver", 5, "Settings.solver: expected SolverSettings, found int"),
    ):
        with pytest.raises(billow.InvalidArgument, match=why):
            setattr(settings, name, value)
    assert settings == billow.Settings()
    with pytest.raises(AttributeError):
        settings.mass.value = 3  # would be lost
    for kind in (
        billow.Settings,
        billow.SolverSettings,
        billow.Options,
        billow.Wind,
        billow.Collider,
        billow.Levels,
    ):
        for name in kind._fields:
            assert vars(kind)[name].__doc__, f"{kind.__name__}.{name} says nothing"
            assert isinstance(vars(kind)[name], _structs.Field)


def test_one_chain_hangs() -> None:
    chains = hanging(1, 5)
    chains.settle(5, roots())
    np.testing.assert_allclose(chains.positions, [[0, -0.1 * k, 0] for k in range(5)], atol=2e-3)
    assert chains.chain_count == 1 and chains.bone_count == 5
    tensions = chains.tensions
    assert tensions[0] == 0 and tensions[1] > tensions[4]
    chains.set_bones(velocities=np.full((5, 3), (1, 0, 0)))
    np.testing.assert_allclose(chains.velocities[1:], [[1, 0, 0]] * 4, atol=1e-6)
    chains.teleport(billow.Teleport.RESET, roots(1, 5))
    assert chains.positions[0, 0] == 5
    chains.shift_origin((-5, 0, 0))
    np.testing.assert_allclose(chains.positions[:, 0], 0, atol=1e-6)
    chains.paused = True
    assert chains.paused
    chains.wake()


def test_chains_of_different_lengths() -> None:
    long, short = [[0, -0.1 * k, 0] for k in range(5)], [[1, -0.1 * k, 0] for k in range(3)]
    chains = billow.Chains([long, short], mass_factors=[[1] * 5, [2] * 3], max_lengths=[0.11] * 8)
    chains.step(DT, [[0, 0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 1]])
    assert chains.chain_count == 2 and chains.bone_count == 8
    np.testing.assert_allclose(chains.positions[5], (1, 0, 0))


def test_contacts_and_reports() -> None:
    body = billow.Body([billow.Collider.sphere((0.02, -0.35, 0), 0.1)])
    chains = hanging()
    chains.set(profile=True)
    for _ in range(30):
        chains.step(DT, roots(), body=body)
    contacts, report = chains.contacts, chains.report
    assert report.contacts == len(contacts) > 0
    assert set(contacts["chain"]) == {0} and (contacts["collider"] == 0).all()
    np.testing.assert_allclose(np.linalg.norm(contacts["normal"], axis=1), 1, atol=1e-4)
    assert report.stage_seconds["collide"] > 0 and isinstance(report.flags, billow.Flag)


def test_wind_in_python() -> None:
    times = []

    def field(time: float, points: np.ndarray) -> np.ndarray:
        times.append(time)
        assert points.ndim == 2 and points.shape[1] == 3
        return np.broadcast_to((3.0, 0, 0), points.shape)

    in_python, in_c, still = hanging(), hanging(), hanging()
    for chains, wind in ((in_python, billow.Wind(field=field)), (in_c, billow.Wind(velocity=(3, 0, 0)))):
        chains.wind = wind
        assert chains.wind is wind
    for chains in (in_python, in_c, still):
        chains.set(drag=0.02)
        for _ in range(20):
            chains.step(DT, roots())
    assert times == sorted(times) and times[-1] > 0.2
    np.testing.assert_allclose(in_python.positions, in_c.positions, atol=1e-5)
    assert in_c.positions[-1, 0] > still.positions[-1, 0] + 0.05
    for broken, error, why in (
        (lambda time, points: 1 / 0, ZeroDivisionError, "division"),
        (
            lambda time, points: points[:, :2],
            billow.InvalidArgument,
            r"velocities: expected an array of shape \(\d+, 3\)",
        ),
        (lambda time, points: points * np.nan, billow.InvalidArgument, "expected finite numbers"),
    ):
        in_python.wind = billow.Wind(field=broken)
        with pytest.raises(error, match=why):
            in_python.step(DT, roots())
    in_python.wind = billow.Wind()
    in_python.step(DT, roots())  # and it goes on
    assert np.isfinite(in_python.positions).all()
    with pytest.raises(billow.InvalidArgument, match="Wind.field: expected a function"):
        billow.Wind(field=5)


def ball(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distance of a sphere of 0.1 m, in Python."""
    far = np.linalg.norm(points, axis=1)
    return far - 0.1, points / np.maximum(far, 1e-9)[:, None]


def grid_of_a_ball() -> billow.Grid:
    axis = np.linspace(-0.2, 0.2, 33)
    z, y, x = np.meshgrid(axis, axis, axis, indexing="ij")
    return billow.Grid(
        ((np.sqrt(x * x + y * y + z * z) - 0.1) / 1e-4).astype(np.int16), axis[1] - axis[0], 1e-4
    )


def test_distances_of_every_shape() -> None:
    points = np.array([[0, 0.3, 0], [0.05, 0.05, 0], [0.2, 0, 0.1]], np.float32)
    spheres = [
        billow.Collider.sphere((0, 0, 0), 0.1),
        billow.Collider.custom((0, 0, 0), 1, ball),
        billow.Collider.ellipsoid((0, 0, 0), (0.1, 0.1, 0.1)),
        billow.Collider.capsule((0, 0, 0), (0, 1e-6, 0), 0.1),
        billow.Collider.box((0, 0, 0), (0.1, 0.1, 0.1), 0.1),
    ]
    for collider in spheres:
        found = billow.Body([collider]).query(points)
        np.testing.assert_allclose(found.distances, ball(points)[0], atol=1e-4)
        np.testing.assert_allclose(found.gradients, ball(points)[1], atol=1e-3)
        assert (found.colliders == 0).all()
    by_grid = billow.Body([billow.Collider.of_grid((0, 0, 0), grid_of_a_ball())]).query([[0.05, 0.05, 0]])
    np.testing.assert_allclose(by_grid.distances, math.sqrt(0.005) - 0.1, atol=2e-3)
    plane = billow.Body.ground(0.5).query([[0, 2, 0], [0, 0, 0]], limit=1)
    np.testing.assert_allclose(plane.distances, [1, -0.5])
    assert plane.colliders.tolist() == [-1, 0] and plane.gradients.tolist() == [[0, 1, 0]] * 2
    tilted = billow.Collider.half_space((0, 0, 0), rotation=(0, 0, math.sqrt(0.5), math.sqrt(0.5)))
    np.testing.assert_allclose(billow.Body([tilted]).query([[1, 5, 0]]).distances, [-1], atol=1e-5)


def test_network_distances() -> None:
    width = 4
    weights = np.zeros(width * width + 6 * width + 1, np.float32)
    weights[0], weights[3] = 1, 1.0  # the first unit: s(x + 1), which is x + 1 from x = 0 on
    second = 4 * width
    weights[second], weights[second + 1], weights[second + 5] = 1, 1, 1  # s(that + 1) = x + 2
    weights[-1] = -2.1  # so that the result is x - 0.1
    network = billow.Network(weights, width, (0.3, 0.3, 0.3), 0.05)
    found = billow.Body([billow.Collider.of_network((0, 0, 0), network)]).query([[0.15, 0, 0], [0.05, 0, 0]])
    np.testing.assert_allclose(found.distances, [0.05, -0.05], atol=1e-3)
    with pytest.raises(
        billow.InvalidArgument, match=r"network.weights: expected an array of shape \(41,\), for the width 4"
    ):
        billow.Network(weights[1:], width, (1, 1, 1), 0)


def test_colliders_can_be_read_back() -> None:
    described = [
        billow.Collider.capsule((0, 0, 0), (0, 1, 0), 0.2, 0.1, joint=[0, 1], weight=[0.5, 0.5], group=3),
        billow.Collider.box((1, 0, 0), (0.1, 0.2, 0.3), blend_with=0, blend_radius=0.05),
        billow.Collider.custom((0, 0, 0), 1, ball),
        billow.Collider.of_grid((0, 0, 0), grid_of_a_ball()),
    ]
    body = billow.Body(described, joint_count=2)
    found = body.colliders
    assert [c.shape for c in found] == [c.shape for c in described] and body.collider_count == 4
    assert found[0].radius_end == 0.1 and found[0].group == 3 and found[0].joint[:2] == (0, 1)
    assert found[1].blend_with == 0 and found[2].sdf is ball
    np.testing.assert_array_equal(found[3].grid.values, described[3].grid.values)
    body.pose([[0, 3, 0, 0, 0, 0, 1]] * 2, scale=2)
    assert body.scale == 2 and body.posed_colliders[2].position == (0, 3, 0)
    assert body.posed_colliders[0].radius == pytest.approx(0.4)
    body.shift_origin((0, -3, 0))
    assert body.posed_colliders[2].position == (0, 0, 0)
    body.teleport([[1, 0, 0, 0, 0, 0, 1]] * 2)
    assert body.posed_colliders[2].position == (1, 0, 0)


def test_functions_of_python_in_steps() -> None:
    asked = []

    def counted(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        asked.append(points)
        return ball(points)

    at = (0.01, -0.35, 0)
    in_python, in_c = billow.Body([billow.Collider.custom(at, 0.5, counted)]), billow.Body(
        [billow.Collider.sphere(at, 0.1)]
    )
    tips = []
    for body in (in_python, in_c):
        chains = hanging()
        for _ in range(20):
            chains.step(DT, roots(), body=body)
        tips.append(chains.positions)
        assert body.query(chains.positions[1:]).distances.min() > 0
    assert asked and all(points.flags.owndata for points in asked)
    np.testing.assert_allclose(*tips, atol=0.02)
    for broken, error, why in (
        (lambda points: 1 / 0, ZeroDivisionError, "division"),
        (
            lambda points: points,
            billow.InvalidArgument,
            r"result: expected \(distances, gradients\), found ndarray",
        ),
        (
            lambda points: (points[:, 0], points[:, :2]),
            billow.InvalidArgument,
            r"gradients: expected an array of shape",
        ),
        (lambda points: (points[:, 0] * np.nan, points), billow.InvalidArgument, "expected finite numbers"),
    ):
        body = billow.Body([billow.Collider.custom(at, 0.5, broken)])
        chains = hanging()
        with pytest.raises(error, match=why):
            chains.step(DT, roots(), body=body)
        with pytest.raises(error, match=why):
            body.query([[0, -0.35, 0]])
        chains.step(DT, roots())  # and it goes on
        assert np.isfinite(chains.positions).all()


def test_functions_of_python_on_threads_of_a_crowd(cape: billow.Garment) -> None:
    crowd = billow.Crowd(cape, 17, threads=3)
    joints = np.stack([cape.joint_rest] * 17)

    def broken(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        raise KeyError("lost")

    wall = billow.Body([billow.Collider.custom((0, 1, -0.2), 2, broken)])
    with pytest.raises(KeyError, match="lost"):
        crowd.step(DT, joints, others=[wall])
    crowd.step(DT, joints)
    assert np.isfinite(crowd[16].positions).all()


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: billow.Body([5]), r"colliders\[0\]: expected a Collider, found int"),
        (
            lambda: billow.Body([billow.Collider.sphere((0, 0, 0), -1)]),
            r"colliders\[0\].radius: expected more than 0, found -1",
        ),
        (
            lambda: billow.Body([billow.Collider(joint=3)]),
            r"colliders\[0\].joint: expected less than joint_count, found 3",
        ),
        (
            lambda: billow.Body([billow.Collider(shape=billow.Shape.CUSTOM)]),
            r"colliders\[0\].sdf: expected a function",
        ),
        (
            lambda: billow.Body([billow.Collider(shape=billow.Shape.GRID)]),
            r"colliders\[0\].grid: expected a grid",
        ),
        (
            lambda: billow.Body([billow.Collider(shape=billow.Shape.NEURAL)]),
            r"colliders\[0\].neural: expected a network",
        ),
        (
            lambda: billow.Body([], joint_rest=np.zeros((2, 6))),
            r"joint_rest: expected an array of shape \(n, 7\)",
        ),
        (lambda: billow.Body([], joint_count=0), "joint_count"),
        (lambda: billow.Body.ground(float("nan")), "expected a finite number within 1e9, found nan"),
        (lambda: billow.Body([]).pose(np.zeros((2, 7))), "joint_count: expected 1, found 2"),
        (
            lambda: billow.Body([]).query([[0, 0]]),
            r"points: expected an array of shape \(n, 3\), found shape \(1, 2\)",
        ),
        (
            lambda: billow.Collider(joint=[0, 1], weight=[1]),
            "expected 1 to 4 joints and as many weights, found 2 and 1",
        ),
        (lambda: billow.Collider(weight=[1]), "Collider.weight: expected joints that it is for"),
        (
            lambda: billow.Collider.custom((0, 0, 0), 1, 5),
            "Collider.sdf: expected a function of points, found int",
        ),
        (lambda: billow.Collider.of_grid((0, 0, 0), 5), "Collider.grid: expected a Grid, found int"),
        (
            lambda: billow.Grid(np.zeros((3, 3), np.int16), 1, 1),
            r"grid.values: expected an array of shape \(n, n, n\)",
        ),
        (
            lambda: billow.Grid(np.full((3, 3, 3), 40000), 1, 1),
            "grid.values: expected numbers from -32768 to 32767, found 40000",
        ),
        (
            lambda: billow.Grid(np.zeros((3, 3, 3)), 1, 1),
            "grid.values: expected whole numbers, found dtype float64",
        ),
        (
            lambda: billow.Body(
                [billow.Collider.of_grid((0, 0, 0), billow.Grid(np.ones((3, 3, 3), int), 1, 1))]
            ),
            "expected some under 0, found none",
        ),
        (
            lambda: billow.Network(np.zeros(68 * 68 + 6 * 68 + 1), 68, (1, 1, 1), 0)
            and billow.Body(
                [
                    billow.Collider.of_network(
                        (0, 0, 0), billow.Network(np.zeros(68 * 68 + 6 * 68 + 1), 68, (1, 1, 1), 0)
                    )
                ]
            ),
            "multiple of 4 up to 64",
        ),
    ],
)
def test_bad_bodies(make: object, why: str) -> None:
    with pytest.raises(billow.InvalidArgument, match=why):
        make()


def test_layers(cape: billow.Garment, instance: billow.Instance) -> None:
    skirt = billow.Garment.load("assets/skirt.billow")
    inner = billow.Instance(skirt)
    layer = billow.Body.layer(inner)
    rest = {name: joint for name, joint in zip(cape.joint_names, cape.joint_rest)}
    for _ in range(3):
        inner.step(DT, [rest[name] for name in skirt.joint_names])
        layer.pose_layer(inner)
        instance.step(DT, cape.joint_rest, body=inner.body, others=[layer])
    collider = layer.colliders[0]
    assert collider.shape == billow.Shape.GRID and collider.group == billow.ColliderGroup.CLOTH
    assert layer.query(instance.positions).distances.min() > -0.01
    with pytest.raises(billow.InvalidArgument, match="inner: expected an instance of the layer's garment"):
        layer.pose_layer(instance)
    with pytest.raises(billow.InvalidArgument):
        layer.pose(REST)
    inner.set(normals=False)
    with pytest.raises(billow.InvalidArgument, match="option normals"):
        billow.Body.layer(inner)


def test_options_and_reports(cape: billow.Garment, instance: billow.Instance) -> None:
    before = instance.options
    with instance.changed(push_out=False, lengths=billow.Lengths.OFF, profile=True):
        assert instance.options == before.replace(push_out=False, lengths=billow.Lengths.OFF, profile=True)
        play(instance, range(2))
        report = instance.report
        assert report.pushed == 0 and not report.asleep and report.stage_seconds["infer"] > 0
        assert list(report.stage_seconds) == [stage.name.lower() for stage in billow.FrameStage]
    assert instance.options == before
    play(instance, range(2, 4))
    assert instance.report.pushed > 0
    skipped = instance.positions.copy()
    instance.step(DT, cape.joint_rest, skip_mesh=True, teleport=billow.Teleport.KEEP, space=REST[0])
    np.testing.assert_array_equal(instance.positions, skipped)


def test_debug_drawing(instance: billow.Instance) -> None:
    play(instance, range(2))
    drawn = instance.debug_draw()
    for shape, colours, rows in (
        (drawn.lines, drawn.line_colours, (2, 3)),
        (drawn.points, drawn.point_colours, (3,)),
        (drawn.triangles, drawn.triangle_colours, (3, 3)),
    ):
        assert shape.shape == (len(colours), *rows) and len(colours) > 0 and colours.dtype == np.uint32
        assert np.isfinite(shape).all()
    strain = instance.debug_draw(billow.Debug.STRAIN)
    # Edges of the mesh, but for those along the seam.
    assert (
        0 <= len(billow.Strain(instance.garment).edges) - len(strain.lines) < 50 and len(strain.points) == 0
    )
    assert len(instance.body.debug_draw(billow.Debug.COLLIDERS).lines) > 0
    assert len(instance.chains.debug_draw(billow.Debug.ROPES).lines) == 142
    with pytest.raises(billow.InvalidArgument):
        instance.debug_draw(1 << 20)


def test_colliders_of_a_garment(cape: billow.Garment) -> None:
    colliders = cape.colliders
    assert len(colliders) == cape.collider_count == 31 and all(c.name for c in colliders)
    body = billow.Body(colliders, joint_rest=cape.joint_rest)
    instance = billow.Instance(cape)
    instance.step(0, cape.joint_rest)
    body.pose(cape.joint_rest)
    points = instance.positions[::100]
    np.testing.assert_allclose(body.query(points).distances, instance.body.query(points).distances, atol=1e-5)


def test_transforms_of_matrices() -> None:
    rng = np.random.default_rng(1)
    q = rng.normal(size=(200, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    q[:4] = np.eye(4)  # each component in its turn the only one
    x, y, z, w = q.T
    m = np.zeros((200, 4, 4))
    m[:, 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], -1)
    m[:, 1, :3] = np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], -1)
    m[:, 2, :3] = np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], -1)
    m[:, :3, :3] *= rng.uniform(0.5, 2, (200, 1, 1))
    m[:, :3, 3] = rng.normal(size=(200, 3))
    found = billow.from_matrices(m.reshape(20, 10, 4, 4)).reshape(200, 7)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found[:, :3], m[:, :3, 3], atol=1e-6)
    np.testing.assert_allclose(abs(np.sum(found[:, 3:] * q, 1)), 1, atol=1e-5)
    for bad, why in (
        (np.zeros((4, 4)), "no volume"),
        (np.diag([-1, 1, 1, 1]), "mirrors"),
        (np.eye(3), "shape"),
    ):
        with pytest.raises(billow.InvalidArgument, match=why):
            billow.from_matrices(bad)


def test_strain_of_a_stretched_mesh(cape: billow.Garment, instance: billow.Instance) -> None:
    strain = billow.Strain(cape)
    assert len(strain.edges) == len(np.unique(strain.edges, axis=0)) and strain.lengths.min() > 0
    flat = np.concatenate([cape.uvs * 1.02, np.zeros((cape.vertex_count, 1), np.float32)], 1)
    np.testing.assert_allclose(strain(flat), 0.02, atol=1e-4)
    np.testing.assert_allclose(strain.of_vertices(strain(flat)), 0.02, atol=1e-4)
    np.testing.assert_allclose(strain(flat, scale=1.02), 0, atol=1e-4)
    assert 0 < abs(strain(instance.positions)).mean() < 0.1
    with pytest.raises(billow.InvalidArgument, match=r"positions: expected an array of shape \(12690, 3\)"):
        strain(flat[1:])
