#!/usr/bin/env python3
"""The functions that a sample passes, by gcov: ./dev walk.

Compares them with the walk of src/README.md, which lists those of seven lines or more, without those of left_out.txt.
The exit code is 1 if one is missing there, or listed and not passed, or if left_out.txt names one that is not passed.
"""

import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys

LEAST_LINES = 7
ROW_PATH = ["src/engine/row_worker.cpp", "src/engine/plan_planes.cpp", "src/engine/row_memory.cpp",
            "src/engine/sample_sink.hpp"]


def passed(build, root):
    """{(file, qualified name)} of every function of LEAST_LINES that ran"""
    found = set()
    for counts in build.rglob("*.gcda"):
        text = subprocess.run(["gcov", "-j", "-t", "-m", counts], cwd=counts.parent, check=True,
                              capture_output=True, text=True).stdout
        for document in text.splitlines():
            for file in json.loads(document)["files"]:
                name = os.path.relpath(build / file["file"], root)
                if not name.startswith(("src/", "include/weir/")):
                    continue
                for function in file["functions"]:
                    lines = function["end_line"] - function["start_line"] + 1
                    demangled = function["demangled_name"]
                    # The lines of a lambda are lines of its function.
                    if function["execution_count"] > 0 and lines >= LEAST_LINES and "{lambda" not in demangled:
                        found.add((name, plain(demangled)))
    return found


def plain(demangled):
    """The qualified name without "weir::", its result, its parameters and template arguments."""
    text = demangled.replace("(anonymous namespace)::", "")
    while (shorter := re.sub(r"<[^<>]*>", "", text)) != text:
        text = shorter
    return text.split("(")[0].split(" ")[-1].removeprefix("weir::")


def read_left_out(path):
    """The patterns"""
    patterns = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        pattern, _, reason = line.partition(" | ")
        if not reason:
            sys.exit(f"{path}:{number}: not FILE:FUNCTION | REASON")
        patterns.append(pattern)
    return patterns


def walk(readme):
    """{(file, name): the first column, such as "row"} of the functions that the walk lists"""
    listed = {}
    section = readme.split("# The path of one sample")[1].split("\n# ")[0]
    for row in re.findall(r"^\|.*\|$", section, re.M)[2:]:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        for part in cells[3].split(";"):
            file, _, functions = part.partition(":")
            for name in re.findall(r"`([^`]+)`", functions):
                listed["src/" + file.strip(" `"), name] = cells[0]
    return listed


def size(entries):
    return f"{len(entries)} in {len({file for file, _ in entries})}"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    here = pathlib.Path(__file__).resolve().parent
    root = here.parent.parent.parent
    used, counted = set(), set()
    patterns = read_left_out(here / "left_out.txt")
    for file, name in passed(build, root):
        matching = [p for p in patterns if fnmatch.fnmatchcase(f"{file}:{name}", p)]
        used.update(matching)
        if not matching:
            counted.add((file, name))
    listed = walk((root / "src/README.md").read_text())
    complaints = []
    found = set()
    for file, name in sorted(counted):
        known = [entry for entry in listed if entry[0] == file and ("::" + name).endswith("::" + entry[1])]
        found.update(known)
        if not known:
            complaints.append(f"{file}: {name} is passed, and not listed")
    complaints += [f"{file}: {name} is listed, and not passed" for file, name in sorted(listed.keys() - found)]
    complaints += [f"left_out.txt: nothing that is passed is {p}" for p in patterns if p not in used]
    for kind in dict.fromkeys(listed.values()):
        print(f"{kind:<29}", size([entry for entry in found if listed[entry] == kind]))
    print(f"{'the row path':<29}", size([e for e in found if listed[e] == "row" and e[0] in ROW_PATH]))
    print(f"{'together':<29}", size(counted))
    for complaint in complaints:
        print(complaint)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
