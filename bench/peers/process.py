"""Runs one program and returns its line of JSON, or the memory of its process tree."""
import json
import os
import signal
import subprocess
import time
from pathlib import Path


def result(line):
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, line))}\nended with {done.returncode}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def tree(pid):
    """The process and all its descendants."""
    found = [pid]
    for parent in found:
        try:
            for task in Path(f"/proc/{parent}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        except OSError:
            pass  # it ended meanwhile
    return found


def field(text, name):
    """Bytes of a line such as `Pss:   12 kB`; 0 if there is none."""
    for line in text.splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) << 10
    return 0


def shared_memory():
    return field(Path("/proc/meminfo").read_text(), "Shmem")


def memory(pid, shared_before):
    """PSS of the tree. If the shared memory of the whole system grew by more than the tree's part of it, that growth
    replaces the part: at times no process maps the memory of a shared queue."""
    private = shared = 0
    for each in tree(pid):
        try:
            text = Path(f"/proc/{each}/smaps_rollup").read_text()
        except OSError:
            continue
        of_shared = field(text, "Pss_Shmem")
        private += field(text, "Pss") - of_shared
        shared += of_shared
    return private + max(shared, shared_memory() - shared_before)


def peak(line, batch_s, depth):
    """The program's peak until its queue has been full for some time. Production fills `depth` slots in
    4/3 depth batches if the consumer takes one in four. Ends when memory has not grown for some time after that."""
    shared_before = shared_memory()
    started = time.monotonic()
    most, grown_at = 0, started
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, start_new_session=True) as program:
        try:
            while program.poll() is None:
                now = time.monotonic()
                held = memory(program.pid, shared_before)
                if held > most * 1.002:
                    grown_at = now
                most = max(most, held)
                if now - started > 2 + 2 * depth * batch_s and now - grown_at > 1 + 10 * batch_s:
                    break
                time.sleep(0.03)
            if program.poll() not in (None, 0):
                raise SystemExit(f"{' '.join(map(str, line))}\nended with {program.returncode}")
        finally:
            if program.poll() is None:
                os.killpg(program.pid, signal.SIGKILL)  # only the session that was started for it
    return most
