"""For nnU-Net: nnUNet_extTrainer=$(python -m highwatermark.nnunet) nnUNetv2_train 1 3d_fullres 0 -tr nnUNetTrainerWatched"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .watching.watch import watch


class Watched:
    """Makes any of nnU-Net's trainers watched: `class Mine(Watched, nnUNetTrainer_250epochs)`."""

    watch: Any = None

    def on_train_start(self) -> None:
        super().on_train_start()
        name = f"{self.plans_manager.dataset_name} {self.configuration_name}, fold {self.fold}"
        self.watch = watch(self.network, self.optimizer, name=name)

    def on_train_end(self) -> None:
        super().on_train_end()
        if self.watch is not None:
            self.watch.close()


def folder() -> Path:
    """The folder with nnUNetTrainerWatched, for nnU-Net's environment variable nnUNet_extTrainer."""
    return Path(__file__).with_name("nnunet_trainers")


if __name__ == "__main__":
    print(folder())
