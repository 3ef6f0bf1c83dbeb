"""The published networks that the tests and docs/own-networks.md's table convert: a name, how it is made, its input.

The inputs are small, but large enough for every norm to have more than one value a channel.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Callable, NamedTuple
from unittest import mock


class Network(NamedTuple):
    source: str  # the package that it is of
    name: str
    build: Callable[[], object]
    input: tuple[int, ...]
    tolerance: float = 1e-5  # of outputs and gradients, relative


def in_one_call(model):
    """A network of MONAI, whose attention is scaled_dot_product_attention."""
    for module in model.modules():
        if hasattr(module, "use_flash_attention"):
            module.use_flash_attention = True
    return model


def with_head(model):
    """torchvision's vision transformer, whose last layer begins with zeros: all outputs would be equal."""
    model.heads.head.reset_parameters()
    return model


def monai() -> list[Network]:
    from monai.networks import nets

    def network(name: str, build: Callable[[], object], *shape: int) -> Network:
        return Network("MONAI", name, build, shape)

    return [
        network("UNet", lambda: nets.UNet(3, 1, 3, (8, 16, 32, 64), (2, 2, 2), num_res_units=2, dropout=0.1),
                2, 1, 32, 32, 32),
        network("BasicUNet", lambda: nets.BasicUNet(3, 1, 2, (4, 4, 8, 8, 16, 4)), 1, 1, 32, 32, 32),
        network("BasicUNetPlusPlus", lambda: nets.BasicUNetPlusPlus(3, 1, 2, (4, 4, 8, 8, 16, 4)), 1, 1, 32, 32, 32),
        network("DynUNet", lambda: nets.DynUNet(3, 1, 3, [3] * 4, [1, 2, 2, 2], [2, 2, 2], filters=[8, 16, 32, 64]),
                1, 1, 32, 32, 32),
        network("SegResNet", lambda: nets.SegResNet(3, 8, 1, 2, dropout_prob=0.2), 1, 1, 16, 16, 16),
        network("SegResNetDS", lambda: nets.SegResNetDS(3, 8, 1, 2, blocks_down=(1, 2, 2), dsdepth=2), 1, 1, 32, 32, 32),
        network("VNet", lambda: nets.VNet(3, 1, 2), 2, 1, 16, 16, 16),
        network("AttentionUnet", lambda: nets.AttentionUnet(3, 1, 2, (8, 16, 32), (2, 2)), 2, 1, 16, 16, 16),
        network("HighResNet", lambda: nets.HighResNet(3, 1, 4), 1, 1, 16, 16, 16),
        network("ResNet 18", lambda: nets.resnet18(spatial_dims=3, n_input_channels=1, num_classes=3), 2, 1, 32, 32, 32),
        network("ResNet 50", lambda: nets.resnet50(spatial_dims=3, n_input_channels=1, num_classes=3), 2, 1, 32, 32, 32),
        network("DenseNet 121", lambda: nets.DenseNet121(3, 1, 3), 2, 1, 32, 32, 32),
        network("SEResNet 50", lambda: nets.SEResNet50(spatial_dims=3, in_channels=1, num_classes=3), 2, 1, 32, 32, 32),
        # x / keep * mask is rounded in another place than x * (mask / keep); a batch_norm of few values enlarges that.
        Network("MONAI", "EfficientNetBN b0", lambda: nets.EfficientNetBN("efficientnet-b0", False, spatial_dims=3,
                                                                          in_channels=1, num_classes=3),
                (2, 1, 64, 64, 64), 1e-4),
        network("RegUNet", lambda: nets.RegUNet(3, 1, 8, 3, out_channels=3), 1, 1, 32, 32, 32),
        network("UNETR", lambda: nets.UNETR(1, 2, (32, 32, 32), feature_size=8, hidden_size=96, mlp_dim=192, num_heads=4,
                                            proj_type="conv"), 1, 1, 32, 32, 32),
        network("UNETR, flash attention", lambda: in_one_call(nets.UNETR(
            1, 2, (64, 64, 64), feature_size=8, hidden_size=96, mlp_dim=192, num_heads=4, proj_type="conv")), 1, 1, 64, 64, 64),
    ]


def swin() -> list[Network]:
    import einops  # noqa: F401: MONAI's transformer of windows needs it
    from monai.networks import nets

    return [Network("MONAI", "SwinUNETR", lambda: nets.SwinUNETR(1, 2, feature_size=12, spatial_dims=3), (1, 1, 64, 64, 64))]


def nnunet() -> list[Network]:
    from dynamic_network_architectures.architectures.unet import PlainConvUNet, ResidualEncoderUNet
    from torch import nn

    options = dict(input_channels=1, n_stages=4, features_per_stage=(8, 16, 32, 64), conv_op=nn.Conv3d, kernel_sizes=3,
                   strides=(1, 2, 2, 2), num_classes=3, conv_bias=True, norm_op=nn.InstanceNorm3d,
                   norm_op_kwargs={"eps": 1e-5, "affine": True}, nonlin=nn.LeakyReLU, nonlin_kwargs={"inplace": True})
    plain = dict(n_conv_per_stage=2, n_conv_per_stage_decoder=2)
    residual = dict(n_blocks_per_stage=(1, 3, 4, 6), n_conv_per_stage_decoder=1)
    shape = (2, 1, 32, 32, 32)
    return [
        Network("nnU-Net", "PlainConvUNet", lambda: PlainConvUNet(**options, **plain), shape),
        Network("nnU-Net", "PlainConvUNet, deep supervision",
                lambda: PlainConvUNet(**options, **plain, deep_supervision=True), shape),
        Network("nnU-Net", "ResidualEncoderUNet", lambda: ResidualEncoderUNet(**options, **residual), shape),
    ]


def torchvision() -> list[Network]:
    from torchvision import models

    def network(name: str, build: Callable[[], object], *shape: int) -> Network:
        return Network("torchvision", name, build, shape or (2, 3, 64, 64))

    return [
        network("resnet50", models.resnet50),
        network("vgg16_bn", models.vgg16_bn),
        network("densenet121", models.densenet121),
        network("r3d_18", models.video.r3d_18, 2, 3, 8, 32, 32),
        network("mobilenet_v3_large", models.mobilenet_v3_large),
        network("deeplabv3_resnet50", lambda: models.segmentation.deeplabv3_resnet50(weights_backbone=None)),
        network("convnext_tiny", models.convnext_tiny),
        # Of several samples, nn.MultiheadAttention keeps less in some kernels than is counted (docs/own-networks.md).
        network("vit_b_16", lambda: with_head(models.vit_b_16(image_size=64)), 1, 3, 64, 64),
    ]


def as_trained() -> list[Network]:
    """Networks at the sizes that their tutorials and papers train: what fits a GPU is asked of these."""
    from dynamic_network_architectures.architectures.unet import PlainConvUNet, ResidualEncoderUNet
    from monai.networks import nets
    from torch import nn
    from torchvision import models

    six = dict(n_stages=6, features_per_stage=(32, 64, 128, 256, 320, 320), conv_op=nn.Conv3d, kernel_sizes=3,
               strides=(1, 2, 2, 2, 2, 2), conv_bias=True, norm_op=nn.InstanceNorm3d,
               norm_op_kwargs={"eps": 1e-5, "affine": True}, nonlin=nn.LeakyReLU, nonlin_kwargs={"inplace": True})

    def network(source: str, name: str, build: Callable[[], object], *shape: int) -> Network:
        return Network(source, name + ", as trained", build, shape)

    return [
        network("nnU-Net", "PlainConvUNet, 128³",
                lambda: PlainConvUNet(1, num_classes=3, n_conv_per_stage=2, n_conv_per_stage_decoder=2, deep_supervision=True, **six),
                2, 1, 128, 128, 128),
        network("nnU-Net", "ResidualEncoderUNet M, 128³",
                lambda: ResidualEncoderUNet(1, num_classes=3, n_blocks_per_stage=(1, 3, 4, 6, 6, 6), n_conv_per_stage_decoder=1,
                                            deep_supervision=True, **six), 2, 1, 128, 128, 128),
        network("MONAI", "UNet, 96³", lambda: nets.UNet(3, 1, 2, (16, 32, 64, 128, 256), (2, 2, 2, 2), num_res_units=2,
                                                        norm="batch"), 4, 1, 96, 96, 96),
        network("MONAI", "SegResNet, 128³", lambda: nets.SegResNet(3, 16, 4, 3, dropout_prob=0.2), 1, 4, 128, 128, 128),
        network("MONAI", "VNet, 128³", lambda: nets.VNet(3, 1, 2), 1, 1, 128, 128, 128),
        network("MONAI", "AttentionUnet, 96³", lambda: nets.AttentionUnet(3, 1, 2, (32, 64, 128, 256), (2, 2, 2)),
                2, 1, 96, 96, 96),
        network("MONAI", "DenseNet 121, 96³", lambda: nets.DenseNet121(3, 1, 2), 4, 1, 96, 96, 96),
        network("MONAI", "UNETR, 96³", lambda: nets.UNETR(1, 14, (96, 96, 96), feature_size=16, hidden_size=768, mlp_dim=3072,
                                                          num_heads=12, norm_name="instance"), 2, 1, 96, 96, 96),
        network("MONAI", "SwinUNETR, 96³", lambda: nets.SwinUNETR(1, 14, feature_size=48), 1, 1, 96, 96, 96),
        network("torchvision", "resnet50, 224²", models.resnet50, 32, 3, 224, 224),
        network("torchvision", "r3d_18, 16 x 112²", models.video.r3d_18, 8, 3, 16, 112, 112),
        network("torchvision", "convnext_tiny, 224²", models.convnext_tiny, 32, 3, 224, 224),
        network("torchvision", "vit_b_16, 224²", lambda: with_head(models.vit_b_16()), 32, 3, 224, 224),
    ]


@contextmanager
def same_draws(network: Network):
    """Stochastic depth is bernoulli_ in torchvision and in what Highwater writes; MONAI takes the integer part of torch.rand.
    Here bernoulli_ does the same for MONAI's network, or no number could be equal."""
    def bernoulli_(self, p=0.5, **_):
        import torch
        return self.copy_((torch.rand(self.shape) + p).floor_())

    if not network.name.startswith("EfficientNet"):
        yield
        return
    with mock.patch("torch.Tensor.bernoulli_", bernoulli_):
        yield


SOURCES = {"monai": monai, "einops": swin, "dynamic_network_architectures": nnunet, "torchvision": torchvision}


def available() -> tuple[list[Network], list[str]]:
    """The networks of the packages that are installed, and why the others are not here."""
    networks, missing = [], []
    for package, make in SOURCES.items():
        try:
            networks += make()
        except ImportError as error:
            missing.append(f"{package} cannot be imported: {error}")
    return networks, missing
