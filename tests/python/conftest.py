"""The package is taken from the source tree."""

import sys
import warnings
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "packaging/python/src"), str(Path(__file__).parent)]
warnings.filterwarnings("ignore", module="monai|torch")

from highwatermark import HighwaterError, program  # noqa: E402


def pytest_collection_modifyitems(items):
    """The package needs its program for all that it does."""
    try:
        program.find()
    except HighwaterError as error:
        for item in items:
            item.add_marker(pytest.mark.skip(reason=str(error)))
