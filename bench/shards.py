#!/usr/bin/env python3
"""Reading tar shards beside reading the folder that they were made of: see README.md.

./dev bench shards [FOLDER]: FOLDER has photographs for the warm comparison (default: made images).
"""
import collections
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROUNDS, FILES, COLD_ROUNDS = 9, 20_000, 5


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, **more).stdout


def make_shards(folder, shards, weir, count):
    """`count` shards with the files of the folder in the order of their paths, and an index."""
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    shards.mkdir()
    for i in range(count):
        part = names[len(names) * i // count:len(names) * (i + 1) // count]
        run("tar", "--format=ustar", "-cf", shards / f"s{i:03}.tar", "-T", "-", cwd=folder, input="\n".join(part))
    run(weir, "index", shards, "--quiet")


def evict(folder):
    for path in folder.rglob("*"):
        if path.is_file():
            with open(path, "rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def calls(bench, data):
    """The system calls while all samples are read, by name."""
    with tempfile.NamedTemporaryFile() as log:
        run("strace", "-f", "-qq", "-e", "trace=open,openat,openat2,read,pread64,fstat,newfstatat,close", "-o", log.name, bench, "read", data)
        lines = pathlib.Path(log.name).read_text().splitlines()
    return collections.Counter(match[1] for line in lines if (match := re.match(r"\d+ +(\w+)\(", line)))


def main():
    build = pathlib.Path(__file__).resolve().parent.parent / "build/release"
    bench, weir = build / "shards_bench", build / "weir"
    with tempfile.TemporaryDirectory(prefix="weir-bench-", dir=os.environ.get("WEIR_BENCH_FOLDER")) as name:
        root = pathlib.Path(name)
        print("index of 1.28 million samples, read and validated:", run(bench, "index", root / "index.weir").strip())
        (root / "index.weir").unlink()
        made = root / "made"
        run(bench, "make", made, FILES)
        make_shards(made, root / "made-shards", weir, 4)
        photos = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
        if photos is None:
            photos = root / "photos"
            run(bench, "make", photos, 300)
        make_shards(photos, root / "photo-shards", weir, 3)
        print(f"warm, decoded to 224x224, {ROUNDS} rounds in turns:")
        print(run(bench, "warm", photos, root / "photo-shards", ROUNDS), end="")
        counts = {data: calls(bench, root / data) for data in ("made", "made-shards")}
        for data, counted in counts.items():
            total = {call: round(count / FILES, 3) for call, count in sorted(counted.items())}
            print(f"calls a sample, {data}: {total}")
        opens = sum(counts["made-shards"][call] for call in ("open", "openat", "openat2"))
        reads = counts["made-shards"]["pread64"] + counts["made-shards"]["read"]
        print(f"from shards: {opens} opens in all, {reads} reads for {FILES} samples")
        ratios = []
        for turn in range(COLD_ROUNDS):
            took = {}
            for data in (("made", "made-shards"), ("made-shards", "made"))[turn % 2]:
                evict(root / data)
                took[data] = float(run(bench, "read", root / data))
            ratios.append(took["made"] / took["made-shards"])
            print(f"  evicted: folder {took['made']:.2f} s, shards {took['made-shards']:.2f} s, ratio {ratios[-1]:.2f}")
        print(f"median ratio of the time, folder to shards: {statistics.median(ratios):.2f}")
    assert opens < 200 and reads <= FILES + 400, (opens, reads)


main()
