"""What grows from step to step: 20 planted leaks, and 20 loops that have none."""

from __future__ import annotations

import json

import pytest

import loops
from highwatermark.watching.growth import slope
from watching import HERE, pretended, python


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("loops")
    done = python(HERE / "loops.py", folder / "store", "cuda", 32, **pretended("rtx3060", folder))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_there_are_twenty_of_each():
    assert len(loops.LEAKS) == len(loops.CLEAN) == 20


def expect_the_line(name, findings):
    function, kind, _ = loops.LEAKS[name]
    assert [each["kind"] for each in findings][:1] == [kind], findings
    lines = loops.lines_of(function)
    assert not lines or findings[0]["line"].split()[0] in {f"loops.py:{line}" for line in lines}, findings
    assert findings[0]["bytes_per_step"] > 0 and findings[0]["sentence"]


@pytest.mark.parametrize("name", loops.LEAKS)
def test_a_leak_is_found_by_its_line(found, name):
    expect_the_line(name, found[name])


@pytest.mark.parametrize("name", loops.CLEAN)
def test_a_clean_loop_has_none(found, name):
    assert found[name] == []


def test_on_a_cpu_a_leak_is_the_processes(tmp_path):
    names = ["outputs_with_their_graphs", "a_plain_loop"]
    done = python(HERE / "loops.py", tmp_path / "store", "cpu", 192, *names)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["a_plain_loop"] == []
    (leak,) = said["outputs_with_their_graphs"]
    line = min(loops.lines_of(loops.LEAKS["outputs_with_their_graphs"][0]))
    assert (leak["kind"], leak["line"]) == ("host", f"loops.py:{line} outputs_with_their_graphs")


def test_what_fills_up_or_comes_and_goes_does_not_rise():
    assert slope([100 * step for step in range(40)]).bytes_per_step == 100
    assert slope([100 * min(step, 30) for step in range(40)]) is None
    assert slope([100 * (step % 7) for step in range(40)]) is None
    assert slope([1000 - 900 / (step + 1) for step in range(400)], least=100) is None
    assert slope(range(10)) is None  # too few to say
