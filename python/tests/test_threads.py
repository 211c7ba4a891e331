"""Threads and processes: the GIL is released, races are refused, what cannot be shared says so."""

from __future__ import annotations

import copy
import logging
import os
import pickle
import sys
import threading
import time
import traceback

import numpy as np
import pytest

import billow
from conftest import DT, hanging, play, roots


def slow_chains() -> tuple[billow.Chains, np.ndarray]:
    """Chains whose settling takes a good while."""
    chains = hanging(400, 60)
    chains.wind = billow.Wind(velocity=(5, 0, 0), gust=1, gust_frequency=1)
    chains.set(drag=0.01)
    return chains, roots(400)


def test_steps_release_the_gil() -> None:
    chains, at = slow_chains()
    counted, stop = [0], threading.Event()

    def count() -> None:
        while not stop.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        # One call that would take over the switch interval many times.
        began, before = time.perf_counter(), counted[0]
        chains.settle(2, at)
        during, took = counted[0] - before, time.perf_counter() - began
    finally:
        stop.set()
        thread.join()
    assert took > 20 * sys.getswitchinterval()
    # With the GIL held, the other thread would have had its turn once at most, for an interval.
    assert during > 1000


def test_what_another_thread_uses_is_refused() -> None:
    chains, at = slow_chains()
    body = billow.Body.ground(-100)
    stop, errors = threading.Event(), []

    def work() -> None:
        try:
            while not stop.is_set():
                chains.settle(0.5, at, body=body)
        except Exception as error:  # seen by the other thread
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    refusals = {}
    try:
        until = time.monotonic() + 20
        while len(refusals) < 3 and time.monotonic() < until and thread.is_alive():
            for name, call in (
                ("read", lambda: chains.positions),
                ("write", lambda: chains.set(friction=0.2)),
                ("pose", lambda: body.pose([[0, 0, 0, 0, 0, 0, 1]])),
            ):
                try:
                    call()
                except billow.InvalidArgument as error:
                    refusals[name] = str(error)
            body.query([[0, 0, 0]])  # reading what others read is fine
    finally:
        stop.set()
        thread.join()
    # The two may also have met the other way round.
    assert all("expected one thread at a time" in str(e) for e in errors)
    assert set(refusals) == {"read", "write", "pose"}
    assert all("expected one thread at a time, found another one using it" in e for e in refusals.values())
    assert np.isfinite(chains.positions).all()


def test_threads_of_their_own_garments(cape: billow.Garment) -> None:
    expected = play(billow.Instance(cape), range(6))
    found: dict[int, list[int]] = {}

    def work(k: int) -> None:
        found[k] = play(billow.Instance(cape), range(6))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {k: expected for k in range(3)}


def test_nothing_with_a_state_pickles(cape: billow.Garment, instance: billow.Instance) -> None:
    for thing in (cape, instance, instance.chains, instance.body, billow.Crowd(cape, 1), hanging()):
        for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(
                TypeError, match=rf"billow.{type(thing).__name__} cannot be pickled or copied"
            ):
                attempt(thing)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forks_are_refused(cape: billow.Garment, instance: billow.Instance) -> None:
    play(instance, range(2))
    state, chains, body = instance.save(), hanging(), billow.Body.ground(0)
    expected = play(instance, range(2, 4))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            for use in (
                lambda: instance.step(DT, cape.joint_rest),
                lambda: instance.positions,
                lambda: instance.chains.report,
                lambda: chains.step(DT, roots()),
                lambda: body.query([[0, 0, 0]]),
            ):
                with pytest.raises(billow.InvalidArgument, match="expected one made in this process"):
                    use()
            # The garment may be used, and states go over.
            again = billow.Instance(cape)
            again.restore(state)
            assert play(again, range(2, 4)) == expected
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert instance.hash == expected[-1]  # this process goes on


def test_log_hears_what_is_refused(cape: billow.Garment, caplog: pytest.LogCaptureFixture) -> None:
    chains = hanging()
    with caplog.at_level(logging.DEBUG), billow.log_to("cloth", level=logging.ERROR):
        with pytest.raises(billow.InvalidArgument):
            chains.step(-1, roots())
        with billow.log_to(logging.getLogger("inner")), pytest.raises(billow.BadData):
            chains.restore(b"nonsense")  # and on other threads too:
        worker = threading.Thread(
            target=lambda: pytest.raises(billow.CannotRead, billow.Garment.load, "nowhere.billow")
        )
        worker.start()
        worker.join()
    with pytest.raises(billow.InvalidArgument):
        chains.step(-2, roots())  # nobody listens
    assert [(r.name, r.levelname, r.status) for r in caplog.records] == [
        ("cloth", "ERROR", billow.Status.INVALID_ARGUMENT),
        ("inner", "WARNING", billow.Status.BAD_DATA),
        ("cloth", "ERROR", billow.Status.CANNOT_READ),
    ]
    assert caplog.records[0].getMessage() == "step.dt: expected 0 or more, found -1"


def test_log_that_fails_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: seen.append(args.exc_value))

    class Broken(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise RuntimeError("full")

    logger = logging.getLogger("broken")
    handler = Broken()
    logger.addHandler(handler)
    try:
        with billow.log_to(logger), pytest.raises(billow.InvalidArgument, match="step.dt"):
            hanging().step(-1, roots())
    finally:
        logger.removeHandler(handler)
    assert [str(e) for e in seen] == ["full"]
