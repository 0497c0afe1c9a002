"""Compares `weir footprint` with the tensors that PyTorch's autograd saves: kept_by_torch.py WEIR MODEL.json…

Each model is built from torch.nn and run forward once. Saved tensors are counted by storage, without those of
parameters and of the input batch. The output, which the caller holds, is included. Exit 77
if there is no PyTorch, 1 if bytes or parameters differ.
"""

import json
import subprocess
import sys

try:
    import torch
    from torch import nn
except ImportError:
    print("no PyTorch here")
    sys.exit(77)

BATCH = 2


class Swish(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(x)


class InPlace(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class Mean(nn.Module):
    """As in PyTorch 2: the gradient of a mean needs only sizes. 1.13 kept the input."""

    def forward(self, x):
        return (x.sum((-1, -2), keepdim=True)) / (x.shape[-1] * x.shape[-2])


def pair(value):
    return tuple(value) if isinstance(value, list) else (value, value)


def volume(shape):
    total = 1
    for extent in shape:
        total *= extent
    return total


def module(layer, shape):
    """The module of one layer for images of `shape`."""
    kind = layer["type"]
    of = layer.get
    if kind == "Conv2d":
        return nn.Conv2d(shape[0], of("out_channels"), pair(of("kernel")), pair(of("stride", 1)),
                         pair(of("padding", 0)), pair(of("dilation", 1)), of("groups", 1), of("bias", True))
    if kind == "Linear":
        return nn.Linear(shape[-1], of("out_features"), of("bias", True))
    if kind == "BatchNorm":
        norm = nn.BatchNorm2d if len(shape) == 3 else nn.BatchNorm1d
        return norm(shape[0], affine=of("affine", True), track_running_stats=of("running", True))
    if kind == "GroupNorm":
        return nn.GroupNorm(of("groups"), shape[0], affine=of("affine", True))
    if kind == "Embedding":
        return nn.Embedding(of("count"), of("features"))
    if kind in ("MaxPool2d", "AvgPool2d"):
        kernel = pair(of("kernel"))
        arguments = [kernel, pair(of("stride", list(kernel))), pair(of("padding", 0))]
        if kind == "MaxPool2d":
            return nn.MaxPool2d(*arguments, pair(of("dilation", 1)), ceil_mode=of("ceil_mode", False))
        return nn.AvgPool2d(*arguments, ceil_mode=of("ceil_mode", False))
    if kind == "GlobalAvgPool":
        return Mean()
    if kind == "Dropout":
        return nn.Dropout(inplace=of("in_place", False))
    if kind in ("Softmax", "LogSoftmax"):
        return getattr(nn, kind)(dim=-1)
    if kind == "Swish":
        return Swish()
    if kind == "Flatten":
        return nn.Flatten()
    if kind in ("Sigmoid", "Tanh") and of("in_place", False):
        return InPlace(getattr(torch, kind.lower() + "_"))
    return getattr(nn, kind)(**({"inplace": True} if of("in_place", False) else {}))


def measure(model):
    """Bytes that autograd keeps, dropout's masks, shapes by layer, parameters and buffers."""
    at = model["input"]
    if "tokens" in at:
        batch = torch.zeros(BATCH, at["tokens"], dtype=torch.int64)
    elif "features" in at:
        batch = torch.rand(BATCH, at["features"])
    else:
        batch = torch.rand(BATCH, at["channels"], at["height"], at["width"])
    known = {batch.storage().data_ptr()}
    storages, shapes, parameters, masks = {}, [], 0, 0

    def save(tensor):
        place = tensor.storage().data_ptr()
        # Scalars that the derivative of a multiplication by a number keeps are not activations.
        if tensor.dim() > 0 and tensor.numel() > 0 and place not in known:
            storages[place] = (tensor.storage().nbytes(), tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(save, lambda tensor: tensor):
        values = batch
        for layer in model["layers"]:
            made = module(layer, list(values.shape[1:]))
            for tensor in list(made.parameters()) + list(made.buffers()):
                known.add(tensor.storage().data_ptr())
            parameters += sum(tensor.numel() for tensor in made.parameters())
            learns = parameters > 0
            # Dropout on the CPU multiplies by a mask of floats. A GPU keeps bytes, unless it is in place.
            if layer["type"] == "Dropout" and learns and not layer.get("in_place", False):
                masks += values.numel() * 3
            keep_alive.append(made)
            values = made(values)
            shapes.append(list(values.shape[1:]))
    if parameters > 0 and values.storage().data_ptr() not in known:
        storages[values.storage().data_ptr()] = (values.storage().nbytes(), values)
    return sum(size for size, _ in storages.values()) - masks, shapes, parameters


keep_alive = []


def predicted(weir, path):
    command = [weir, "footprint", path, "--batch", str(BATCH), "--micro-batch", str(BATCH), "--json", "-"]
    report = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(report.stdout)["footprint"]


def main(weir, *paths):
    torch.manual_seed(0)
    wrong = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            model = json.load(file)
        kept, shapes, parameters = measure(model)
        print_ = predicted(weir, path)
        ours = (print_["batch"]["kept_bytes"], [l["output"] for l in print_["layers"]], print_["parameters"])
        same = ours == (kept, shapes, parameters)
        wrong += not same
        print(f"{path}: kept {ours[0]:,} predicted, {kept:,} by PyTorch {torch.__version__}; "
              f"{parameters:,} parameters: {'equal' if same else 'NOT EQUAL'}")
        if not same:
            print("  predicted", ours[1:], "\n  PyTorch  ", (shapes, parameters))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
