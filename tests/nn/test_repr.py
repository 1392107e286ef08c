"""Representations of layers, in PyTorch's words."""

from __future__ import annotations

import pytest

from flambeau import nn

# Written down from PyTorch 2.13.
REPRESENTATIONS = [
    ("nn.Linear(2, 3)", "Linear(in_features=2, out_features=3, bias=True)"),
    ("nn.Linear(2, 3, bias=False)", "Linear(in_features=2, out_features=3, bias=False)"),
    ("nn.Bilinear(2, 3, 4)", "Bilinear(in1_features=2, in2_features=3, out_features=4, bias=True)"),
    ("nn.LazyLinear(3)", "LazyLinear(in_features=0, out_features=3, bias=True)"),
    ("nn.Identity()", "Identity()"),
    ("nn.Threshold(0.1, 20, True)", "Threshold(threshold=0.1, value=20, inplace=True)"),
    ("nn.ReLU()", "ReLU()"),
    ("nn.ReLU(inplace=True)", "ReLU(inplace=True)"),
    ("nn.RReLU(inplace=True)", "RReLU(lower=0.125, upper=0.3333333333333333, inplace=True)"),
    ("nn.Hardtanh(-2.0, 2.0)", "Hardtanh(min_val=-2.0, max_val=2.0)"),
    ("nn.ReLU6(True)", "ReLU6(inplace=True)"),
    ("nn.Hardsigmoid(True)", "Hardsigmoid()"),
    ("nn.SiLU()", "SiLU()"),
    ("nn.Mish(True)", "Mish(inplace=True)"),
    ("nn.ELU()", "ELU(alpha=1.0)"),
    ("nn.CELU(0.5, True)", "CELU(alpha=0.5, inplace=True)"),
    ("nn.GLU(1)", "GLU(dim=1)"),
    ('nn.GELU("tanh")', "GELU(approximate='tanh')"),
    ("nn.Hardshrink()", "Hardshrink(0.5)"),
    ("nn.LeakyReLU()", "LeakyReLU(negative_slope=0.01)"),
    ("nn.Softplus()", "Softplus(beta=1.0, threshold=20.0)"),
    ("nn.PReLU(3)", "PReLU(num_parameters=3)"),
    ("nn.Softmax(dim=1)", "Softmax(dim=1)"),
    (
        "nn.Embedding(3, 4, 0, max_norm=1.0, norm_type=3.0, scale_grad_by_freq=True, sparse=True)",
        "Embedding(3, 4, padding_idx=0, max_norm=1.0, norm_type=3.0, scale_grad_by_freq=True, sparse=True)",
    ),
    ('nn.EmbeddingBag(3, 4, mode="sum", padding_idx=1)', "EmbeddingBag(3, 4, mode='sum', padding_idx=1)"),
    ("nn.Dropout(0.2)", "Dropout(p=0.2, inplace=False)"),
    ("nn.LayerNorm(3)", "LayerNorm((3,), eps=1e-05, elementwise_affine=True, bias=True)"),
    ("nn.LayerNorm((3, 4), bias=False)", "LayerNorm((3, 4), eps=1e-05, elementwise_affine=True, bias=False)"),
    ("nn.GroupNorm(2, 4, affine=False)", "GroupNorm(2, 4, eps=1e-05, affine=False, bias=False)"),
    ("nn.RMSNorm(3)", "RMSNorm((3,), eps=None, elementwise_affine=True)"),
    ("nn.BatchNorm1d(3)", "BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)"),
    (
        "nn.InstanceNorm2d(3)",
        "InstanceNorm2d(3, eps=1e-05, momentum=0.1, affine=False, bias=False, track_running_stats=False)",
    ),
    (
        "nn.LazyBatchNorm1d()",
        "LazyBatchNorm1d(0, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)",
    ),
    ("nn.LocalResponseNorm(2)", "LocalResponseNorm(2, alpha=0.0001, beta=0.75, k=1.0)"),
    ("nn.CrossMapLRN2d(2)", "CrossMapLRN2d(2, alpha=0.0001, beta=0.75, k=1)"),
    ("nn.Conv1d(2, 4, 3)", "Conv1d(2, 4, kernel_size=(3,), stride=(1,))"),
    (
        'nn.Conv2d(2, 4, 3, 2, 1, 2, 2, False, "reflect")',
        "Conv2d(2, 4, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), dilation=(2, 2), groups=2, bias=False, "
        "padding_mode=reflect)",
    ),
    ('nn.Conv2d(2, 4, (3, 5), padding="same")', "Conv2d(2, 4, kernel_size=(3, 5), stride=(1, 1), padding=same)"),
    (
        "nn.ConvTranspose2d(2, 4, 3, stride=2, output_padding=1)",
        "ConvTranspose2d(2, 4, kernel_size=(3, 3), stride=(2, 2), output_padding=(1, 1))",
    ),
    ("nn.LazyConv2d(3, 3)", "LazyConv2d(0, 3, kernel_size=(3, 3), stride=(1, 1))"),
    ("nn.MaxPool2d(2)", "MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)"),
    ("nn.MaxUnpool2d(2)", "MaxUnpool2d(kernel_size=(2, 2), stride=(2, 2), padding=(0, 0))"),
    ("nn.AvgPool1d(2)", "AvgPool1d(kernel_size=(2,), stride=(2,), padding=(0,))"),
    ("nn.AvgPool2d(2)", "AvgPool2d(kernel_size=2, stride=2, padding=0)"),
    ("nn.FractionalMaxPool2d(2, output_size=3)", "FractionalMaxPool2d()"),
    ("nn.LPPool1d(2, 3)", "LPPool1d(norm_type=2, kernel_size=3, stride=None, ceil_mode=False)"),
    ("nn.AdaptiveAvgPool2d((1, None))", "AdaptiveAvgPool2d(output_size=(1, None))"),
    ("nn.Upsample(scale_factor=2)", "Upsample(scale_factor=2.0, mode='nearest')"),
    ('nn.Upsample(size=3, mode="bilinear")', "Upsample(size=3, mode='bilinear')"),
    ("nn.PixelShuffle(2)", "PixelShuffle(upscale_factor=2)"),
    ("nn.ChannelShuffle(2)", "ChannelShuffle(groups=2)"),
    ("nn.Flatten()", "Flatten(start_dim=1, end_dim=-1)"),
    ("nn.Unflatten(1, (2, 3))", "Unflatten(dim=1, unflattened_size=(2, 3))"),
    ("nn.Unfold(2)", "Unfold(kernel_size=2, dilation=1, padding=0, stride=1)"),
    ("nn.Fold(2, 2)", "Fold(output_size=2, kernel_size=2, dilation=1, padding=0, stride=1)"),
    ("nn.ZeroPad2d(1)", "ZeroPad2d((1, 1, 1, 1))"),
    ("nn.ConstantPad1d(1, 2.0)", "ConstantPad1d(padding=(1, 1), value=2.0)"),
    ("nn.ReflectionPad2d(1)", "ReflectionPad2d((1, 1, 1, 1))"),
    ("nn.CrossEntropyLoss()", "CrossEntropyLoss()"),
    ("nn.CosineSimilarity()", "CosineSimilarity()"),
]


@pytest.mark.parametrize(("expression", "expected"), REPRESENTATIONS)
def test_layer(expression, expected):
    assert repr(eval(expression, {"nn": nn})) == expected


def test_tree():
    model = nn.Sequential(
        nn.Linear(2, 2), nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()]), nn.ModuleDict({"x": nn.ELU()})
    )
    assert repr(model) == (
        "Sequential(\n"
        "  (0): Linear(in_features=2, out_features=2, bias=True)\n"
        "  (1): ModuleList(\n"
        "    (0-1): 2 x ReLU()\n"
        "    (2): Tanh()\n"
        "  )\n"
        "  (2): ModuleDict(\n"
        "    (x): ELU(alpha=1.0)\n"
        "  )\n"
        ")"
    )


def test_several_lines_of_extra_repr():
    class Two(nn.Module):
        def extra_repr(self):
            return "a\nb"

    assert repr(Two()) == "Two(\n  a\n  b\n)"
    assert repr(nn.Module()) == "Module()"
