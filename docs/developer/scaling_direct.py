#!/usr/bin/env python3
"""Prints the predicted numbers on direct solutions of scaling.md, which explains the model. It needs
scaling_model.py in the same folder, whose units and links it uses, and Python 3.8.

A case is −∇·∇u = 1 with Dirichlet faces in float64 to 1e-8 from a field of zeros: one solution and
its check. The grid is cut into slabs along z, and lines along z remain cut.
"""
import math
import sys

sys.dont_write_bytecode = True  # leave no files among the pages
from scaling_model import (ALLREDUCE, HOST, IB200, IB400, LAUNCH, PEER, SHARED, Box, by, slabs,
                           table)

# Fitted to one H200: bytes a µs of the passes over grids, by the number of points along an axis.
RATE = ((257, 2.94e6), (513, 3.32e6), (1025, 2.85e6))
ELEMENT = 8
VALUES = 12      # that the passes read and write for a point: five of 2, and the check
VALUES_CUT = 13  # with cut lines: the modes are read once more
VALUES_ADDED = 3  # if a correction is added to the field, as earlier versions did
KERNELS, KERNELS_CUT = 6, 9
CHECK = 30.0     # until the host has seen a residual
ENDS = 2         # values of a line that a rank sends, and that it gets


def rate(edge):
    """Bytes a µs, between the measured lengths linear in the logarithm."""
    edge = min(max(edge, RATE[0][0]), RATE[-1][0])
    for (short, below), (long, above) in zip(RATE, RATE[1:]):
        if edge <= long:
            break
    return below + (above - below) * math.log2(edge / short) / math.log2(long / short)


class Solve:
    """Adds up what a solution takes, by what it is spent on."""

    def __init__(self, points, ranks, link=PEER, added=False):
        self.points, self.ranks = points, ranks
        box = Box([points[0], points[1], -(-points[2] // ranks)], slabs(ranks), ELEMENT)
        is_cut = ranks > 1
        values = (VALUES_CUT if is_cut else VALUES) + (VALUES_ADDED if added else 0)
        speed = rate(points[0])
        self.spent = {
            "passes": ((KERNELS_CUT if is_cut else KERNELS) * LAUNCH +
                       values * ELEMENT * box.points / speed),
            "ends": 0.0, "halo": 0.0,
            "check": CHECK + 100 * ALLREDUCE * math.log2(ranks)}
        if is_cut:
            lines = points[0] * points[1]
            sent = ENDS * ELEMENT * lines * (ranks - 1) / ranks
            inside = min(4, ranks) / ranks if link is not PEER else 1.0  # four ranks a node
            travel = max(PEER.latency + inside * sent / PEER.bandwidth,
                         link.latency + (1 - inside) * sent * link.gpus / link.bandwidth)
            chains = 3 * ENDS * ELEMENT * lines / speed  # of separators: read, solved and written
            host = HOST if link.host else 0.0
            self.spent["ends"] = 2 * (LAUNCH + travel + host) + chains
            self.spent["halo"] = box.halo(1, link)

    def total(self):
        return sum(self.spent.values())


def ms(us):
    return "{:.2f}".format(us / 1e3) if us < 1e4 else "{:.1f}".format(us / 1e3)


def share(one, solve, ranks):
    return "{:.0f} %".format(100 * one.total() / solve.total() / ranks)


def cube(edge, ranks, **options):
    return Solve([edge] * 3, ranks, **options)


# Edge, ranks, ms, and ms of versions that added a correction: measured.
MEASURED = ((257, 1, 0.615, None), (513, 1, 3.97, None), (1025, 1, 36.3, None),
            (257, 2, 0.487, 0.550),
            (513, 2, 2.43, 2.84), (1025, 2, 19.0, 22.5))


def check():
    print("## One GPU (fitted), and two (not fitted)\n")
    rows = []
    for edge, ranks, measured, before in MEASURED:
        predicted = cube(edge, ranks).total() / 1e3
        cells = ["{}³".format(edge), ranks, ms(1e3 * predicted), measured,
                 "{:+.0f} %".format(100 * (predicted / measured - 1))]
        added = cube(edge, ranks, added=True).total() / 1e3
        cells += ["–"] * 3 if before is None else [
            ms(1e3 * added), before, "{:+.0f} %".format(100 * (added / before - 1))]
        rows.append(cells)
    table(("", "GPUs", "ms", "measured", "", "with a correction, ms", "measured", ""), rows)


def one_host():
    print("## GPUs of one host, NVLink, slabs\n")
    rows = []
    for edge in (257, 513, 1025):
        for ranks in (2, 4, 8):
            solve = cube(edge, ranks)
            rows.append(["{}³".format(edge), ranks, ms(solve.total()),
                         share(cube(edge, 1), solve, ranks)] +
                        ["{:.3f}".format(solve.spent[part] / 1e3) for part in solve.spent])
    table(("", "GPUs", "ms", "efficiency", "passes", "ends of lines", "halo", "check"), rows)


def many_nodes():
    print("## Many nodes, slabs of 1025 × 1025 × 1024 points a GPU, and strong\n")
    rows = []
    for name, points, counts in (
            ("1024 planes a GPU", lambda r: [1025, 1025, 1024 * r], (8, 64, 1024)),
            ("1025³", lambda r: [1025] * 3, (8, 64, 256))):
        one = Solve([1025] * 3, 1)
        for ranks in counts:
            points_of = points(ranks)
            cells = [name, ranks]
            for link in (IB200, IB400, SHARED):
                solve = Solve(points_of, ranks, link)
                cells += [ms(solve.total()), share(one, solve, 1 if "planes" in name else ranks)]
            rows.append(cells + ["{:.2f}".format(Solve(points_of, ranks, IB400).spent["ends"] / 1e3)])
    table(("", "GPUs", IB200.name + ": ms", "efficiency", IB400.name + ": ms", "efficiency",
           SHARED.name + ": ms", "efficiency", "ends of lines at 400 Gb/s, ms"), rows)


def main():
    check()
    one_host()
    many_nodes()


if __name__ == "__main__":
    main()
