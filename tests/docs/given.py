"""The files that the documentation's commands take from their user, made small: each function writes one."""

import gzip
import json
import struct
import zipfile

SHAPE = (40, 36, 32)  # i, j, k


def voxels(shape=SHAPE, values=200):
    """int16, i fastest."""
    i, j, k = shape
    return b"".join(struct.pack("<h", (7 * x + 5 * y + 3 * z) % values) for z in range(k) for y in range(j) for x in range(i))


def nifti(path, volumes=1, values=200):
    """NIfTI-1, int16, 1 mm."""
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, 4 if volumes > 1 else 3, *SHAPE, volumes, 1, 1, 1)
    struct.pack_into("<2h", header, 70, 4, 16)
    struct.pack_into("<8f", header, 76, 1, 1, 1, 1, 1, 1, 1, 1)
    struct.pack_into("<2f", header, 108, 352, 1)
    header[123] = 2
    struct.pack_into("<h", header, 254, 1)
    struct.pack_into("<12f", header, 280, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0)
    header[344:347] = b"n+1"
    path.write_bytes(gzip.compress(bytes(header) + voxels(values=values) * volumes, 1))


def bold(path):
    nifti(path, volumes=4)


def nrrd(path):
    head = "NRRD0004\ntype: int16\ndimension: 3\nspace: right-anterior-superior\nsizes: {} {} {}\n" \
           "space directions: (1,0,0) (0,1,0) (0,0,1)\nspace origin: (0,0,0)\nendian: little\nencoding: raw\n\n"
    path.write_bytes(head.format(*SHAPE).encode() + voxels())


def cohort(path):
    """Three cases as nnU-Net lays them out."""
    (path / "imagesTr").mkdir(parents=True)
    (path / "labelsTr").mkdir()
    for case in ("a", "b", "c"):
        nifti(path / "imagesTr" / f"{case}_0000.nii.gz")
        nifti(path / "labelsTr" / f"{case}.nii.gz", values=2)


def dicom(path):
    """One series of CT slices, explicit little endian."""
    def element(group, number, kind, value):
        value = value if isinstance(value, bytes) else str(value).encode()
        value += b"" if len(value) % 2 == 0 else (b"\0" if kind in ("UI", "OW") else b" ")
        length = struct.pack("<HI", 0, len(value)) if kind == "OW" else struct.pack("<H", len(value))
        return struct.pack("<HH", group, number) + kind.encode() + length + value

    def number(value):
        return struct.pack("<H", value)

    path.mkdir()
    i, j, k = 16, 12, 4
    for slice in range(k):
        meta = element(2, 2, "UI", "1.2.840.10008.5.1.4.1.1.2") + element(2, 3, "UI", f"1.2.840.1.{slice + 1}") \
            + element(2, 0x10, "UI", "1.2.840.10008.1.2.1")
        body = b"".join([
            element(8, 0x16, "UI", "1.2.840.10008.5.1.4.1.1.2"), element(8, 0x18, "UI", f"1.2.840.1.{slice + 1}"),
            element(8, 0x60, "CS", "CT"), element(0x20, 0xd, "UI", "1.2.840"), element(0x20, 0xe, "UI", "1.2.840.1"),
            element(0x20, 0x11, "IS", 1), element(0x20, 0x13, "IS", slice + 1),
            element(0x20, 0x32, "DS", f"0\\0\\{2 * slice}"), element(0x20, 0x37, "DS", "1\\0\\0\\0\\1\\0"),
            element(0x28, 2, "US", number(1)), element(0x28, 4, "CS", "MONOCHROME2"), element(0x28, 0x10, "US", number(j)),
            element(0x28, 0x11, "US", number(i)), element(0x28, 0x30, "DS", "1\\1"), element(0x28, 0x100, "US", number(16)),
            element(0x28, 0x101, "US", number(16)), element(0x28, 0x102, "US", number(15)),
            element(0x28, 0x103, "US", number(1)), element(0x7fe0, 0x10, "OW", voxels((i, j, 1)))])
        meta = element(2, 0, "UL", struct.pack("<I", len(meta))) + meta
        (path / f"IM{slice}").write_bytes(bytes(128) + b"DICM" + meta + body)


def plans(path):
    """nnU-Net's, of a network that is small."""
    arguments = {"n_stages": 3, "features_per_stage": [8, 16, 32], "conv_op": "torch.nn.modules.conv.Conv3d",
                 "kernel_sizes": [[3, 3, 3]] * 3, "strides": [[1, 1, 1], [2, 2, 2], [2, 2, 2]],
                 "n_conv_per_stage": [2, 2, 2], "n_conv_per_stage_decoder": [2, 2], "conv_bias": True,
                 "norm_op": "torch.nn.modules.instancenorm.InstanceNorm3d",
                 "norm_op_kwargs": {"eps": 1e-5, "affine": True}, "dropout_op": None, "dropout_op_kwargs": None,
                 "nonlin": "torch.nn.LeakyReLU", "nonlin_kwargs": {"inplace": True}}
    network = "dynamic_network_architectures.architectures.unet.PlainConvUNet"
    path.write_text(json.dumps({
        "dataset_name": "Dataset001_BrainTumour", "plans_name": "nnUNetPlans",
        "configurations": {"3d_fullres": {
            "data_identifier": "nnUNetPlans_3d_fullres", "batch_size": 2, "patch_size": [32, 32, 32],
            "normalization_schemes": ["ZScoreNormalization"], "spacing": [1.0, 1.0, 1.0],
            "architecture": {"network_class_name": network, "arch_kwargs": arguments}}}}))


def experiment(path):
    path.write_text(json.dumps({
        "schema": "highwater.experiment/1", "name": "two convolutions", "input": {"synthetic": [1, 16, 16, 16]},
        "stack": [{"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1}, {"type": "relu"},
                  {"type": "conv", "out_channels": 1, "kernel_size": 3, "padding": 1}]}))


def onnx(path):
    """What torch.onnx.export writes of a network with one convolution, its weights in another file."""
    def number(value):
        low, more = value & 127, value >> 7
        return bytes([low | (128 if more else 0)]) + (number(more) if more else b"")

    def field(key, value):
        if isinstance(value, int):
            return number(key << 3) + number(value)
        held = value.encode() if isinstance(value, str) else value
        return number(key << 3 | 2) + number(len(held)) + held

    def value(name, *sizes):
        shape = b"".join(field(1, field(1, size)) for size in sizes)
        return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))

    weight = b"".join(field(1, size) for size in (4, 1, 1, 1, 1)) + field(2, 1) + field(8, "conv.weight") + field(14, 1)
    node = field(1, "x") + field(1, "conv.weight") + field(2, "y") + field(3, "/conv/Conv") + field(4, "Conv")
    graph = (field(1, node) + field(5, weight) + field(11, value("x", 2, 1, 16, 16, 16)) +
             field(12, value("y", 2, 4, 16, 16, 16)))
    path.write_bytes(field(1, 8) + field(7, graph) + field(8, field(2, 17)))


def program(path):
    """What torch.export.save writes of a network with one convolution, as far as Highwater reads it."""
    def tensor(name):
        return {"as_tensor": {"name": name}}

    def meta(*sizes):
        return {"dtype": 7, "sizes": [{"as_int": size} for size in sizes], "requires_grad": True, "strides": []}

    conv = {"target": "torch.ops.aten.conv3d.default", "outputs": [tensor("conv3d")], "metadata": {"nn_module_stack": (
                "L__self__,,my_module.Net;L__self___conv,conv,torch.nn.modules.conv.Conv3d")},
            "inputs": [{"name": "input", "arg": tensor("x")}, {"name": "weight", "arg": tensor("p_weight")}]}
    graph = {"inputs": [tensor("p_weight"), tensor("x")], "nodes": [conv],
             "tensor_values": {"x": meta(2, 1, 16, 16, 16), "p_weight": meta(4, 1, 1, 1, 1),
                               "conv3d": meta(2, 4, 16, 16, 16)}}
    signature = {"input_specs": [{"parameter": {"arg": {"name": "p_weight"}, "parameter_name": "conv.weight"}},
                                 {"user_input": {"arg": tensor("x")}}],
                 "output_specs": [{"user_output": {"arg": tensor("conv3d")}}]}
    whole = {"graph_module": {"graph": graph, "signature": signature}, "schema_version": {"major": 8, "minor": 17},
             "verifiers": ["TRAINING"]}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("net/models/model.json", json.dumps(whole))
