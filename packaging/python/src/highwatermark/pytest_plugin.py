"""The pytest mark @pytest.mark.peak_memory("11GiB", gpu="rtx3060").

A test with it fails if it needs more GPU memory. With `gpu`, the test runs in a separate process on that GPU, pretended; without, it
runs in this process and is skipped if there is no GPU.
"""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Iterator, Optional

import pytest

from .errors import HighwaterError
from .script_parts import failure_place, one_line

_CHILD = "HIGHWATERMARK_PEAK_REPORT"
_MARK = 'peak_memory(under, gpu=None): fail where the test needs more memory of a GPU, such as "11GiB"; gpu="rtx3060" pretends that GPU'


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARK)


def _arguments(item: pytest.Item) -> Optional[tuple[int, Optional[str]]]:
    mark = item.get_closest_marker("peak_memory")
    if mark is None:
        return None
    from .gates import size_of
    given = dict(zip(("under", "gpu"), mark.args), **mark.kwargs)
    if "under" not in given or set(given) - {"under", "gpu"}:
        raise HighwaterError(f"{item.name}: the mark is {_MARK.partition(':')[0]}")
    return size_of(given["under"]), given.get("gpu")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: Any) -> Optional[bool]:
    """Runs a test on a pretended GPU, in another process, including its fixtures."""
    if os.environ.get(_CHILD) or item.get_closest_marker("peak_memory") is None or any(item.iter_markers("skip")):
        return None
    try:
        under, gpu = _arguments(item) or (0, None)
    except HighwaterError as error:
        under, gpu, outcome = 0, "", ("failed", str(error))
    else:
        if gpu is None:
            return None
        outcome = _pretended(item, under, gpu)
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for when in ("setup", "call", "teardown"):
        result, said = outcome if when == "call" else ("passed", "")
        longrepr: Any = (str(item.path), item.location[1] or 0, f"Skipped: {said}") if result == "skipped" else said or None
        item.ihook.pytest_runtest_logreport(report=pytest.TestReport(
            item.nodeid, item.location, {name: 1 for name in item.keywords}, result, longrepr, when))
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _pretended(item: pytest.Item, under: int, gpu: str) -> tuple[str, str]:
    """Runs the test in another process; returns its outcome and a message."""
    from .gates import pretend
    from .program import format_bytes
    with tempfile.TemporaryDirectory(prefix="highwater-") as folder:
        report = os.path.join(folder, "report.json")
        where = item.config.rootpath / item.nodeid.partition("::")[0]
        command = ["-m", "pytest", "-q", "-p", "highwatermark.pytest_plugin", "-p", "no:cacheprovider", f"--rootdir={item.config.rootpath}",
                   f"{where}::{item.nodeid.partition('::')[2]}"]
        try:
            peak = pretend(gpu, command, {_CHILD: report})
        except (AssertionError, HighwaterError) as error:
            said = _read(report)
            return said if said[0] != "passed" else ("failed", str(error))
        said = _read(report)
        if said[0] != "passed":
            return said
        if peak.bytes > under:
            return "failed", f"{item.name} needs {peak}: more than {format_bytes(under)}"
        return "passed", ""


def _read(report: str) -> tuple[str, str]:
    try:
        with open(report, encoding="utf-8") as file:
            outcome, said = json.load(file)
            return outcome, said
    except (OSError, ValueError):
        return "passed", ""


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[None]:
    """In the process of a test on a pretended GPU: writes its outcome to a file."""
    made = yield
    report = made.get_result()
    path = os.environ.get(_CHILD)
    if path and (report.when == "call" or report.outcome != "passed"):
        said = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
        if call.excinfo is not None and call.excinfo.typename == "OutOfMemoryError":
            said = f"out of memory: {failure_place(call.excinfo.value)}: {one_line(call.excinfo.value)}"
        with open(path, "w", encoding="utf-8") as file:
            json.dump((report.outcome, said.replace("Skipped: ", "", 1)), file)


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Measures a test on the GPU of this machine."""
    given = None if os.environ.get(_CHILD) else _arguments(pyfuncitem)
    if given is None:
        yield
        return
    from .gates import begin_measuring, end_measuring
    from .program import format_bytes
    try:
        begin_measuring()
    except HighwaterError as error:
        pytest.skip(str(error))
    outcome = yield
    peak = end_measuring()
    if outcome.excinfo is None and peak.bytes > given[0]:
        pytest.fail(f"{pyfuncitem.name} needs {peak}: more than {format_bytes(given[0])}", pytrace=False)
