#!/usr/bin/env python3
"""Compares regime, prediction and advice with measured runs.

The workloads use one folder of photographs: a sleeping consumer at 0.25, 1 and 4 times the production time
of a batch, reads of 5, 50 and 200 ms, and reads of 50 ms with a budget that is too small for
the requested read-ahead. For each, `weir tune` prints the limit and the advised setting. Sweeps over
queue depths, workers and read-ahead then measure every setting, in rounds that take turns with the
advised one. The output is the regime, predicted and measured throughput of every setting, and the advised
setting compared with the best of the sweep.

Other guests of the same host change the decoding speed of a machine by a third within seconds. So each
measurement stands between two short runs that only decode. It is repeated (--patience times) if
one of them is below 95 % of the best rate seen. The least disturbed one is kept, and the share of
disturbed ones is printed.

The exit code is 1 in these cases: a regime is wrong; an advised setting reaches less than 96 % of the sweep's best;
it takes more bytes than the smallest setting of the sweep that does; predicted throughput is off by more than
5 % (median) or 15 % (worst). Each case is printed on a line of its own. --report-only: exit 0 in any case.
"""
import argparse
import json
import statistics
import subprocess
import sys


def weir(program, *arguments):
    done = subprocess.run([program, *map(str, arguments), "--quiet", "--json", "-"],
                          stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"weir {' '.join(map(str, arguments))}: exit {done.returncode}")
    return json.loads(done.stdout)


def steady(run, consumer_s):
    """Samples a second from the first batch to the last, the quantity of a prediction."""
    throughput, batch = run["throughput"], run["plan"]["batch"]
    samples = run["samples"]["consumed"] + run["samples"]["leased"]
    seconds = throughput["seconds"] - throughput["first_batch_s"] - consumer_s
    return (samples - batch) / seconds if seconds > 0 else throughput["samples_per_s"]


BATCH = 32


class Case:
    def __init__(self, name, regimes, consumer_ms=0.0, delay_ms=0, budget=None):
        self.name, self.regimes = name, regimes
        self.consumer_ms, self.delay_ms = consumer_ms, delay_ms
        self.words = ["--consumer-ms", f"{consumer_ms:.3f}", "--read-delay-ms", delay_ms]
        self.tune_words = []
        self.read_aheads = [0, 4, 16, 64, 128] if delay_ms else [0]
        if budget:
            self.words += ["--memory-budget", budget]
            self.tune_words = ["--read-ahead", 64]
        self.workers = [2] if delay_ms else [1, 2]

    def reads_per_s(self, workers, read_ahead):
        return (read_ahead or workers) * 1e3 / self.delay_ms if self.delay_ms else float("inf")


def cases(program, data, options):
    one = weir(program, "run", data, "--workers", options.workers, "--steps", 60)
    batch_ms = 1e3 * one["plan"]["batch"] / steady(one, 0)
    print(f"production: {batch_ms:.1f} ms a batch of {one['plan']['batch']}\n", flush=True)
    beside_one = {"balanced", "decode", "consumer"}
    return [Case("consumer 0.25x", {"decode"}, 0.25 * batch_ms),
            Case("consumer 1x", beside_one, batch_ms),
            Case("consumer 4x", {"consumer"}, 4 * batch_ms),
            Case("reads of 5 ms", {"storage"}, delay_ms=5),
            Case("reads of 50 ms", {"storage"}, delay_ms=50),
            Case("reads of 200 ms", {"storage"}, delay_ms=200),
            Case("reads of 50 ms, a budget of 19 MiB", {"memory"}, delay_ms=50, budget="19MiB")]


class Calm:
    """Takes measurements while the machine has its full speed."""

    def __init__(self, program, data, patience):
        self.program, self.data, self.patience = program, data, patience
        self.best, self.taken, self.disturbed = 0.0, 0, 0
        self.last = self.pace()

    def pace(self):
        run = weir(self.program, "run", self.data, "--workers", 2, "--steps", 24)
        rate = steady(run, 0)
        self.best = max(self.best, rate)
        return rate

    def __call__(self, *arguments, patience=1):
        kept, calmest = None, 0.0
        for _ in range(patience * self.patience):
            before, found = self.last, weir(self.program, *arguments)
            self.last = self.pace()
            slowest = min(before, self.last)
            if slowest > calmest:
                kept, calmest = found, slowest
            if calmest >= 0.95 * self.best:
                break
        self.taken += 1
        self.disturbed += calmest < 0.95 * self.best
        return kept


def steps_for(samples_per_s, epoch, seconds):
    """Whole epochs after the first batch, if there is time for one. The last batch of each epoch is short, and
    a consumer takes as long for it as for the others."""
    batches = -(-epoch // BATCH)
    epochs = round(samples_per_s * seconds / epoch)
    return 1 + batches * epochs if epochs else max(4, round(samples_per_s * seconds / BATCH))


def examine(case, measure, epoch, options):
    data = options.data
    # Advice from a slow second gives a setting that is too small for a fast one.
    tune = measure("tune", data, "--workers", options.workers, *case.words, *case.tune_words,
                   patience=4)
    advice = tune["advice"]
    best = advice["ceiling"]["samples_per_s"]
    advised, measured = advice["recommended"], {}
    for _ in range(options.rounds):
        for workers in case.workers:
            for read_ahead in case.read_aheads:
                expected = min(best, case.reads_per_s(workers, read_ahead))
                # If outstanding reads allow less than half of the best rate, one depth is enough.
                depths = options.depths if expected > best / 2 else "4"
                sweep = measure("sweep", data, "--workers", workers, "--read-ahead", read_ahead,
                             "--max-queue-size", depths, "--rounds", 1, "--steps",
                             steps_for(expected, epoch, options.seconds), *case.words)
                for run in sweep["runs"]:
                    plan = run["plan"]
                    key = (plan["max_queue_size"], workers, plan["read_ahead"])
                    entry = measured.setdefault(key, {"rates": [], "predicted": [], "bytes": []})
                    entry["rates"].append(steady(run, case.consumer_ms / 1e3))
                    entry["predicted"].append(run["predicted"]["samples_per_s"])
                    entry["bytes"].append(run["memory"]["peak"])
        one = measure("run", data, "--workers", advised["workers"], "--read-ahead",
                   advised["read_ahead"], "--max-queue-size", advised["max_queue_size"], "--steps",
                   steps_for(best, epoch, options.seconds), *case.words)
        entry = measured.setdefault("advised", {"rates": [], "predicted": [], "bytes": []})
        entry["rates"].append(steady(one, case.consumer_ms / 1e3))
        entry["predicted"].append(advised["samples_per_s"])
        entry["bytes"].append(one["memory"]["peak"])
    return tune, summary(case, tune, measured)


def shares(run):
    """Shares of the time of the consumer and of the workers in a run."""
    queue = run["queue"]
    workers = queue["workers"]
    parts = {"storage": "storage_wait_s", "decode": "decode_wait_s", "memory": "memory_wait_s"}
    found = {name: queue[key] / queue["seconds"] for name, key in parts.items()}
    waits = {"producers": "idle_s", "reads": "storage_wait_s", "budget": "memory_wait_s", "reading": "read_s"}
    return found | {name: workers[key] / sum(workers.values()) for name, key in waits.items()}


def summary(case, tune, measured):
    rows = []
    for key, entry in measured.items():
        rate, predicted = statistics.median(entry["rates"]), statistics.median(entry["predicted"])
        rows.append({"setting": key, "measured": rate, "rates": entry["rates"], "predicted": predicted,
                     "off": rate / predicted - 1, "peak_bytes": statistics.median(entry["bytes"])})
    swept = [row for row in rows if row["setting"] != "advised"]
    advised = next(row for row in rows if row["setting"] == "advised")
    top = max(row["measured"] for row in swept)
    near = [row["peak_bytes"] for row in swept if row["measured"] >= 0.96 * top]
    return {"case": case.name, "regime": tune["regime"], "right": tune["regime"] in case.regimes,
            "why": tune["regime_why"], "shares": shares(tune["runs"][0]), "flags": tune["advice"]["flags"], "rows": rows,
            "advised_of_best": advised["measured"] / top,
            "advised_bytes": advised["peak_bytes"], "least_bytes_of_sweep": min(near)}


def show(result):
    print(f"{result['case']}: {result['regime']}{'' if result['right'] else '  WRONG'}"
          f"  ({result['why']})")
    print(f"  advised {result['flags']}: {100 * result['advised_of_best']:.1f} % of the sweep's best, "
          f"{result['advised_bytes'] / 2**20:.1f} MiB at the peak; the smallest of the sweep within 4 % "
          f"{result['least_bytes_of_sweep'] / 2**20:.1f} MiB")
    print("  queue workers ahead  predicted   measured      off")
    for row in result["rows"]:
        name = ("  advised            " if row["setting"] == "advised" else
                "  {:5} {:7} {:5}".format(*row["setting"]))
        print(f"{name:21}{row['predicted']:11.1f}{row['measured']:11.1f}{100 * row['off']:+8.1f} %")
    print(flush=True)


LEAST_OF_BEST, MOST_OFF_MEDIAN, MOST_OFF_WORST = 0.96, 0.05, 0.15


def errors(results):
    """Errors of predicted throughput for every setting, smallest first."""
    return sorted(abs(row["off"]) for result in results for row in result["rows"])


def breaches(results):
    """The broken bounds, as sentences."""
    found = []
    for result in results:
        name = result["case"]
        if not result["right"]:
            found.append(f"{name}: the regime is {result['regime']}")
        if result["advised_of_best"] < LEAST_OF_BEST:
            found.append(f"{name}: the advised setting reaches {100 * result['advised_of_best']:.1f} % of the best, "
                         f"not {100 * LEAST_OF_BEST:.0f} %")
        if result["advised_bytes"] > result["least_bytes_of_sweep"]:
            found.append(f"{name}: the advised setting takes {result['advised_bytes']:.0f} bytes, the smallest of the "
                         f"sweep that is as fast {result['least_bytes_of_sweep']:.0f}")
    off = errors(results)
    if off and statistics.median(off) > MOST_OFF_MEDIAN:
        found.append(f"predicted throughput is {100 * statistics.median(off):.1f} % off (median), more than "
                     f"{100 * MOST_OFF_MEDIAN:.0f} %")
    if off and off[-1] > MOST_OFF_WORST:
        found.append(f"predicted throughput is {100 * off[-1]:.1f} % off (worst), more than "
                     f"{100 * MOST_OFF_WORST:.0f} %")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", help="a folder of photographs")
    parser.add_argument("--program", default="build/release/weir")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3, help="approximate length of one run")
    parser.add_argument("--depths", default="1,2,4,8,16")
    parser.add_argument("--workers", type=int, default=2, help="of the measured run")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--patience", type=int, default=4, help="maximum tries of one measurement")
    parser.add_argument("--json", help="all figures, to this file")
    parser.add_argument("--report-only", action="store_true", help="exit 0 in any case")
    options = parser.parse_args()

    # This also fills the page cache.
    epoch = weir(options.program, "run", options.data, "--batch", BATCH)["samples"]["consumed"]
    measure = Calm(options.program, options.data, options.patience)
    results = []
    for case in cases(options.program, options.data, options):
        if options.only in case.name:
            results.append(examine(case, measure, epoch, options)[1])
            show(results[-1])
            if options.json:
                with open(options.json, "w", encoding="utf-8") as file:
                    json.dump(results, file, indent=1)
    if not results:
        sys.exit(f"no case has {options.only!r} in its name")
    off = errors(results)
    print(f"regimes right: {sum(result['right'] for result in results)} of {len(results)}")
    print(f"predicted throughput: median {100 * statistics.median(off):.1f} % off, worst "
          f"{100 * off[-1]:.1f} %, of {len(off)} settings")
    print(f"disturbed: {measure.disturbed} of {measure.taken} measurements; best pace "
          f"{measure.best:.0f} samples/s")
    print(f"advised of the best: {100 * min(r['advised_of_best'] for r in results):.1f} % or more")
    found = breaches(results)
    for breach in found:
        print(f"BREACH: {breach}")
    if found and not options.report_only:
        sys.exit(1)


if __name__ == "__main__":
    main()
