"""Measures on a GPU the rate of copies, and of training a ResNet in bfloat16 with weir, with PyTorch's DataLoader and
without a loader. Rows take turns, each in a process of its own; see README.md. Needs PyTorch and torchvision
with CUDA."""
import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

sys.path.append(str(Path(__file__).parent / "peers"))
from pytorch_images import decoder  # noqa: E402

MIB = 1 << 20
MEAN, STDDEV = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def parse():
    parser = argparse.ArgumentParser(prog="./dev bench gpu", description=__doc__)
    parser.add_argument("--program", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--photos", type=Path, help="default: photos in $WEIR_TEST_DATA")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=4, help="seconds for each row in each round")
    parser.add_argument("--warm", type=float, default=1.5, help="seconds of warm-up before that")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--side", type=int, default=224)
    parser.add_argument("--device", default="cuda", help="cpu: a trial run whose figures mean nothing")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--json", type=Path, help="append each row as a line")
    parser.add_argument("--ready", action="store_true", help="check whether measuring is possible; exit 1: no")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


# ---- PyTorch's side, in a process of its own ---------------------------------------------------


class Photos:
    """The files of a folder of class folders, repeated several times."""

    def __init__(self, folder, times, pillow, side):
        try:
            from torchvision.transforms import v2 as transforms
        except ImportError:  # before torchvision 0.15
            from torchvision import transforms
        self.files = [(str(file), label) for label, kind in enumerate(sorted(Path(folder).iterdir()))
                      for file in sorted(kind.iterdir())]
        self.times, self.pillow = times, pillow
        self.crop = transforms.Compose([transforms.RandomResizedCrop(side, antialias=pillow),
                                        transforms.RandomHorizontalFlip(),
                                        *([transforms.PILToTensor()] if pillow else [])])

    def __len__(self):
        return len(self.files) * self.times

    def __getitem__(self, i):
        file, label = self.files[i % len(self.files)]
        if self.pillow:
            from PIL import Image
            return self.crop(Image.open(file).convert("RGB")), label
        return self.crop(decoder()[1](file)), label


def child(options, row):
    import torch
    import torchvision
    torch.backends.cudnn.benchmark = True
    device, on_gpu = torch.device(options.device), options.device != "cpu"
    slope = torch.tensor([1 / 255 / s for s in STDDEV], device=device).view(1, 3, 1, 1)
    offset = torch.tensor([-m / s for m, s in zip(MEAN, STDDEV)], device=device).view(1, 3, 1, 1)

    def normalised(pixels):
        out = torch.empty(pixels.shape, dtype=torch.bfloat16 if on_gpu else torch.float32, device=device,
                          memory_format=torch.channels_last)
        return torch.addcmul(offset, pixels, slope, out=out)

    if row["consume"] == "train":
        model = getattr(torchvision.models, row["model"])(num_classes=1000)
        model = model.to(device, memory_format=torch.channels_last)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-5, foreach=True)

    def use(pixels, labels):
        if row["consume"] != "train":
            return
        images = normalised(pixels)
        with torch.autocast(options.device, torch.bfloat16, enabled=on_gpu):
            loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    def batches():
        if row["decoder"] is None:
            shape = (options.batch, options.side, options.side, 3)
            pixels = torch.randint(256, shape, dtype=torch.uint8, device=device).permute(0, 3, 1, 2)
            labels = torch.randint(1000, (options.batch,), device=device)
            while True:
                yield pixels, labels
        loader = torch.utils.data.DataLoader(
            Photos(options.photos, row["repeat"], row["decoder"] == "pillow", options.side), options.batch,
            shuffle=True, drop_last=True, num_workers=options.workers, pin_memory=on_gpu, prefetch_factor=2,
            persistent_workers=True)
        while True:
            for pixels, labels in loader:
                yield pixels.to(device, non_blocking=True), labels.to(device, non_blocking=True)

    def wait():
        if on_gpu:
            torch.cuda.synchronize()

    def rate_of(seconds, source):
        wait()
        start, images = time.monotonic(), 0
        while time.monotonic() - start < seconds:
            pixels, labels = next(source)
            use(pixels, labels)
            images += len(labels)
        wait()
        return images / (time.monotonic() - start)

    source = batches()
    for _ in range(3):
        use(*next(source))
    rate_of(options.warm, source)
    print(json.dumps({"rate": rate_of(options.seconds, source)}), flush=True)
    for worker in multiprocessing.active_children():
        worker.kill()  # they would disturb the next row
    os._exit(0)


# ---- all rows, in turns ------------------------------------------------------------------------


def weir(name, measure, *more, deep=False):
    return {"name": name, "program": ["--measure", measure, *more, *(["--deep"] if deep else [])]}


def torch_row(name, consume, decoder, model="resnet18"):
    return {"name": name, "consume": consume, "decoder": decoder, "model": model, "repeat": 128}


def rows():
    photos, cached = ["--repeat", "128"], ["--repeat", "26", "--cached"]
    yield weir("copy: bare loop, pinned", "bare")
    yield weir("copy: bare loop, pageable", "bare", "--pageable")
    yield weir("copy: weir, decoded cache, pinned, 4 ahead", "copy", "--pinned", "--prefetch", "4", *cached)
    for consume in ("copy", "train"):
        if consume == "train":
            yield weir("train: network alone", "alone")
            yield weir("train: alone, normalised", "normalise")
            yield torch_row("train: alone, normalised, Python", "train", None)
        for memory in ("pinned", "pageable"):
            yield weir(f"{consume}: weir, photographs, {memory}", consume, f"--{memory}", *photos)
            yield weir(f"{consume}: weir, decoded cache, {memory}", consume, f"--{memory}", *cached)
        yield torch_row(f"{consume}: DataLoader, decode_image", consume, "torchvision")
        yield torch_row(f"{consume}: DataLoader, Pillow", consume, "pillow")
    yield weir("deep: network alone", "alone", deep=True)
    yield weir("deep: alone, normalised", "normalise", deep=True)
    yield weir("deep: weir, decoded cache, pinned", "train", "--pinned", *cached, deep=True)
    yield weir("deep: weir, decoded cache, pageable", "train", "--pageable", *cached, deep=True)


def pss(pid):
    """PSS of a process and all its descendants, in bytes."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0
    own = sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))
    return own + sum(pss(int(each)) for each in children)


def measured(options, row):
    shared = ["--batch", options.batch, "--side", options.side, "--workers", options.workers,
              "--device", options.device, "--seconds", options.seconds, "--warm", options.warm]
    if "program" in row:
        line = [options.program, options.photos, *shared, *row["program"]]
    else:
        line = [sys.executable, "-B", __file__, "--photos", options.photos, *shared, "--child", json.dumps(row)]
    running = subprocess.Popen([str(word) for word in line], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    peak = 0
    while running.poll() is None:
        peak = max(peak, pss(running.pid))
        time.sleep(0.5)
    out, errors = running.communicate()
    if running.returncode != 0:
        return {"name": row["name"], "failed": f"ended with {running.returncode}: {errors[-1000:]}"}
    return {"name": row["name"], "pss": peak, **json.loads(out.splitlines()[-1])}


def tell(figures):
    print(f"\n{'images a second: medians (least to most)':<46} {'median':>9} {'least':>9} {'most':>9} "
          f"{'PSS MiB':>8} {'in next':>8} {'copying':>8}")
    for name, found in figures.items():
        rates = [one["rate"] for one in found if "rate" in one]
        if not rates:
            print(f"{name:<46} {found[0]['failed']}")
            continue
        share = [f"{median(one[key] for one in found if key in one):>8.4f}" if any(key in one for one in found) else ""
                 for key in ("in_next", "copying")]
        print(f"{name:<46} {median(rates):>9,.0f} {min(rates):>9,.0f} {max(rates):>9,.0f} "
              f"{median(one.get('pss', 0) for one in found) / MIB:>8,.0f} {' '.join(share)}")


def verdict(holds, text):
    print(f"  {'holds' if holds else 'MISSED'}: {text}")
    return holds


def verdicts(figures):
    """True if all goals hold whose rows were measured."""
    def of(name, key="rate"):
        found = [one[key] for one in figures.get(name, []) if key in one]
        return median(found) if found else None

    held = []
    for text, above, below, least in (
            ("copies from a decoded cache, pinned of pageable", "copy: weir, decoded cache, pinned",
             "copy: weir, decoded cache, pageable", 4),
            ("copies from a decoded cache, of a bare loop", "copy: weir, decoded cache, pinned",
             "copy: bare loop, pinned", 0.9),
            ("ResNet-18 from a decoded cache, of the GPU alone", "train: weir, decoded cache, pinned",
             "train: alone, normalised", 0.97),
            ("ResNet-50 from a decoded cache, of the GPU alone", "deep: weir, decoded cache, pinned",
             "deep: alone, normalised", 0.99),
            ("ResNet-18 from photographs, of decode_image", "train: weir, photographs, pinned",
             "train: DataLoader, decode_image", 1.6)):
        if of(above) and of(below):
            ratio = of(above) / of(below)
            held.append(verdict(ratio >= least, f"{text}: {ratio:.3f}, at least {least}"))
    waits = of("train: weir, decoded cache, pinned", "in_next")
    if waits is not None:
        held.append(verdict(waits <= 0.03, f"the training thread's time in next(), copies and waits: {waits:.4f}, "
                                           "at most 0.03"))
    for name, found in figures.items():
        for one in found:
            if "grown" in one:
                apart = abs(one["grown"] - one["live"])
                held.append(verdict(apart <= 0.03 * one["live"] + 8 * MIB,
                                    f"{name}: PSS grew by {one['grown'] / MIB:,.1f} MiB, {one['live'] / MIB:,.1f} on "
                                    f"the books, {one.get('pinned', 0) / MIB:,.1f} pinned {one.get('note', '')}"))
    return all(held)


def missing(options):
    """The reason why measuring is impossible; None: it is possible."""
    try:
        import torch
        import torchvision  # noqa: F401
    except ImportError as error:
        return f"no PyTorch with torchvision: {error}"
    if options.device == "cuda" and not torch.cuda.is_available():
        return "PyTorch sees no GPU"
    return None if options.photos.is_dir() else "no photographs: set WEIR_TEST_DATA or --photos"


def main():
    options = parse()
    options.photos = options.photos or Path(os.environ.get("WEIR_TEST_DATA", "")) / "photos"
    if options.child:
        return child(options, json.loads(options.child))
    reason = missing(options)
    if reason or options.ready:
        print(f"bench gpu: skipped, {reason}" if reason else "bench gpu: ready")
        return 1 if reason and options.ready else 0
    wanted = [row for row in rows() if options.only in row["name"]]
    figures = {row["name"]: [] for row in wanted}
    for number in range(options.rounds):
        for row in wanted if number % 2 == 0 else reversed(wanted):
            one = measured(options, row)
            figures[row["name"]].append(one)
            print(number + 1, json.dumps(one), flush=True)
            if options.json:
                with options.json.open("a") as out:
                    out.write(json.dumps({"round": number + 1, **one}) + "\n")
    tell(figures)
    return 0 if verdicts(figures) else 1


if __name__ == "__main__":
    sys.exit(main())
