"""Runs Python programs one after the other, each as a child that has numpy and torch imported already: importing them
takes longer than most of the programs. Says its torch's version, then answers each line of stdin, a JSON object with
argv, out and err (files), with the exit code: negative for a signal."""
import json
import os
import runpy
import sys
import traceback

import numpy  # noqa: F401
import torch


def become(request):
    for name, descriptor in (("out", 1), ("err", 2)):
        os.dup2(os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), descriptor)
    sys.argv = request["argv"]
    sys.path[0] = os.path.dirname(sys.argv[0])
    code = 0
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


print(torch.__version__, flush=True)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        become(json.loads(line))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
