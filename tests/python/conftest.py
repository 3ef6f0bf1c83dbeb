"""The package is taken from the source tree."""

import sys
import warnings
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "packaging/python/src"), str(Path(__file__).parent)]
warnings.filterwarnings("ignore", module="monai|torch")
