"""Runs one program: for its line of JSON, or for the memory of its tree of processes."""
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
    """The process and those it started, and so on."""
    found = [pid]
    for parent in found:
        try:
            for task in Path(f"/proc/{parent}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        except OSError:
            pass  # it ended meanwhile
    return found


def field(text, name):
    """Bytes of a line such as `Pss:   12 kB`; 0 where there is none."""
    for line in text.splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) << 10
    return 0


def shared_memory():
    return field(Path("/proc/meminfo").read_text(), "Shmem")


def memory(pid, shared_before):
    """PSS of the tree, with its part of shared memory replaced by the growth of the whole system's, where that
    is more: what lies in a queue of shared memory is mapped by nobody at times."""
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
    """The most that the program holds until its queue has long been full. Production fills `depth` places in
    4/3 depth batches when the consumer takes one in four; ends once nothing has grown for a while after that."""
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
                os.killpg(program.pid, signal.SIGKILL)  # the session that was started for it, and nothing else
    return most
