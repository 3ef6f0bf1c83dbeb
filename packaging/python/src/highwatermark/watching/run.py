"""highwatermark run train.py: watches a script with no line of it changed."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from typing import Any, Sequence

from .. import script_parts
from ..errors import HighwaterError
from .policy import TracePolicy


def run(arguments: Sequence[str]) -> int:
    """Runs the script in this process. Returns what the script's own run would have returned."""
    options, (script, *rest) = _options(arguments)
    if script == "-m" and not rest:
        raise HighwaterError("run: -m needs the name of a module")
    if script != "-m" and not os.path.isfile(script):
        command = os.path.join(os.path.dirname(sys.executable), script)  # of this environment, as nnUNetv2_train is
        if os.path.basename(script) != script or not os.path.isfile(command):
            raise HighwaterError(f"run: there is no script {script}")
        script = command
    try:
        TracePolicy.parse(options.trace)
    except ValueError as error:
        raise HighwaterError(f"run: --{error}") from None
    script_parts.OWN.update((os.path.abspath(__file__), os.path.abspath(sys.modules["__main__"].__file__ or "")))
    watches: list[Any] = []
    script_parts.give_signals_a_stack()

    def torch_imported() -> None:
        try:
            from .watch import Watch
            watches.append(Watch(None, None, name=options.name, trace=options.trace, store=options.store,
                                 command=[os.path.abspath(script) if script != "-m" else script, *rest]))
        except Exception as error:  # a PyTorch that is too old, or damaged: the script's own affair
            print(f"highwatermark: this run is not recorded: {script_parts.one_line(error)}", file=sys.stderr)

    sys.meta_path.insert(0, script_parts.AfterImport("torch", torch_imported))
    try:
        script_parts.execute(script, rest)
    except SystemExit as error:
        _close(watches, error)
        raise
    except BaseException as error:
        _close(watches, error)
        trace = script_parts.of_script(error.__traceback__)
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        if isinstance(error, KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        return 1
    _close(watches, None)
    return 0


def _close(watches: list[Any], error: Any) -> None:
    for watch in watches:
        watch.close(error)
        if watch.folder is not None:
            print(f"highwatermark: run {watch.number}, {watch.steps} steps, {watch.folder}", file=sys.stderr)


def _options(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """This command's own options, and the script with its arguments, which follow them."""
    parser = argparse.ArgumentParser(
        prog="highwatermark run", usage="%(prog)s [--name NAME] [--trace STEPS] [--store FOLDER] SCRIPT [ARGUMENT ...]",
        description="Run a training script and record it as a run of Highwater, which the window shows while it trains. SCRIPT is a "
        "file, or -m and a module. With --pretend GPU it runs on a GPU that is not there; the options are then those of "
        "highwatermark script.")
    parser.add_argument("--name", help="the run's name; otherwise the script's")
    parser.add_argument("--trace", default="first,worst", metavar="STEPS", help="steps that are recorded with every allocation: first, "
                        "worst, N (every Nth step), or several with commas; default: first,worst")
    parser.add_argument("--store", metavar="FOLDER", help="where the run is kept; otherwise Highwater's own store")
    at = 0
    while at < len(arguments) and arguments[at].startswith("--"):
        at += 1 if "=" in arguments[at] or arguments[at] in ("--help", "--") else 2
    options = parser.parse_args([word for word in arguments[:at] if word != "--"])
    if at >= len(arguments):
        parser.error("no script is given; write it, and its arguments, after the options")
    return options, list(arguments[at:])
