"""PyTorch's DataLoader over torchvision's ImageFolder, as in their documentation: images by TorchCodec where it is
installed, else by Pillow. Arguments: README.md."""
import json
import sys
import time

import torch
from torchvision import datasets, transforms

from pytorch_images import decoder


def main():
    folder, fit = sys.argv[1:3]
    size, batch, queue, epochs = map(int, sys.argv[3:7])
    consumer_s, workers = float(sys.argv[7]) / 1000, int(sys.argv[8])
    torch.set_num_threads(1)  # the workers are the parallelism; DataLoader does the same in each
    geometry = {
        "center": [transforms.Resize(round(size * 256 / 224)), transforms.CenterCrop(size)],
        "random": [transforms.RandomResizedCrop(size), transforms.RandomHorizontalFlip()],
    }[fit]
    normalize = transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    name, decode = decoder()
    if name == "TorchCodec":
        to_floats, opened = transforms.ConvertImageDtype(torch.float32), {"loader": decode}
    else:
        to_floats, opened = transforms.ToTensor(), {}
    images = datasets.ImageFolder(folder, transforms.Compose([*geometry, to_floats, normalize]), **opened)
    loader = torch.utils.data.DataLoader(
        torch.utils.data.ConcatDataset([images] * epochs),  # so that an epoch's end is no pause
        batch_size=batch, shuffle=True, num_workers=workers,
        prefetch_factor=max(1, queue // workers))

    start, samples, total, seen = None, 0, 0.0, 0
    for pixels, _ in loader:
        some = pixels.view(-1)[::1009]
        total, seen = total + some.sum().item(), seen + len(some)
        if start is None:
            start = time.monotonic()
        else:
            samples += len(pixels)
        if consumer_s:
            time.sleep(consumer_s)
    print(json.dumps({"samples": samples, "seconds": time.monotonic() - start, "checksum": total / seen}))


if __name__ == "__main__":
    main()
