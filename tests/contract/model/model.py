"""The order of positions and the batches of ranks, from the specification alone.

Prints the table of `weir order`: epoch, position, step, rank, index. The samples are those of synthetic data.
"""
import math
import sys

MASK = (1 << 64) - 1


def mix64(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return x ^ x >> 31


def mix_key(*parts):
    key = 0x243F6A8885A308D3
    for part in parts:
        key = mix64(key ^ mix64(part))
    return key


def permuted(size, key, x):
    """A Feistel network over pairs; the cycle of x is followed until it is below size."""
    left = right = 1
    if size > 1:
        left = math.isqrt(size - 1) + 1
        left += left % 2
        right = -(-size // left)
    while True:
        a, b = divmod(x, right)
        for turn in range(12 if size <= 64 else 6):
            a = (a + (mix64(mix64((key + 2 * turn) & MASK) ^ b) * left >> 64)) % left
            b = (b + (mix64(mix64((key + 2 * turn + 1) & MASK) ^ a) * right >> 64)) % right
        x = a * right + b
        if x < size:
            return x


def index_of(order, seed, samples, epoch, position):
    if order == "sequential":
        return position
    key = mix_key(0, seed, epoch, 0)
    if order == "shuffle":
        return permuted(samples, key, position)
    size, together = map(int, order.split(":")[1:])
    run, place = divmod(position, size * together)
    first = run * size * together
    mixed = first + permuted(min(samples - first, size * together), mix_key(3, seed, epoch, run), place)
    block, place = divmod(mixed, size)
    return mixed if block >= samples // size else permuted(samples // size, key, block) * size + place


def batches(positions, batch, world, drop_last):
    """For each step, the positions of each rank."""
    whole = batch * world
    for first in range(0, len(positions), whole):
        step = positions[first:first + whole]
        if len(step) < whole and drop_last:
            return
        each, more = divmod(len(step), world)
        cuts = [rank * each + min(rank, more) for rank in range(world + 1)]
        yield [step[cuts[rank]:cuts[rank + 1]] for rank in range(world)]


def main(samples, order, seed, batch, world, drop_last, epochs):
    print("epoch\tposition\tstep\trank\tindex")
    for epoch in range(int(epochs)):
        for step, ranks in enumerate(batches(range(int(samples)), int(batch), int(world), drop_last == "1")):
            for rank, positions in enumerate(ranks):
                for position in positions or ["-"]:
                    index = "-" if position == "-" else index_of(order, int(seed), int(samples), epoch, position)
                    print(epoch, position, step, rank, index, sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
