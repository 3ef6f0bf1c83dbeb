"""What `highwater-cli export nnunet` writes, trained by nnU-Net itself on the CPU against nnU-Net's own trainer."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("nnunetv2", reason="nnunetv2 is not installed")

from highwatermark import program  # noqa: E402

TRAIN = """
import json, sys, torch
from nnunetv2.utilities.find_objects import recursive_find_trainer_class_by_name as find
torch.set_num_threads(1)
torch.use_deterministic_algorithms(True)
out, compiled, *jobs = sys.argv[1:]
dataset = {"channel_names": {"0": "CT"}, "labels": {"background": 0, "a": 1, "b": 2}, "file_ending": ".nii.gz"}
def batch(generator):
    images = torch.randn(4, 1, 16, 16, 16, generator=generator)
    labels = torch.randint(0, 3, images.shape, generator=generator).float()
    return {"data": images, "target": [labels[..., ::s, ::s, ::s] for s in (1, 2)]}
def train(name, plans):
    torch.manual_seed(1)
    data = torch.Generator().manual_seed(2)
    trainer = find(name)({**json.load(open(plans)), "continue_training": False}, "3d_fullres", 0, dataset, torch.device("cpu"))
    trainer.initialize()
    if compiled == "True":
        trainer.network = torch.compile(trainer.network, backend="aot_eager")
    trainer.network.train()
    losses = []
    for step in range(10):
        trainer.lr_scheduler.step(step)
        losses.append(float(trainer.train_step(batch(data))["loss"]))
    with torch.no_grad():
        results = trainer.validation_step(batch(data))
    weights = {key.removeprefix("_orig_mod."): value for key, value in trainer.network.state_dict().items()}
    return {"weights": weights, "losses": losses, "lr": trainer.optimizer.param_groups[0]["lr"],
            "validation": {key: value.tolist() for key, value in results.items()}}
results = []
for name, plans in zip(jobs[::2], jobs[1::2]):
    try:
        results.append(train(name, plans))
    except RuntimeError as error:
        results.append({"error": str(error)})
torch.save(results, out)
"""


def plans(residual: bool) -> dict:
    """A small network of the newer layout, whose patch is large enough to need a plan."""
    blocks = {"n_blocks_per_stage": [1, 2, 2]} if residual else {"n_conv_per_stage": [2, 2, 2]}
    kwargs = {"n_stages": 3, "features_per_stage": [8, 16, 32], "conv_op": "torch.nn.modules.conv.Conv3d",
              "kernel_sizes": [[3, 3, 3]] * 3, "strides": [[1, 1, 1], [2, 2, 2], [2, 2, 2]], **blocks,
              "n_conv_per_stage_decoder": [2, 2], "conv_bias": True,
              "norm_op": "torch.nn.modules.instancenorm.InstanceNorm3d", "norm_op_kwargs": {"eps": 1e-5, "affine": True},
              "dropout_op": None, "dropout_op_kwargs": None, "nonlin": "torch.nn.LeakyReLU", "nonlin_kwargs": {"inplace": True}}
    network = "ResidualEncoderUNet" if residual else "PlainConvUNet"
    return {"dataset_name": "Dataset001_Test", "plans_name": "nnUNetPlans", "label_manager": "LabelManager",
            "configurations": {"3d_fullres": {
                "data_identifier": "nnUNetPlans_3d_fullres", "batch_size": 4, "patch_size": [160, 160, 160],
                "spacing": [1, 1, 1], "normalization_schemes": ["CTNormalization"], "batch_dice": False,
                "architecture": {"network_class_name": f"dynamic_network_architectures.architectures.unet.{network}",
                                 "arch_kwargs": kwargs, "_kw_requires_import": ["conv_op", "norm_op", "dropout_op", "nonlin"]}}}}


def cli(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run([program.find(), "export", "nnunet", *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.fixture
def exported(tmp_path):
    """Exports at a share of the memory that the network needs as it is."""

    def export(residual: bool, share: float, *options) -> dict:
        file = tmp_path / "nnUNetPlans.json"
        file.write_text(json.dumps(plans(residual)))
        always = [file, "--gpu", "h100", "--cudnn-library", "off", "--out", tmp_path / "out", "--json", *options]
        plain = cli(*always)
        if "nnunet" in plain.stderr and "not expected" in plain.stderr:
            pytest.skip("this program has no `export nnunet`")
        assert plain.returncode == 0, plain.stderr
        budget = int(json.loads(plain.stdout)["peak_bytes"]["expected"] * share)
        done = cli(*always, "--budget", budget)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return export


def trained(folder, *jobs, compiled=False) -> list[dict]:
    """What each pair of a trainer and a plans file gives, one after another in one process."""
    import torch

    for where in ("pre/Dataset001_Test/nnUNetPlans_3d_fullres", "res"):
        (folder / where).mkdir(parents=True, exist_ok=True)
    (folder / "pre/Dataset001_Test/nnUNetPlans_3d_fullres/case.npz").touch()  # nnU-Net asks for the files' ending
    out = folder / "results.pt"
    arguments = [str(word) for job in jobs for word in job]
    done = subprocess.run([sys.executable, "-c", TRAIN, out, str(compiled), *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, "nnUNet_raw": str(folder), "nnUNet_preprocessed": str(folder / "pre"),
                               "nnUNet_results": str(folder / "res"), "nnUNet_extTrainer": str(folder / "out")})
    assert done.returncode == 0, done.stderr
    return torch.load(out)


@pytest.mark.parametrize(("residual", "compiled"), [(False, False), (True, False), (True, True)])
def test_recomputed_modules_train_to_the_same_weights(tmp_path, exported, residual, compiled):
    made = exported(residual, 0.7, "--no-micro-batches")
    assert made["recomputed"] and made["micro_batches"] == 1
    plain, saved = trained(tmp_path, ("nnUNetTrainer", tmp_path / "nnUNetPlans.json"), (made["trainer_name"], made["plans"]),
                           compiled=compiled)
    assert saved["losses"] == plain["losses"] and saved["lr"] == plain["lr"]
    assert saved["validation"] == plain["validation"]
    assert plain["weights"].keys() == saved["weights"].keys()
    for key, weight in plain["weights"].items():
        assert weight.equal(saved["weights"][key]), key


def test_micro_batches_train_to_the_same_weights_but_for_rounding(tmp_path, exported):
    made = exported(False, 0.55)
    assert made["micro_batches"] > 1
    plain, parts = trained(tmp_path, ("nnUNetTrainer", tmp_path / "nnUNetPlans.json"), (made["trainer_name"], made["plans"]))
    assert parts["losses"] == pytest.approx(plain["losses"], rel=1e-4)
    assert parts["validation"]["tp_hard"] == pytest.approx(plain["validation"]["tp_hard"], rel=1e-3)
    assert parts["validation"]["loss"] == pytest.approx(plain["validation"]["loss"], rel=1e-4)
    for key, weight in plain["weights"].items():
        assert (weight - parts["weights"][key]).abs().max() < 1e-4, key


def test_a_trainer_refuses_other_plans_and_losses_of_a_whole_batch(tmp_path, exported):
    made = exported(False, 0.55)
    whole = json.loads((tmp_path / "nnUNetPlans.json").read_text())
    whole["plans_name"] = made["plans_name"]
    whole["configurations"]["3d_fullres"]["batch_dice"] = True
    (tmp_path / "whole.json").write_text(json.dumps(whole))
    other, dice = trained(tmp_path, (made["trainer_name"], tmp_path / "nnUNetPlans.json"),
                          (made["trainer_name"], tmp_path / "whole.json"))
    assert other["error"] == "this trainer was made for nnUNetPlans_highwater 3d_fullres, not for nnUNetPlans 3d_fullres"
    assert dice["error"].startswith("a batch cannot be computed in parts here")
