"""Trains an exported experiment in this Python, in place of Highwater's engine:

    python -I run_experiment.py --run DIR --device DEVICE --steps N --warmup N [--budget BYTES] [--no-trace]
    python -I run_experiment.py --describe      # prints as one JSON object which PyTorch this Python has, and why that cannot train
    python -I run_experiment.py --describe-pretended      # the same for a pretended GPU; neither imports it

-I keeps the current folder and $PYTHONPATH out of sys.path, so that files there are never imported. It leaves out the user's
own packages too, where `pip install --user` puts PyTorch: they are added as Python itself would.
"""
import json
import os
import site
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
if sys.prefix == sys.base_prefix and site.getusersitepackages() not in sys.path:
    site.addsitedir(site.getusersitepackages())


def describe(pretended):
    from highwatermark import script_parts
    version, _ = script_parts.torch_version()
    problem = script_parts.torch_problem(cuda=pretended)
    cudnn = next((folder for folder in (os.path.join(place, "nvidia", "cudnn", "lib") for place in sys.path)
                  if os.path.isabs(folder) and os.path.isfile(os.path.join(folder, "libcudnn.so.9"))), "")
    return {"python": sys.version.split()[0], "torch": version, "cudnn": cudnn, "problem": problem}


if __name__ == "__main__":
    if sys.argv[1] in ("--describe", "--describe-pretended"):
        print(json.dumps(describe(sys.argv[1] == "--describe-pretended")))
    else:
        from highwatermark.watching.experiment import main
        sys.exit(main(sys.argv[1:]))
