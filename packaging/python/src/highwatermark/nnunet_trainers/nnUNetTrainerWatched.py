"""nnU-Net's default trainer, watched. nnU-Net finds it in the folder named by the environment variable nnUNet_extTrainer."""

from nnunetv2.training.nnUNetTrainer.nnUNetTrainer import nnUNetTrainer

from highwatermark.nnunet import Watched


class nnUNetTrainerWatched(Watched, nnUNetTrainer):
    """Trains as nnUNetTrainer does."""
