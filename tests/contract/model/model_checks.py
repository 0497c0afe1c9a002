"""Compares weir with the model: `order`, `run` and `kill`."""
import itertools
import os
import random
import subprocess
import sys
import tempfile

import model

ORDERS = ["sequential", "shuffle", "blocks:3:2"]
# The last number is the draws of an epoch. The program draws as many as there are samples from weights.
DRAWING = ["with_replacement:31", "every:3:1", "weighted:{samples}"]


def output(*command):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout


def rows_of(table, *names):
    lines = [line.split("\t") for line in table.splitlines()]
    columns = [lines[0].index(name) for name in names]
    return [tuple(line[column] for column in columns) for line in lines[1:]]


def expected(samples, order, seed, batch, world, drop_last, epochs):
    for epoch in range(epochs):
        positions = range(model.positions_of(order, samples))
        for step, ranks in enumerate(model.batches(positions, batch, world, drop_last)):
            for rank, positions in enumerate(ranks):
                for p in positions:
                    yield tuple(map(str, (epoch, p, step, rank, model.index_of(order, seed, samples, epoch, p))))
                if not positions:
                    yield (str(epoch), "-", str(step), str(rank), "-")


def options_of(order, samples, folder, seed, batch, drop_last, epochs):
    if order.startswith("weighted"):
        order = "weighted:" + os.path.join(folder, "weights")
        with open(order[len("weighted:"):], "w", encoding="utf-8") as file:
            file.writelines(f"{weight}\n" for weight in model.weights_of(samples))
    return ["--order", order, "--seed", seed, "--batch", batch, "--epochs", epochs] + ["--drop-last"] * drop_last


def check_order(weir):
    """`weir order` lists what the model says, for many worlds, sizes and orders."""
    cases = list(itertools.product(ORDERS, [1, 2, 3, 4, 8], [False, True]))
    cases += itertools.product(DRAWING, [1, 3], [False, True])
    with tempfile.TemporaryDirectory() as folder:
        for (order, world, drop_last), (samples, batch) in itertools.product(cases, [(7, 1), (23, 2), (83, 3)]):
            order = order.format(samples=samples)
            if drop_last and model.positions_of(order, samples) < batch * world:
                continue
            table = output(weir, "order", f"synthetic:{samples},8x8", "--world", world,
                           *options_of(order, samples, folder, 5, batch, drop_last, 2))
            found = rows_of(table, "epoch", "position", "step", "rank", "index")
            case = (order, world, drop_last, samples, batch)
            assert found == list(expected(samples, order, 5, batch, world, drop_last, 2)), case


def check_run(weir):
    """What ranks deliver is what the model says."""
    with tempfile.TemporaryDirectory() as folder:
        cases = list(zip(ORDERS * 2, [2, 3, 4, 3, 1, 8], [False, True] * 3))
        cases += zip(DRAWING, [2, 3, 1], [False, True, False])
        for order, world, drop_last in cases:
            order = order.format(samples=41)
            found = []
            for rank in range(world):
                path = os.path.join(folder, "{rank}")
                output(weir, "run", "synthetic:41,8x8", "--size", "8x8", "--quiet", "--rank", rank, "--world", world,
                       "--samples", path, *options_of(order, 41, folder, 9, 3, drop_last, 2))
                with open(os.path.join(folder, str(rank)), encoding="utf-8") as file:
                    found.append(rows_of(file.read(), "epoch", "position", "index"))
            rows = list(expected(41, order, 9, 3, world, drop_last, 2))
            for rank in range(world):
                wanted = [(row[0], row[1], row[4]) for row in rows if row[3] == str(rank)]
                assert found[rank] == wanted, (order, world, drop_last, rank)


def leg(trainer, job, world, batch, left, resumed, states, kill_after):
    """Runs the trainer once. Returns the finished (epoch, position), after a check of what it was given."""
    samples, order, seed, epochs, count, partners = job
    said = subprocess.run(
        [trainer, *map(str, (samples, order, seed, batch, world, epochs, random.getrandbits(31), kill_after)), states,
         ",".join(resumed), str(count)], capture_output=True, text=True)
    assert said.returncode == (-9 if kill_after else 0) or (kill_after and said.returncode == 0), said.stderr
    wanted = [(epoch, step) for epoch in range(epochs) for step in model.batches(left[epoch], batch, world, False)]
    finished = []
    for line in said.stdout.splitlines():
        what, rank, sequence, epoch, *indices = line.split()
        of, step = wanted[int(sequence)]
        positions = step[int(rank)]
        drawn = [str(model.index_of(order, seed, samples, of, p)) for p in positions]
        assert (int(epoch), [row.split("+")[0] for row in indices]) == (of, drawn or ["-"]), line
        for p, row in zip(positions, indices):
            of_row = row.split("+")[1:]
            assert len(of_row) == count and partners.setdefault((of, p), of_row) == of_row, line
        if what == "finished":
            finished += [(of, p) for p in positions]
    return finished


def check_kill(trainer, rounds):
    """Killed twice at any moment and resumed by any world and batch: each sample is finished once, with the partners that a
    whole run gives it."""
    for turn in range(int(rounds)):
        random.seed(turn)
        samples, draws = random.randrange(2, 60), random.randrange(1, 90)
        order = random.choice(ORDERS + ["every:3:1", f"with_replacement:{draws}", f"weighted:{draws}", f"own:{draws}"])
        epochs, partners = random.randrange(1, 4), turn % 3
        job = (samples, order, turn, epochs, partners, {})
        positions = range(model.positions_of(order, samples))
        left = [list(positions) for _ in range(epochs)]
        world, batch, resumed = random.randrange(1, 5), random.randrange(1, 6), []
        same = random.random() < 0.25
        with tempfile.TemporaryDirectory() as folder:
            if partners and left[0]:
                leg(trainer, job, 2, 3, left, [], os.path.join(folder, "whole-"), 0)
            for number, kill_after in enumerate([random.randrange(1, 20), random.randrange(1, 20), 0]):
                if number and not same:
                    world, batch = random.randrange(1, 5), random.randrange(1, 6)
                states = os.path.join(folder, f"{number}-")
                if epochs == 1 and not left[0]:
                    break  # refused: nothing is left, and 1 may be the default
                for epoch, position in leg(trainer, job, world, batch, left, resumed, states, kill_after):
                    left[epoch].remove(position)  # fails if it was finished before
                resumed = [states + str(rank) for rank in range(world)]
            assert not any(left), (turn, left)


if __name__ == "__main__":
    {"order": check_order, "run": check_run, "kill": check_kill}[sys.argv[1]](*sys.argv[2:])
