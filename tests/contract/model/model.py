"""The order of positions and the batches of ranks, from the specification alone.

Prints the table of `weir order`: epoch, position, step, rank, index. The samples are those of synthetic data.
"""
import functools
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


def philox(seed, counter):
    """Philox4x64-10: four values of 64 bits."""
    key = [seed, 0]
    for _ in range(10):
        low, high = 0xD2E7470EE14C6C93 * counter[0], 0xCA5A826395121157 * counter[2]
        counter = [high >> 64 ^ counter[1] ^ key[0], high & MASK, low >> 64 ^ counter[3] ^ key[1], low & MASK]
        key = [key[0] + 0x9E3779B97F4A7C15 & MASK, key[1] + 0xBB67AE8584CAA73B & MASK]
    return counter


def weights_of(samples):
    return [float(i * i % 5 + (i == 0)) for i in range(samples)]


@functools.cache
def alias_table(weights):
    """For each column, the chance of its own index in units of 2^-64, and the other index."""
    scale = 62 - math.frexp(max(weights))[1]
    loads = [len(weights) * int(math.ldexp(weight, scale)) for weight in weights]
    room = sum(loads) // len(weights)
    table = [(MASK, i) for i in range(len(weights))]
    light, heavy = (iter([i for i, load in enumerate(loads) if (load > room) == is_heavy]) for is_heavy in (False, True))
    at, low = next(heavy, None), next(light, None)
    left = 0 if at is None else loads[at]
    while at is not None:
        if left > room:
            if loads[low] < room:
                table[low] = (int(math.ldexp(float(loads[low]) / float(room), 64)), at)
            left -= room - loads[low]
            low = next(light, None)
        else:
            after = next(heavy, None)
            if after is not None:
                if left < room:
                    table[at] = (int(math.ldexp(float(left) / float(room), 64)), after)
                left += loads[after] - room
            at = after
    return table


def positions_of(order, samples):
    kind, *numbers = order.split(":")
    if kind == "every":
        return len(range(int(numbers[1]), samples, int(numbers[0])))
    return int(numbers[-1]) if kind in ("with_replacement", "weighted", "own") else samples


def drawn(order, seed, samples, epoch, position):
    """The orders that may draw a sample several times, or not at all."""
    kind, *numbers = order.split(":")
    if kind == "every":
        return int(numbers[1]) + position * int(numbers[0])
    if kind == "own":  # the function of trainer.cpp
        return philox(seed, [0, position, epoch, 0xFFFFFFFF])[0] * samples >> 64 if position % 2 else (epoch + position) % samples
    column, coin = divmod(mix_key(4, seed, epoch, position) * samples, 1 << 64)
    if kind == "with_replacement":
        return column
    threshold, other = alias_table(tuple(weights_of(samples)))[column]
    return column if coin < threshold else other


def index_of(order, seed, samples, epoch, position):
    if order == "sequential":
        return position
    if order.split(":")[0] in ("with_replacement", "weighted", "every", "own"):
        return drawn(order, seed, samples, epoch, position)
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
        for step, ranks in enumerate(batches(range(positions_of(order, int(samples))), int(batch), int(world), drop_last == "1")):
            for rank, positions in enumerate(ranks):
                for position in positions or ["-"]:
                    index = "-" if position == "-" else index_of(order, int(seed), int(samples), epoch, position)
                    print(epoch, position, step, rank, index, sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
