"""The same training fed by weir and by libtorch's own DataLoader, in turns: wall time, accuracy, and the growth
of the process's memory for one batch. See examples/torch/README.md; standard library only."""
import argparse
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median

FEEDS = ("weir", "libtorch")
MIB = 1 << 20
AS_FAST, OF_MEMORY = 0.98, 0.3  # the goals
MADE = 200  # synthetic images of the test set


def parse():
    parser = argparse.ArgumentParser(prog="./dev bench torch", description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--cifar10", type=Path, help="holds train and test; default: cifar10 in $WEIR_TEST_DATA, "
                        "else images are made")
    parser.add_argument("--photos", type=Path, help="default: photos in $WEIR_TEST_DATA, else images are made")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch", type=int, default=50)
    parser.add_argument("--micro-batch", type=int, default=25)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=0, help="of libtorch's arithmetic; 0: its default")
    parser.add_argument("--queue", type=int, default=4, help="while time is measured")
    parser.add_argument("--photo-batch", type=int, default=64)
    parser.add_argument("--photo-micro-batch", type=int, default=4)
    parser.add_argument("--photo-queue", type=int, default=10)
    parser.add_argument("--bfloat16", action="store_true", help="both feeds give bfloat16 to the network")
    parser.add_argument("--untimed", action="store_true", help="ignore wall time and accuracy in the exit code")
    parser.add_argument("--json", type=Path, help="write all figures")
    return parser.parse_args()


def folders(options):
    """Arguments for the location of the images; none: the program makes some."""
    data = os.environ.get("WEIR_TEST_DATA")
    cifar10 = options.cifar10 or (data and Path(data) / "cifar10")
    photos = options.photos or (data and Path(data) / "photos")
    return ([cifar10 / "train", cifar10 / "test"] if cifar10 and cifar10.is_dir() else [],
            [photos, photos] if photos and photos.is_dir() else [])


def cpu_seconds():
    """CPU time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(options, where, more):
    line = [options.program, *where, "--measure", "--workers", options.workers, "--threads", options.threads, *more]
    before = cpu_seconds()
    done = subprocess.run([str(word) for word in line], capture_output=True, text=True,
                          # Spinning threads take the decoders' cores.
                          env={**os.environ, "OMP_WAIT_POLICY": "passive"})
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, line))}\nended with {done.returncode}: {done.stderr[-2000:]}")
    return {**json.loads(done.stdout.splitlines()[-1]), "cpu": cpu_seconds() - before}


def in_turns(options, where, more, tell):
    """A list of figures for each feed, one for each round. The first feed changes from round to round. A run of each
    before the first round is not counted: it warms the page cache."""
    figures = {feed: [] for feed in FEEDS}
    for number in range(options.rounds + 1):
        for feed in FEEDS if number % 2 else reversed(FEEDS):
            one = measured(options, where, ["--feed", feed, "--seed", number, *more,
                                            "--epochs", options.epochs if number else 1])
            if number:
                figures[feed].append(one)
        if number:
            tell(number, *(figures[feed][-1] for feed in FEEDS))
    return figures


def middle(figures, feed, key):
    return median(one[key] for one in figures[feed])


def verdict(holds, text):
    print(f"  {'holds' if holds else 'MISSED'}: {text}")
    return holds


def same_pixels(figures):
    """Compares the sums of all values: same images, same types, so only rounding may differ."""
    pairs = zip(*(figures[feed] for feed in FEEDS))
    return all(abs(a["sum"] - b["sum"]) <= 1e-4 * max(abs(a["sum"]), abs(b["sum"]), 1e4) for a, b in pairs)


def time(options, where):
    print(f"Training: {where[0] if where else 'made images'}, {options.epochs} epochs of batches of {options.batch} "
          f"in parts of {options.micro_batch}, ResNet {options.width} wide,\n{options.workers} workers, queue "
          f"{options.queue} (weir's max_queue_size, libtorch's max_jobs)")
    print(f"{'round':>6} {'weir s':>9} {'libtorch s':>11} {'as fast':>9} {'weir %':>8} {'libtorch %':>11} "
          f"{'CPU s of either process':>25}")

    def tell(number, weir, libtorch):
        print(f"{number:>6} {weir['seconds']:>9.2f} {libtorch['seconds']:>11.2f} "
              f"{libtorch['seconds'] / weir['seconds']:>9.3f} {weir['accuracy']:>8.1f} {libtorch['accuracy']:>11.1f} "
              f"{weir['cpu']:>12.2f} {libtorch['cpu']:>12.2f}", flush=True)

    more = ["--batch", options.batch, "--micro-batch", options.micro_batch,
            "--width", options.width, "--queue", options.queue, *(["--bfloat16"] if options.bfloat16 else [])]
    figures = in_turns(options, where, more, tell)
    ratio = median(b["seconds"] / a["seconds"] for a, b in zip(*(figures[feed] for feed in FEEDS)))
    accuracy = {feed: middle(figures, feed, "accuracy") for feed in FEEDS}
    print(f"{'median':>6} {middle(figures, 'weir', 'seconds'):>9.2f} {middle(figures, 'libtorch', 'seconds'):>11.2f} "
          f"{ratio:>9.3f} {accuracy['weir']:>8.1f} {accuracy['libtorch']:>11.1f} "
          f"{middle(figures, 'weir', 'cpu'):>12.2f} {middle(figures, 'libtorch', 'cpu'):>12.2f}")
    seen = verdict(same_pixels(figures), "both saw the same pixels")
    fast = verdict(ratio >= AS_FAST, f"weir is {ratio:.3f} as fast as libtorch's DataLoader, at least {AS_FAST}")
    # Two standard errors of the difference between two accuracies on this test set.
    images = sum(len(names) for _, _, names in os.walk(where[1])) if where else MADE
    apart = 200 * (2 * 0.25 / images) ** 0.5
    equal = verdict(abs(accuracy["weir"] - accuracy["libtorch"]) <= apart,
                    f"accuracies of {accuracy['weir']:.1f} and {accuracy['libtorch']:.1f} %, "
                    f"apart by at most {apart:.1f}")
    return figures, seen and (options.untimed or (fast and equal))


def memory(options, where):
    print(f"\nOne batch: {where[0] if where else 'made images'} at 224 x 224, a batch of {options.photo_batch} in parts "
          f"of {options.photo_micro_batch}, queue {options.photo_queue};\ngrowth of the PSS in MiB, from before "
          "there is a loader: the most, and with the queue full")
    print(f"{'round':>6} {'weir most':>10} {'full':>7} {'libtorch most':>14} {'full':>7} {'share':>7} {'full':>7}")

    def grown(one, key):
        return one[key] - one["pss_before"]

    def row(name, weir, libtorch):
        print(f"{name:>6} {weir[0] / MIB:>10.1f} {weir[1] / MIB:>7.1f} {libtorch[0] / MIB:>14.1f} "
              f"{libtorch[1] / MIB:>7.1f} {weir[0] / libtorch[0]:>7.3f} {weir[1] / libtorch[1]:>7.3f}", flush=True)

    def both(one):
        return grown(one, "pss_peak"), grown(one, "pss_after")

    more = ["--one-batch", "--side", 224, "--batch", options.photo_batch, "--micro-batch", options.photo_micro_batch,
            "--queue", options.photo_queue, "--width", options.width, *(["--bfloat16"] if options.bfloat16 else [])]
    figures = in_turns(options, where, more, lambda n, weir, libtorch: row(n, both(weir), both(libtorch)))
    middles = {feed: tuple(median(both(one)[i] for one in figures[feed]) for i in range(2)) for feed in FEEDS}
    row("median", middles["weir"], middles["libtorch"])
    share = max(middles["weir"][i] / middles["libtorch"][i] for i in range(2))
    seen = verdict(same_pixels(figures), "both saw the same pixels")
    less = verdict(share <= OF_MEMORY, f"weir adds {share:.3f} of what libtorch's DataLoader adds, at most {OF_MEMORY}")
    return figures, seen and less


def main():
    options = parse()
    cifar10, photos = folders(options)
    before = os.getloadavg()
    print(f"load before: {before[0]:.1f}, on {os.cpu_count()} cores; {options.rounds} rounds in turns, medians\n")
    times, as_fast = time(options, cifar10)
    memories, small = memory(options, photos)
    after = os.getloadavg()
    print(f"\nload after: {after[0]:.1f}")
    if options.json:
        figures = {"schema": 2, "load": [before, after], "time": times, "memory": memories}
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    return 0 if as_fast and small else 1


if __name__ == "__main__":
    sys.exit(main())
