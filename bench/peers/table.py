"""Turns the figures of run.py into Markdown. A pure function of its JSON; tested by table_test.py."""
from statistics import median

MIB = 1 << 20
REFERENCE = "weir, float32"
NOT_PEERS = ("roofline", "weir, uint8", REFERENCE)


def ratio(of, against):
    """Median over the rounds of the quotient within one round. Drift of the machine disturbs it less."""
    return median(a / b for a, b in zip(of, against))


def speed_cell(rates, reference):
    cell = f"{median(rates):,.0f} ({min(rates):,.0f}–{max(rates):,.0f})"
    if reference and rates is not reference:
        cell += f" {ratio(rates, reference):.2f}×"
    return cell


def rows(header, aligned, lines):
    yield "| " + " | ".join(header) + " |"
    yield "| " + " | ".join(aligned) + " |"
    for line in lines:
        yield "| " + " | ".join(line) + " |"


def speed_table(speed):
    columns = [(data, fit) for data, fits in speed.items() for fit in fits]
    names = list(dict.fromkeys(name for data, fit in columns for name in speed[data][fit]))
    lines = []
    for name in names:
        cells = []
        for data, fit in columns:
            rates = speed[data][fit].get(name)
            cells.append(speed_cell(rates, speed[data][fit].get(REFERENCE)) if rates else "")
        lines.append([name, *cells])
    header = ["samples/s", *(f"{data}, {fit}" for data, fit in columns)]
    yield from rows(header, ["---"] + ["---:"] * len(columns), lines)


def per_place(by_depth):
    """Bytes for each queue slot, between the smallest and the largest depth."""
    depths = sorted(map(int, by_depth))
    if len(depths) < 2:
        return None
    low, high = depths[0], depths[-1]
    return (by_depth[str(high)] - by_depth[str(low)]) / (high - low)


def memory_table(memory):
    depths = sorted({int(depth) for by_depth in memory.values() for depth in by_depth})
    lines = []
    for name, by_depth in memory.items():
        cells = [f"{by_depth[str(d)] / MIB:,.0f}" if str(d) in by_depth else "" for d in depths]
        place = per_place(by_depth)
        lines.append([name, *cells, f"{place / MIB:.1f}" if place is not None else ""])
    header = ["MiB at queue", *map(str, depths), "each place"]
    yield from rows(header, ["---"] + ["---:"] * (len(depths) + 1), lines)


def comparisons(figures):
    """Comparisons of weir with the others, one line each."""
    for data, fits in figures["speed"].items():
        for fit, of in fits.items():
            mine = of.get(REFERENCE)
            peers = {name: rates for name, rates in of.items() if name not in NOT_PEERS}
            parts = []
            if "roofline" in of:
                parts += [f"{name} {ratio(of[name], of['roofline']):.3f} of the roofline"
                          for name in NOT_PEERS[1:] if name in of]
            if mine and peers:
                best = min(peers, key=lambda name: ratio(mine, peers[name]))
                parts.append(f"float32 {ratio(mine, peers[best]):.2f}× the best peer ({best})")
                parts += [f"{ratio(mine, peers[name]):.2f}× {name}"
                          for name in ("libtorch DataLoader", "PyTorch") if name in peers and name != best]
            if parts:
                yield f"- {data}, {fit}: " + "; ".join(parts) + "."
    memory = figures.get("memory", {})
    deepest = max((int(d) for by_depth in memory.values() for d in by_depth), default=None)
    at = {name: by_depth[str(deepest)] for name, by_depth in memory.items() if str(deepest) in by_depth}
    peers = {name: size for name, size in at.items() if name not in NOT_PEERS}
    for name in NOT_PEERS[1:]:
        if name in at and peers:
            leanest = min(peers, key=peers.get)
            yield (f"- memory at queue {deepest}: {name} is {at[name] / peers[leanest]:.2f} of the "
                   f"leanest float peer ({leanest}).")


def markdown(figures):
    machine, settings = figures["machine"], figures["settings"]
    lines = [*speed_table(figures["speed"]), ""]
    if figures.get("memory"):
        lines += [*memory_table(figures["memory"]), ""]
    lines += [*comparisons(figures), ""]
    lines.append(
        f"Medians (least–most) of {settings['rounds']} interleaved rounds; × is the median of the rounds' "
        f"quotients to {REFERENCE}. Batches of {settings['batch']}, {settings['workers']} workers on cores "
        f"{', '.join(map(str, settings['cores']))}, queue {settings['queue']}. {machine['cpu']}, "
        f"{machine['memory_gib']:.0f} GiB, Linux {machine['kernel']}; load average "
        f"{machine['load_before'][0]:.1f} before, {machine['load_after'][0]:.1f} after; {figures['date']}.")
    lines.append("Versions: " + ", ".join(f"{k} {v}" for k, v in figures["versions"].items()) + ".")
    for note in figures.get("notes", []):
        lines.append(f"Note: {note}.")
    return "\n".join(lines) + "\n"
