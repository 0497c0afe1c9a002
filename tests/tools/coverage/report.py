#!/usr/bin/env python3
"""The coverage of the tests, from gcovr's JSON: ./dev coverage.

Prints line coverage of the library (src without cli, and include) and of everything, and branch
coverage of each layer. The exit code is 1 if the library's line coverage is below the bound. It is also 1 if a branch
of the files below is neither taken nor listed in branches.txt, or is listed and taken.

Branches that the compiler adds for passing exceptions are left out: gcovr runs with
--exclude-throw-branches.
"""

import fnmatch
import json
import math
import pathlib
import sys

LEAST_LINES = 95.0
# Every branch of these files must be taken both ways.
WHOLE = ["src/books/*", "src/buffer/*", "src/conductor/*", "src/codec/*_header.cpp",
         "src/codec/exif.cpp", "src/codec/probe.cpp"]


def share(taken, of):
    return 100.0 if of == 0 else 100.0 * taken / of


class Count:
    def __init__(self):
        self.lines = self.lines_hit = self.branches = self.branches_hit = 0

    def add(self, line):
        branches = line["branches"]
        self.lines += 1
        self.lines_hit += line["count"] > 0
        self.branches += len(branches)
        self.branches_hit += sum(branch["count"] > 0 for branch in branches)


def layer_of(file):
    parts = pathlib.PurePath(file).parts
    return "include" if parts[0] == "include" else parts[1]


def read_allowed(path):
    """{(file, text of the line): (least, most) branches that may remain untaken}"""
    allowed = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split(" | ")]
        if len(fields) != 4 or not fields[3]:
            sys.exit(f"{path}:{number}: not FILE | LINE | BRANCHES | REASON")
        least, _, most = fields[2].partition("-")
        allowed[fields[0], fields[1]] = (
            (0, math.inf) if least == "*" else (int(least), int(most or least)))
    return allowed


def judge(files, allowed, root):
    """The errors in the branches of WHOLE."""
    complaints, missed = [], {}
    for file in files:
        if not any(fnmatch.fnmatch(file["file"], pattern) for pattern in WHOLE):
            continue
        source = (root / file["file"]).read_text().splitlines()
        for line in file["lines"]:
            untaken = sum(branch["count"] == 0 for branch in line["branches"])
            if line["count"] == 0 and not line["branches"]:
                untaken = 1  # a line that is never reached
            if untaken == 0:
                continue
            text = source[line["line_number"] - 1].strip()
            place = missed.setdefault((file["file"], text), [0, line["line_number"]])
            place[0] += untaken
    for (file, text), (untaken, number) in sorted(missed.items()):
        if untaken > allowed.get((file, text), (0, 0))[1]:
            complaints.append(f"{file}:{number}: {untaken} not taken: {text}")
    for (file, text), (least, _) in allowed.items():
        lines = [line.strip() for line in (root / file).read_text().splitlines()]
        if text not in lines or missed.get((file, text), [0])[0] < least:
            complaints.append(f"{file}: listed, but taken now or gone: {text}")
    return complaints


def main():
    here = pathlib.Path(__file__).resolve().parent
    root = here.parent.parent
    with open(sys.argv[1], encoding="utf-8") as stream:
        files = json.load(stream)["files"]
    for file in files:
        file["lines"] = [line for line in file["lines"] if not line.get("gcovr/noncode")]
    layers, library, everything = {}, Count(), Count()
    for file in files:
        for line in file["lines"]:
            layer = layer_of(file["file"])
            layers.setdefault(layer, Count()).add(line)
            everything.add(line)
            if layer != "cli":
                library.add(line)
    print("               lines    branches")
    for name, count in sorted(layers.items()) + [("library", library), ("all, with cli", everything)]:
        print(f"{name:<14}{share(count.lines_hit, count.lines):5.1f} %"
              f"  {share(count.branches_hit, count.branches):5.1f} %"
              f"  ({count.branches - count.branches_hit} of {count.branches} not taken)")
    complaints = judge(files, read_allowed(here / "branches.txt"), root)
    covered = share(library.lines_hit, library.lines)
    if covered < LEAST_LINES:
        complaints.append(f"{covered:.1f} % of the library's lines, {LEAST_LINES} % are wanted")
    for complaint in complaints:
        print(complaint)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
