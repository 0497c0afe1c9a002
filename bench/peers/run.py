"""Runs weir, its roofline and its peers in turns on the same work. See README.md; standard library only."""
import argparse
import datetime
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import process
import table

HERE = Path(__file__).resolve().parent
PACKAGES = ("libjpeg62-turbo", "libopencv-core-dev", "libtbb-dev", "libdmlc-dev", "libtorch-dev",
            "python3-torch", "python3-torchvision", "python3-pil", "g++")
#          name,                 program,           further arguments
LOADERS = (("roofline", "roofline", []),
           ("weir, uint8", "weir", ["uint8"]),
           ("weir, float32", "weir", ["float32"]),
           ("OpenMP + dmlc ThreadedIter", "dmlc_openmp", []),
           ("oneTBB flow graph", "tbb_flow_graph", []),
           ("oneTBB pipeline", "tbb_pipeline", []),
           ("OpenCV pool by hand", "opencv_pool", []),
           ("libtorch DataLoader", "libtorch", []),
           ("PyTorch", None, []))
NO_QUEUE = ("roofline",)
PYTHON = "/usr/bin/python3"  # Debian's torch needs Debian's Python


def parse():
    parser = argparse.ArgumentParser(prog="./dev bench peers", description=__doc__)
    parser.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--photos", type=Path, help="default: photos in $WEIR_TEST_DATA, else images are made")
    parser.add_argument("--cifar10", type=Path, help="default: cifar10 in $WEIR_TEST_DATA, else images are made")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2, help="length of a run, from its first batch")
    parser.add_argument("--cores", type=int, default=2, help="cores to run on, and workers; 0: all")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--queue", type=int, default=4, help="while speed is measured")
    parser.add_argument("--depths", default="1,2,4,10,20", help="queues while memory is measured; empty: none")
    parser.add_argument("--only", default="", help="loaders whose names contain one of these, split by commas")
    parser.add_argument("--json", type=Path, help="default: peers.json in the build folder")
    parser.add_argument("--markdown", type=Path, help="default: peers.md in the build folder")
    return parser.parse_args()


def say(text):
    print(text, file=sys.stderr, flush=True)


def available(build, only):
    """Command prefix and further arguments by loader, and notes on missing loaders."""
    found, notes = {}, []
    wanted = [part for part in only.split(",") if part]
    for name, program, more in LOADERS:
        if wanted and not any(part in name for part in wanted):
            continue
        if program is None:
            works = subprocess.run([PYTHON, "-c", "import torch, torchvision"], capture_output=True).returncode == 0
            command = [PYTHON, str(HERE / "pytorch_loader.py")]
        else:
            works, command = (build / "peers" / program).exists(), [str(build / "peers" / program)]
        if works:
            found[name] = (command, more)
        else:
            notes.append(f"{name} is left out: a library it needs is missing")
    return found, notes


def folders(options, scratch):
    """Folder and side of the images by data set."""
    data = os.environ.get("WEIR_TEST_DATA")
    result = {}
    for name, side, made_side, given in (("photos", 224, 450, options.photos), ("cifar10", 32, 32, options.cifar10)):
        folder = given or (Path(data) / name if data else None)
        if folder is None:
            folder = Path(scratch) / name
            count = "200" if name == "photos" else "2000"
            subprocess.run([options.build / "peers/make_images", folder, count, str(made_side)], check=True)
        result[name] = (folder, side)
    return result


def arguments(loader, work, queue, samples, consumer_ms, options):
    """The command line for at least `samples`, in whole epochs."""
    command, more = loader
    folder, side, fit = work
    files = sum(len(names) for _, _, names in os.walk(folder))
    return [*command, str(folder), fit, str(side), str(options.batch), str(queue),
            str(math.ceil(samples / files)), f"{consumer_ms:.3f}", str(options.workers), *more]


def measure_speed(loaders, data, options):
    """Samples a second by data set, fit and loader: one figure for each round. Also the mean values of the pixels.
    A round before the first one warms the page cache, and finds the samples that each loader needs for that time."""
    speed = {d: {fit: {name: [] for name in loaders} for fit in ("center", "random")} for d in data}
    sums, samples = {}, {}
    for number in range(options.rounds + 1):
        for d, (folder, side) in data.items():
            for fit, rates in speed[d].items():
                for name in loaders:
                    work = (d, fit, name)
                    done = process.result(arguments(loaders[name], (folder, side, fit), options.queue,
                                                    samples.get(work, 10 * options.batch), 0, options))
                    rate = done["samples"] / done["seconds"]
                    if number == 0:
                        samples[work] = rate * options.seconds + options.batch
                        continue
                    rates[name].append(rate)
                    sums.setdefault((d, fit), {}).setdefault(name, []).append(done["checksum"])
                if number > 0:
                    say(f"round {number}, {d}, {fit}: " + ", ".join(f"{n} {r[-1]:.0f}" for n, r in rates.items()))
    return speed, sums


def differing(sums):
    """Notes on loaders whose mean value differs from the others: they did other work."""
    for (d, fit), by_name in sums.items():
        middle = median(median(values) for values in by_name.values())
        for name, values in by_name.items():
            if abs(median(values) - middle) > 0.05:
                yield f"{name} saw other pixels on {d}, {fit}: mean {median(values):.3f}, others {middle:.3f}"


def measure_memory(loaders, data, speed, options):
    """Peak bytes by loader and depth, with a consumer four times slower than production."""
    folder, side = data["photos"]
    memory = {}
    for depth in map(int, filter(None, options.depths.split(","))):
        for name in loaders:
            if name in NO_QUEUE:
                continue
            batch_s = options.batch / median(speed["photos"]["center"][name])
            line = arguments(loaders[name], (folder, side, "center"), depth, options.batch * (8 * depth + 80),
                             4000 * batch_s, options)
            memory.setdefault(name, {})[str(depth)] = process.peak(line, batch_s, depth)
            say(f"queue {depth}, {name}: {memory[name][str(depth)] / table.MIB:.0f} MiB")
    return memory


def machine():
    cpu = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), platform.machine())
    return {"cpu": cpu, "cores": os.cpu_count(), "kernel": platform.release(),
            "memory_gib": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / (1 << 30),
            "load_before": os.getloadavg()}


def versions(build):
    of = {}
    program = build / "weir"
    if program.exists():
        of["weir"] = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.split()[-1]
    for package in PACKAGES:
        try:
            done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
        except FileNotFoundError:
            break
        if done.returncode == 0 and done.stdout:
            of[package] = done.stdout
    return of


def main():
    options = parse()
    allowed = sorted(os.sched_getaffinity(0))
    options.pinned = allowed[:options.cores] if options.cores else allowed
    options.workers = len(options.pinned)
    os.sched_setaffinity(0, options.pinned)  # children inherit it
    os.environ["OMP_WAIT_POLICY"] = "passive"  # spinning takes the consumer's core: a factor of three on CIFAR-10
    figures = {"schema": 2, "date": datetime.date.today().isoformat(), "machine": machine(),
               "versions": versions(options.build),
               "settings": {"rounds": options.rounds, "batch": options.batch, "workers": options.workers,
                            "cores": options.pinned, "queue": options.queue, "seconds": options.seconds}}
    loaders, notes = available(options.build, options.only)
    for note in notes:
        say(note)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="weir-peers-") as scratch:
        data = folders(options, scratch)
        figures["speed"], sums = measure_speed(loaders, data, options)
        figures["memory"] = measure_memory(loaders, data, figures["speed"], options)
    figures["machine"]["load_after"] = os.getloadavg()
    figures["seconds"] = round(time.monotonic() - started)
    figures["notes"] = notes + list(differing(sums))
    text = table.markdown(figures)
    (options.json or options.build / "peers.json").write_text(json.dumps(figures, indent=1) + "\n")
    (options.markdown or options.build / "peers.md").write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
