"""`highwater-cli cases`: the host memory that it predicts, held against nnU-Net's own functions on this machine's CPU."""

import json
import subprocess
import sys

import pytest
from highwatermark import program

CLASSES = 16
SIZE, SPACING = (96, 160, 160), (1.5, 1.0, 1.0)  # slices, rows, columns
NEAR = 0.1

# Prints, for preprocessing and export, the highest resident memory less what the process held before.
MEASURE = """
import ctypes, json, os, sys
import numpy as np, torch
from batchgenerators.utilities.file_and_folder_operations import load_json
from nnunetv2.inference.export_prediction import export_prediction_from_logits
from nnunetv2.utilities.plans_handling.plans_handler import PlansManager

folder = sys.argv[1]
plans = PlansManager(load_json(folder + "/plans.json"))
dataset = load_json(folder + "/dataset.json")
configuration = plans.get_configuration("3d_fullres")

def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(name + ":"))

def measured(call):
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the highest resident memory is that of now
    before = status("VmRSS")
    result = call()
    return result, status("VmHWM") - before

def preprocess():
    return configuration.preprocessor_class(verbose=False).run_case([folder + "/scans/a_0000.nii.gz"], None, plans, configuration, dataset)

preprocess()  # loads what is loaded once
(data, _, properties), preprocessing = measured(preprocess)
heads = plans.get_label_manager(dataset).num_segmentation_heads
logits = torch.zeros((heads, *data.shape[1:]), dtype=torch.half)
logits += 1  # its pages exist
_, export = measured(lambda: export_prediction_from_logits(logits, properties, configuration, plans, dataset, folder + "/out"))
print(json.dumps({"preprocessing": preprocessing, "export": export + data.nbytes + logits.nbytes, "size": list(data.shape[1:])}))
"""


def write_model(folder):
    stages = 3
    arguments = {"n_stages": stages, "features_per_stage": [8, 16, 32], "conv_op": "torch.nn.modules.conv.Conv3d",
                 "kernel_sizes": [[3] * 3] * stages, "strides": [[1] * 3] + [[2] * 3] * (stages - 1), "n_conv_per_stage": [2] * stages,
                 "n_conv_per_stage_decoder": [2] * (stages - 1), "conv_bias": True,
                 "norm_op": "torch.nn.modules.instancenorm.InstanceNorm3d", "norm_op_kwargs": {"eps": 1e-5, "affine": True},
                 "dropout_op": None, "dropout_op_kwargs": None, "nonlin": "torch.nn.LeakyReLU", "nonlin_kwargs": {"inplace": True}}
    resampling = {"is_seg": False, "order_z": 0, "force_separate_z": None}
    configuration = {
        "data_identifier": "x", "preprocessor_name": "DefaultPreprocessor", "batch_size": 2, "patch_size": [32, 64, 64],
        "median_image_size_in_voxels": list(SIZE), "spacing": [1.5, 1.25, 1.25], "normalization_schemes": ["CTNormalization"],
        "use_mask_for_norm": [False], "resampling_fn_data": "resample_data_or_seg_to_shape",
        "resampling_fn_data_kwargs": {**resampling, "order": 3}, "resampling_fn_seg": "resample_data_or_seg_to_shape",
        "resampling_fn_seg_kwargs": {**resampling, "is_seg": True, "order": 1},
        "resampling_fn_probabilities": "resample_data_or_seg_to_shape", "resampling_fn_probabilities_kwargs": {**resampling, "order": 1},
        "architecture": {"network_class_name": "dynamic_network_architectures.architectures.unet.PlainConvUNet",
                         "arch_kwargs": arguments, "_kw_requires_import": ["conv_op", "norm_op", "dropout_op", "nonlin"]},
        "batch_dice": False}
    plans = {"dataset_name": "Dataset001_Test", "plans_name": "nnUNetPlans", "transpose_forward": [0, 1, 2], "transpose_backward": [0, 1, 2],
             "image_reader_writer": "SimpleITKIO", "configurations": {"3d_fullres": configuration}, "label_manager": "LabelManager",
             "foreground_intensity_properties_per_channel": {"0": {"mean": 0.0, "std": 1.0, "percentile_00_5": -9.0, "percentile_99_5": 9.0}}}
    labels = {"background": 0, **{f"organ {i}": i for i in range(1, CLASSES)}}
    (folder / "plans.json").write_text(json.dumps(plans))
    (folder / "dataset.json").write_text(json.dumps({"channel_names": {"0": "CT"}, "labels": labels, "file_ending": ".nii.gz"}))


def test_host_memory_is_nnunets(tmp_path):
    pytest.importorskip("nnunetv2", reason="nnunetv2 is not installed")
    itk = pytest.importorskip("SimpleITK", reason="SimpleITK is not installed")
    import numpy
    write_model(tmp_path)
    (tmp_path / "scans").mkdir()
    image = itk.GetImageFromArray(numpy.ones(SIZE, numpy.int16))
    image.SetSpacing(SPACING[::-1])
    itk.WriteImage(image, str(tmp_path / "scans/a_0000.nii.gz"))
    asked = subprocess.run([program.find(), "cases", tmp_path, tmp_path / "scans", "--gpu", "rtx3060", "--cudnn-library", "off", "--json"],
                           capture_output=True, text=True)
    if "unknown subcommand" in asked.stderr:
        pytest.skip("this highwater-cli has no command `cases`")
    assert asked.returncode == 0, asked.stderr
    case = json.loads(asked.stdout)["cases"][0]
    ran = subprocess.run([sys.executable, "-c", MEASURE, tmp_path], capture_output=True, text=True)
    if "PermissionError" in ran.stderr:
        pytest.skip("the highest resident memory of a process cannot be reset here")
    assert ran.returncode == 0, ran.stderr
    measured = json.loads(ran.stdout.splitlines()[-1])
    predicted = case["on_device"]["host"]
    assert case["resampled_size"] == measured["size"]
    for phase in ("preprocessing", "export"):
        assert measured[phase] == pytest.approx(predicted[f"{phase}_bytes"], rel=NEAR), phase


def test_weights_of_a_window_do_not_depend_on_the_device(tmp_path):
    """nnU-Net takes the minimum of the weights above zero; a pretended device has none, and its predictor gave up the device."""
    pytest.importorskip("nnunetv2", reason="nnunetv2 is not installed")
    import torch
    if not torch.version.cuda or int(torch.version.cuda.partition(".")[0]) not in (12, 13):
        pytest.skip("this PyTorch cannot be run on a pretended GPU")
    script = tmp_path / "weights.py"
    script.write_text("import torch\nfrom nnunetv2.inference.sliding_window_prediction import compute_gaussian\n"
                      "made = compute_gaussian((8, 8, 8), value_scaling_factor=10, device=torch.device('cuda'))\n"
                      "print(made.device.type, made.dtype, compute_gaussian.cache_info().currsize)\ncompute_gaussian.cache_clear()\n")
    done = subprocess.run([program.find(), "script", "--pretend", "rtx3060", "--store", tmp_path / "store", "--python", sys.executable, script],
                          capture_output=True, text=True)
    if "pretended device" in done.stderr and "is not beside" in done.stderr:
        pytest.skip("the pretended device is not installed beside highwater-cli")
    assert done.returncode == 0, done.stderr
    assert "cuda torch.float16 1" in done.stdout
