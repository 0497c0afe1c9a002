"""Compares `weir index` with other readers of tar: GNU tar, Python's tarfile, bsdtar.

shard_checks.py WEIR formats | dali | damage STEP | hostile [rss]. rss: also bounds the memory of the program.
"""
import io
import json
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile

WEIR = sys.argv[1]
BLOCK = 512
MOST_RSS_KIB = 64 << 10  # of the program on a hostile archive


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, **more)


def weir(*words):
    return run(WEIR, *words, "--quiet", timeout=60)


def read_index(path):
    """The samples of an index.weir: (shard, offset, bytes, name). From the description of the format alone."""
    data = path.read_bytes()
    assert data[:8] == b"weiridx\n"
    version, _, shards, samples, text, skipped = struct.unpack_from("<IIQQQQ", data, 8)
    assert version == 1 and len(data) == 64 + 48 * (shards + samples) + text + 16
    names = data[64 + 48 * (shards + samples):-16]
    name = lambda at: names[at:names.index(b"\0", at)]
    tables = data[64:64 + 48 * shards], data[64 + 48 * shards:64 + 48 * (shards + samples)]
    files = [name(row[0]) for row in struct.iter_unpack("<QQQQQQ", tables[0])]
    found = []
    for offset, at, label, checksum, size, shard, height, width, zero in struct.iter_unpack("<QQqQIIHHI", tables[1]):
        found.append((files[shard], offset, size, name(at)))
    return found, skipped


def make_files(folder, names):
    """Every third size fills its last block, or does not have one."""
    for i, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes([65 + i % 26]) * [700, 512, 1, 1024][i % 4])


def names_of(lengths, plain=False):
    """Names that sort by key, of those lengths; two of each have a folder."""
    names = ["a b c/with spaces.jpg", "ä/ö ü.jpg"] if not plain else []
    for length in lengths:
        end = f"{length:03}.jpg"
        if length < 255:  # the most of a file system
            names.append("x" * (length - len(end)) + end)
        folder = "/".join(["y" * 60] * 4)[:max(length - 40, 1)].rstrip("/")
        names.append(folder + "/" + "z" * (length - len(folder) - 1 - len(end)) + end)
    return names


def write_with_tarfile(path, folder, names, form, floats=False):
    with tarfile.open(path, "w", format=form) as archive:
        for name in names:
            info = archive.gettarinfo(folder / name, name)
            # WebDataset's writer takes the time as a float, which gives each member a pax header.
            info.mtime = 1700000000.25 if floats else 1700000000
            with open(folder / name, "rb") as content:
                archive.addfile(info, content)


def writers():
    """(label, longest name, write(path, folder, names))."""
    limits = {"v7": 99, "ustar": 150, "gnu": 300, "pax": 300}

    def by_tar(program, form):
        def write(path, folder, names):
            made = run(program, f"--format={form}", "-cf", path, *names, cwd=folder)
            assert made.returncode == 0, made.stderr
        return write

    def by_tarfile(form, floats=False):
        return lambda path, folder, names: write_with_tarfile(path, folder, names, form, floats)

    for form, longest in limits.items():
        yield f"GNU tar, {form}", longest, by_tar("tar", form)
    yield "tarfile, ustar", 150, by_tarfile(tarfile.USTAR_FORMAT)
    yield "tarfile, gnu", 300, by_tarfile(tarfile.GNU_FORMAT)
    yield "tarfile, pax", 300, by_tarfile(tarfile.PAX_FORMAT)
    yield "tarfile, pax with times as floats", 300, by_tarfile(tarfile.PAX_FORMAT, True)
    if shutil.which("bsdtar"):
        for form, longest in (("ustar", 150), ("pax", 300), ("gnutar", 300)):
            yield f"bsdtar, {form}", longest, by_tar("bsdtar", form)


def tarfile_members(path):
    with tarfile.open(path, "r:") as archive:
        return [(m.offset_data, m.size, m.name.encode("utf-8", "surrogateescape")) for m in archive if m.isreg()]


def check_formats(folder):
    lengths = [20, 98, 99, 100, 101, 150, 200, 254, 300]
    for number, (label, longest, write) in enumerate(writers()):
        names = names_of([length for length in lengths if length <= longest])
        if longest == 150:  # ustar splits a name at a slash
            names = [name for name in names if "/" in name or len(name) < 99]
        files = folder / f"files{number}"
        make_files(files, names)
        given = ["./" + name for name in names] if number % 2 else names  # tar and tarfile keep them
        if longest == 99 and number % 2:
            given = [name for name in given if len(name) <= longest]
        shard = folder / f"made{number}" / "s.tar"
        shard.parent.mkdir()
        write(shard, files, given)
        made = weir("index", shard)
        assert made.returncode == 0, (label, made.stderr)
        found, skipped = read_index(shard.parent / "index.weir")
        expected = tarfile_members(shard)
        assert skipped == 0
        assert [(o, s, n) for _, o, s, n in found] == expected, (label, found, expected)
        assert len(found) == len(given), label
        assert any(n.startswith(b"./") for _, _, _, n in found) == bool(number % 2), label
        data = shard.read_bytes()
        for _, offset, size, name in found:
            assert data[offset:offset + size] == (files / os.fsdecode(name)).read_bytes(), (label, name)
        print(f"{label}: {len(found)} members")


def wds2idx(shard):
    """The lines of wds2idx v1.2. It takes a member's header from the block that GNU tar lists."""
    blocks = run("tar", "--list", "--block-num", "--file", shard).stdout.decode().splitlines()
    verbose = run("tar", "--verbose", "--list", "--file", shard).stdout.decode().splitlines()
    samples = []
    last = None
    for block, line in zip(blocks, verbose):
        name = block[block.find(":") + 2:]
        if line[0] != "-":
            continue
        size = int(line.split()[2])
        offset = (int(block[block.find("block") + 6:block.find(":")]) + 1) * BLOCK
        dot = name.find(".", name.rfind("/") + 1)
        key, extension = name[:dot], name[dot + 1:]
        if not key or key.endswith("/"):
            continue
        if key != last:
            samples.append([])
            last = key
        samples[-1].append(f"{extension} {offset} {size} {name}")
    return f"v1.2 {len(samples)}\n" + "".join(" ".join(sample) + "\n" for sample in samples)


def check_dali(folder):
    names = []
    for key in ("0001", "0002", "dir/0003", "dir/" + "k" * 80, "x" * 60 + "/" + "y" * 40):
        names += [key + ".jpg", key + ".cls", key + ".seg.png"]
    names += ["z/.hidden.jpg", "z/last.jpg"]
    files = folder / "files"
    make_files(files, names)
    for name in names:
        if name.endswith(".cls"):
            (files / name).write_text("3")
    for form in ("ustar", "pax"):
        place = folder / form
        place.mkdir()
        shard = place / "s-0.tar"
        # The folder is a member, too.
        assert run("tar", f"--format={form}", "--no-recursion", "-cf", shard, "dir", *names, cwd=files).returncode == 0
        made = weir("index", shard, "--dali-index", place)
        assert made.returncode == 0, made.stderr
        expected = wds2idx(shard)
        assert (place / "s-0.idx").read_text() == expected, (form, expected)
        # The index is read, too, and gives the same samples.
        rows = [run(WEIR, "order", shard, *more).stdout for more in ([], ["--dali-index", place])]
        assert rows[0] == rows[1] and rows[0].count(b"\n") == 7, rows
        wrong = (place / "s-0.idx").read_text().replace("jpg 512", "jpg 99999999", 1)
        if form == "ustar":
            (place / "s-0.idx").write_text(wrong.replace("v1.2", "v1.1"))
            refused = weir("order", shard, "--dali-index", place)
            assert refused.returncode == 1 and b"wds2idx v1.2" in refused.stderr, refused.stderr
    spaces = folder / "spaces"
    make_files(spaces, ["a b.jpg"])
    assert run("tar", "-cf", spaces / "s.tar", "a b.jpg", cwd=spaces).returncode == 0
    refused = weir("index", spaces / "s.tar", "--dali-index", spaces)
    assert refused.returncode == 1 and b"separates by spaces" in refused.stderr, refused.stderr


def refused(shard, *parts):
    """Runs the program on a shard that it must refuse with all parts in its message."""
    made = weir("order", shard)
    text = made.stderr.decode()
    assert made.returncode == 1, (shard, made.returncode, text)
    for part in parts:
        assert part in text, (part, text)
    return text


def check_rss():
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert "rss" not in sys.argv or peak < MOST_RSS_KIB, f"{peak} KiB"


def check_damage(folder, step):
    names = ["a.jpg", "b.cls", "b.jpg", "c" * 120 + ".jpg"]
    files = folder / "files"
    make_files(files, names)
    (files / "b.cls").write_text("1")
    for form in ("ustar", "gnu", "pax"):
        chosen = names if form != "ustar" else names[:3]
        whole = folder / f"{form}.tar"
        assert run("tar", f"--format={form}", "-cf", whole, *chosen, cwd=files).returncode == 0
        data = whole.read_bytes()
        end = max(o + s for o, s, _ in tarfile_members(whole))
        end = -(-end // BLOCK) * BLOCK
        for cut in range(0, end + 1, BLOCK * step):
            (folder / "cut.tar").write_bytes(data[:cut])
            refused(folder / "cut.tar", "cut.tar: at byte ")
        (folder / "cut.tar").write_bytes(data[:end + BLOCK])
        assert weir("order", folder / "cut.tar").returncode == 0
    (files / "hole.jpg").write_bytes(b"x")
    os.truncate(files / "hole.jpg", 1 << 20)
    os.link(files / "a.jpg", files / "h.jpg")
    cases = [(["--format=gnu", "-S"], ["hole.jpg", "a.jpg"], "member 'hole.jpg' is sparse"),
             (["--format=pax", "-S"], ["hole.jpg", "a.jpg"], "member 'hole.jpg' is sparse"),
             (["--format=ustar"], ["a.jpg", "h.jpg"], "member 'h.jpg' is a hard link"),
             (["-z"], ["a.jpg"], "compressed (gzip)"),
             (["--format=ustar"], ["a.jpg", "b.jpg", "b.cls", "a.jpg"], "returns to the key of byte 512"),
             (["--format=ustar"], ["a.jpg", "b.jpg", "a.jpg", "--hard-dereference"], "returns to the key")]
    for options, members, text in cases:
        made = run("tar", *options, "-cf", folder / "x.tar", *members, cwd=files)
        assert made.returncode == 0, made.stderr
        if "-z" not in options:
            with tarfile.open(folder / "x.tar") as archive:
                links = [m.name for m in archive if m.islnk()]
            if links and "hard" not in text:
                continue  # GNU tar wrote the file that came twice as a link
        refused(folder / "x.tar", "x.tar: at byte ", text)
    # 10 GiB in a file with a hole, in base 256 and in a pax header.
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        info = tarfile.TarInfo("big.jpg")
        info.size = 10 << 30
        header = info.tobuf(form)
        with open(folder / "x.tar", "wb") as out:
            out.write(header)
            out.truncate(len(header) + info.size + 2 * BLOCK)
        refused(folder / "x.tar", "member 'big.jpg' has 10737418240 bytes")
    # Names, and headers without an end.
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as out:
        info = tarfile.TarInfo("a.jpg")
        info.pax_headers = {"comment": "x" * (8 << 20)}
        out.addfile(info)
    (folder / "x.tar").write_bytes(archive.getvalue())
    refused(folder / "x.tar", "x.tar: at byte 0")
    check_rss()


def check_hostile(folder):
    data = os.environ.get("WEIR_TEST_DATA")
    if not data:
        print("weir: test skipped: WEIR_TEST_DATA is not set")
        return
    hostile = pathlib.Path(data) / "hostile"
    counts = {}
    # No name in an archive may lead to a file, below or beside the current folder.
    here = folder / "below" / "here"
    here.mkdir(parents=True)
    os.chdir(here)
    for entry in json.loads((hostile / "manifest.json").read_text()):
        if not entry["file"].startswith("tar/"):
            continue
        made = weir("order", hostile / entry["file"])
        assert made.returncode in (0, 1), (entry, made.returncode, made.stderr)
        counts[made.returncode] = counts.get(made.returncode, 0) + 1
        assert made.returncode == 1 or entry["expect"] == "ok", (entry, made.stdout)
        if made.returncode == 0:
            assert made.stdout.count(b"\n") - 1 >= len(entry["members"]), (entry, made.stdout)
    odd = pathlib.Path(data) / "odd"
    for line in (odd / "manifest.json").read_text(errors="surrogateescape").splitlines():
        if '"magic": "tar"' not in line:
            continue
        entry = json.loads(line.rstrip(","))
        made = weir("order", odd / entry["path"])
        assert made.returncode in (0, 1), (entry, made.returncode, made.stderr)
        counts[made.returncode] = counts.get(made.returncode, 0) + 1
    print(f"{counts[0]} read, {counts[1]} refused")
    written = [path for path in folder.rglob("*") if path not in (here, here.parent)]
    assert not written, written
    check_rss()


with tempfile.TemporaryDirectory(prefix="weir-test-") as name:
    root = pathlib.Path(name)
    check = sys.argv[2]
    if check == "formats":
        check_formats(root)
    elif check == "dali":
        check_dali(root)
    elif check == "damage":
        check_damage(root, int(sys.argv[3]))
    else:
        check_hostile(root)
