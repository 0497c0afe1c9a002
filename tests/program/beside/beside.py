"""Runs of the program beside each other, with options by chance: beside.py WEIR SEED CASES.

What decides the rows is the same in both, and so must be their digests, or the message that refuses them. What
decides the speed is not. See CASES for the pairs. Data: photographs of WEIR_TEST_DATA, or made ones.
"""
import json
import os
import random
import shutil
import subprocess
import struct
import sys
import tempfile
import zlib
from pathlib import Path

WEIR = sys.argv[1]
BOUNDS = "memory.budget_bytes", "--memory-budget", "--max-sample-bytes", "--max-queue-bytes"


def weir(command, data, *words):
    """Exit code, and the report or the message."""
    masks = Path(data).parent / "masks"
    words = [str(word).replace("{masks}", str(masks) if masks.exists() else ".mask.png") for word in words]
    done = subprocess.run([WEIR, command, data, *words, "--quiet"], capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1, 2), (words, done.returncode, done.stderr)
    return done.returncode, done.stdout, done.stderr.replace(str(data), "DATA").splitlines()[:1]


class Draw(random.Random):
    def maybe(self, probability, *words):
        return list(words) if self.random() < probability else []

    def rows(self):
        """Options that decide what is delivered."""
        own_sizes = self.random() < 0.2
        out = ["--batch", self.randint(1, 9), "--seed", self.randint(0, 5)]
        if own_sizes:
            out += ["--sizes", self.choice(["padded", "ragged"])]
        else:
            out += ["--size", f"{self.randint(8, 70)}x{self.randint(8, 70)}"]
            out += ["--fit", self.choice(["center", "random", "stretch", "letterbox", "patch"])]
            if out[-1] == "patch":
                out += self.maybe(0.7, "--patch-pad-small") + self.maybe(0.3, "--patch-padding", self.randint(0, 5))
            out += self.maybe(0.3, "--decode", "fast") + self.maybe(0.2, "--partners", self.randint(1, 2))
        out += ["--order", self.choice(["sequential", "shuffle", "blocks:7:3", "with_replacement:40", "every:3:1"])]
        out += self.maybe(0.3, "--pixels", self.choice(["grey8", "bgr8", "rgba8", "rgb16"]))
        out += self.maybe(0.3, "--filter", self.choice(["bilinear", "antialiased"]))
        out += self.maybe(0.2, "--exif", "ignore") + self.maybe(0.2, "--drop-last")
        out += ["--on-fault", self.choice(["skip", "blank"])] + self.maybe(0.2, "--lenient")
        if self.random() < 0.3:
            plane = ["mask={masks}", "missing=" + self.choice(["absent", "skip"])]
            plane += self.maybe(0.5, f"fill={self.randint(0, 255)}") + self.maybe(0.3, "format=grey8")
            out += ["--plane", ",".join(plane)]
        out += self.maybe(0.2, "--max-pixels", self.choice([8000, 60000, 200000]))
        out += self.maybe(0.1, "--max-encoded-bytes", self.choice([4000, 60000]))
        return out

    def length(self):
        return ["--epochs", self.randint(1, 3)] + self.maybe(0.3, "--steps", self.randint(1, 12))

    def speed(self, rows):
        """Options that decide how these rows are delivered."""
        out = ["--workers", self.randint(1, 5), "--max-queue-size", self.randint(1, 6)]
        out += self.maybe(0.4, "--read-ahead", self.randint(1, 9)) + self.maybe(0.3, "--max-leases", self.randint(1, 4))
        # Rows that differ from epoch to epoch are not kept, and neither are those of several samples.
        kinds = ["encoded"] if {"random", "patch", "--partners"} & set(rows) else ["encoded", "decoded"]
        out += self.maybe(0.4, "--cache", f"{self.choice(kinds)}:{self.choice(['90KiB', '1MiB', '64MiB'])}")
        out += self.maybe(0.3, "--memory-budget", f"{self.randint(8, 200)}MiB")
        out += self.maybe(0.2, "--max-queue-bytes", f"{self.randint(1, 20)}MiB")
        return out + ([] if "--sizes" in rows else self.maybe(0.2, "--tuning", "automatic"))


def small_bytes(code, message):
    """Whether a bound of bytes, which is an option of speed, refuses the run."""
    return code != 0 and any(name in " ".join(message) for name in BOUNDS)


def delivered(report, words):
    """Rows ahead of the last step, and of an error, may have faults, too."""
    ends_early = "--steps" in words or report["error"]
    return [report["digest"], bool(report["error"])] + ([] if ends_early else [report["fault_count"]])


def digest(data, *words):
    """The digest of what is delivered, or the message that refuses it. None: a bound of bytes refuses it."""
    code, report, message = weir("run", data, *words, "--digest", "--json", "-")
    if code == 2 or not report:
        return None if small_bytes(code, message) else message
    return delivered(json.loads(report), words)


def speed(draw, data, folder):
    rows = draw.rows() + draw.length()
    return digest(data, *rows, "--workers", 1), digest(data, *rows, *draw.speed(rows)), rows


def text(draw, data, folder):
    """A run, and its repetition by the options in its report."""
    rows, length = draw.rows(), draw.length()
    code, report, _ = weir("run", data, *rows, *draw.speed(rows), *length, "--digest", "--json", "-")
    if code == 2 or not report:
        return None, None, rows
    report = json.loads(report)
    # The text has the options of a plane, but not its files.
    plane = rows[rows.index("--plane"):][:2] if "--plane" in rows else []
    again = digest(data, "--options", report["plan"]["options"], *plane, *length)
    return delivered(report, length), again, rows + length


def parts(draw, data, folder):
    """A run, and the same rows in two runs, of which the second resumes."""
    rows = draw.rows()
    length = ["--epochs", draw.randint(1, 3)]
    lists = [folder / name for name in ("whole", "first", "second")]
    code, *_ = weir("run", data, *rows, *length, "--samples", lists[0], *draw.speed(rows))
    if code == 2 or not lists[0].exists():
        return None, None, rows
    steps, state = draw.randint(1, 6), folder / "state"
    weir("run", data, *rows, *length, "--steps", steps, "--samples", lists[1], "--save-progress", state)
    again = draw.speed(rows)
    code, _, message = weir("run", data, *rows, *length, "--samples", lists[2], "--resume", state, *again)
    if small_bytes(code, message):
        return None, None, rows
    lines = [path.read_text().splitlines()[1:] if path.exists() else [] for path in lists]
    return lines[0], lines[1] + lines[2], rows + length + ["--steps", steps]


def packed(draw, data, folder):
    """A folder, and its shards. Samples keep their places, so labels and orders are the same."""
    how = draw.choice([["--keep"], ["--keep", "--tiles", draw.randint(2, 9)]])
    # The masks of shards are members, so no sample is left out for want of one.
    rows = [str(word).replace("missing=skip", "missing=absent") for word in draw.rows() + draw.length()]
    masks = ["--plane", "mask={masks},missing=absent"] if "--plane" in rows else []
    to = [folder / "shards", *how, "--order", "sequential", "--shard-bytes", "300KiB"]
    code, _, message = weir("pack", data, *to, *masks)
    assert code == 0, message
    # Bytes are others with tiles.
    if "--max-encoded-bytes" in rows and "--tiles" in how:
        return None, None, rows
    return digest(data, *rows, *draw.speed(rows)), digest(folder / "shards", *rows, *draw.speed(rows)), [*how, "|", *rows]


CASES = speed, text, parts, packed


def png(width, height):
    """Grey squares."""
    lines = b"".join(b"\0" + bytes((x // 7 + y // 5) * 20 % 256 for x in range(width)) for y in range(height))
    chunks = (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)), (b"IDAT", zlib.compress(lines)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
                                           for kind, body in chunks)


def jpeg_size(jpeg):
    at = 2
    while not 0xc0 <= jpeg[at + 1] <= 0xc2:
        at += 2 + int.from_bytes(jpeg[at + 2:at + 4], "big")
    height, width = struct.unpack(">HH", jpeg[at + 5:at + 9])
    return width, height


def photographs(folder):
    """Some, of different sizes and classes, without broken ones and with them, and masks of all but the first."""
    given = os.environ.get("WEIR_TEST_DATA")
    clean = folder / "clean"
    if given:
        for i, path in enumerate(sorted((Path(given) / "photos").rglob("*.jp*g"))[::12]):
            (clean / str(i % 3)).mkdir(parents=True, exist_ok=True)
            shutil.copy(path, clean / str(i % 3) / f"{i:03}.jpg")
    else:
        assert weir("pack", "synthetic:17,120x150", "--keep", "--jpegs-to", clean)[0] == 0
    for path in sorted(clean.rglob("*.jpg"))[1:]:
        mask = folder / "masks" / path.relative_to(clean).with_suffix(".png")
        mask.parent.mkdir(parents=True, exist_ok=True)
        mask.write_bytes(png(*jpeg_size(path.read_bytes())))
    broken = folder / "broken"
    shutil.copytree(clean, broken)
    images = sorted(broken.rglob("*.jpg"))
    images[3].write_bytes(images[3].read_bytes()[:900])
    images[8].write_bytes(b"no image")
    return clean, broken


def main():
    seed, cases = int(sys.argv[2]), int(sys.argv[3])
    with tempfile.TemporaryDirectory() as temporary:
        clean, broken = photographs(Path(temporary))
        refused = 0
        for case in range(cases):
            draw = Draw(f"{seed} {case}")
            check = CASES[case % len(CASES)]
            folder = Path(temporary) / str(case)
            folder.mkdir()
            data = clean if check is packed else draw.choice([clean, broken])
            one, other, words = check(draw, data, folder)
            refused += one is None or other is None
            if one is not None and other is not None and one != other:
                print(f"case {case} of seed {seed}, {check.__name__}: {' '.join(map(str, words))}")
                print(f"  {str(one)[:600]}\n  {str(other)[:600]}")
                return 1
            shutil.rmtree(folder)
        print(f"{cases} pairs are equal; of {refused} one was refused for its bytes")
        assert refused < cases / 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
