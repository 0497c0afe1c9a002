"""Writes files as CIFAR's and MNIST's into a folder. Prints for each DATA of weir, with its size, what
`weir run DATA --size SIZE --fit stretch --batch 32 --digest` must print: the file is read here again, independently."""

import hashlib
import random
import struct
import sys
from pathlib import Path

folder = Path(sys.argv[1])
generator = random.Random(7)


def digest(samples, batch=32):
    """`samples`: pairs of pixels (rows of RGB) and label."""
    total = hashlib.sha256()
    for first in range(0, len(samples), batch):
        part = samples[first : first + batch]
        for pixels, _ in part:
            total.update(pixels)
        total.update(struct.pack(f"<{len(part)}q", *(label for _, label in part)))
        total.update(struct.pack(f"<{len(part)}Q", *range(first, first + len(part))))
    return total.hexdigest()


def read_cifar(paths, labels, at):
    samples = []
    for path in paths:
        data = path.read_bytes()
        for start in range(0, len(data), labels + 3072):
            record = data[start : start + labels + 3072]
            planes = [record[labels + c * 1024 : labels + (c + 1) * 1024] for c in range(3)]
            samples.append((bytes(v for pixel in zip(*planes) for v in pixel), record[at]))
    return samples


def write_cifar(path, count, classes):
    with open(path, "wb") as file:
        for _ in range(count):
            file.write(bytes(generator.randrange(n) for n in classes) + generator.randbytes(3072))


batches = [folder / f"data_batch_{i}.bin" for i in (1, 2)]
for path in batches:
    write_cifar(path, 40, [10])
write_cifar(folder / "train.bin", 40, [20, 100])
print(f"cifar10:{folder}", "32x32", digest(read_cifar(batches, 1, 0)))
print(f"cifar10:{batches[1]}", "32x32", digest(read_cifar(batches[1:], 1, 0)))
print(f"cifar100:{folder}", "32x32", digest(read_cifar([folder / "train.bin"], 2, 1)))
print(f"cifar100-coarse:{folder}", "32x32", digest(read_cifar([folder / "train.bin"], 2, 0)))

for prefix, count in (("train", 50), ("t10k", 9)):
    images, labels = generator.randbytes(count * 28 * 20), bytes(generator.randrange(10) for _ in range(count))
    (folder / f"{prefix}-images-idx3-ubyte").write_bytes(struct.pack(">4I", 0x803, count, 28, 20) + images)
    (folder / f"{prefix}-labels-idx1-ubyte").write_bytes(struct.pack(">2I", 0x801, count) + labels)
for data, prefix in ((folder, "train"), (folder / "t10k-images-idx3-ubyte", "t10k")):
    raw = (folder / f"{prefix}-images-idx3-ubyte").read_bytes()
    _, count, rows, columns = struct.unpack(">4I", raw[:16])
    labels = (folder / f"{prefix}-labels-idx1-ubyte").read_bytes()[8:]
    side = rows * columns
    samples = [(bytes(v for v in raw[16 + i * side : 16 + (i + 1) * side] for _ in range(3)), labels[i]) for i in range(count)]
    print(f"mnist:{data}", f"{rows}x{columns}", digest(samples))
