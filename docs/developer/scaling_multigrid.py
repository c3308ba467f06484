#!/usr/bin/env python3
"""Prints the predicted numbers on multigrid of scaling.md, which explains the model. It needs
scaling_model.py beside it, whose units and links are these, and nothing else but Python 3.8.

A case is −∇·∇u = 1 with Dirichlet faces in float64 to 1e-8, its corrections in float32.
"""
import math
import sys

sys.dont_write_bytecode = True  # nothing is left beside the pages
from scaling_model import (ALLREDUCE, HOST, IB200, IB400, LAUNCH, PEER, Box, by, cube, cut, slabs,
                           table)

# Fitted to one H200 (solvers.md, performance.md): picoseconds a point of what a cycle does on a
# level, where that is a cube of so many points on an axis, and on the field itself.
LEVEL = ((1024, 15.2), (512, 15.9), (256, 21.2), (128, 57.0))
FIELD = 11.0
COARSEST = 20.0  # the exact solution of the last grid
CHECK = 30.0     # in a cycle: until the host has seen a residual, and the device works again
# What the kernels of a level take, in ms at 513³. Measured but for RESIDUAL, which is 12 bytes a
# point at the rate of copies, as FIRST, the residual of the first field, is a share of FIELD.
SWEEPS_FROM_ZERO, SWEEPS, RESTRICT, INTERPOLATE, CONTINUE = 0.71, 0.79, 0.25, 0.42, 0.80
RESIDUAL = 0.38
FIRST = 20 / 32
CYCLE = SWEEPS_FROM_ZERO + RESTRICT + INTERPOLATE + SWEEPS
CYCLES = 4

# Assumed of gathering a level on every rank, in µs: what MPI takes for each doubling of the ranks,
# in host memory. Measured on an H200: to copy all parts to the device and to scatter them; and what
# earlier versions took for the part of each other rank, which they copied and awaited separately.
GATHER = 15.0
SCATTER = 12.0
UPLOAD = 40e3  # bytes a µs
WRITE = 14.0
# GPUs of one host write their parts into each other's memory, and unpack them.
DIRECT_LAUNCHES = 4
COPY = 1e6  # bytes a µs

# As solver/multigrid/levels/level_plan.cpp and coarsening.cpp say.
FEW_POINTS = 1 << 20
THICKNESS = 4
COARSEST_POINTS = 17
FEW_TO_SMOOTH = 4
MUCH_WIDER = 1.8
DEPTH = 4


class Level:
    def __init__(self, points, parts, shared):
        self.points, self.shared = points, shared
        parts = parts if shared else (1, 1, 1)
        self.box = Box([-(-n // p) for n, p in zip(points, parts)], parts, 4)

    def work(self, parts, kernels):
        """µs of kernels that take `parts` (of what they are called above, in ms at 513³)."""
        edge = min(max(self.box.points ** (1 / 3), LEVEL[-1][0]), LEVEL[0][0])
        for (large, fast), (small, slow) in zip(LEVEL, LEVEL[1:]):
            if small <= edge:
                break
        of_point = fast + (slow - fast) * math.log2(large / edge) / math.log2(large / small)
        beyond = sum(s * DEPTH / n for s, n in zip(self.box.sides, self.box.n))
        swept = sum(p for p in parts if p in (SWEEPS_FROM_ZERO, SWEEPS))
        return (kernels * LAUNCH + 1e-6 * of_point * self.box.points *
                (sum(parts) + beyond * swept) / CYCLE)


def levels_of(points, parts, spacing=(1.0, 1.0, 1.0)):
    points, spacing = list(points), list(spacing)
    levels, everywhere = [], parts == (1, 1, 1)
    while True:
        thick = all(p == 1 or n // p >= THICKNESS for n, p in zip(points, parts))
        everywhere = everywhere or not thick or math.prod(points) < FEW_POINTS
        levels.append(Level(tuple(points), parts, not everywhere))
        if max(points) <= COARSEST_POINTS:
            return levels
        can = [a for a in range(3) if points[a] > FEW_TO_SMOOTH]
        smallest = min(spacing[a] for a in can)
        for a in can:
            if spacing[a] < MUCH_WIDER * smallest:
                fewer = points[a] // 2  # of points - 1 intervals half, rounded up
                spacing[a] *= (points[a] - 1) / fewer
                points[a] = fewer + 1


class Solve:
    """Adds up what a solution takes, by what it is spent on."""

    def __init__(self, points, parts, link, spacing=(1.0, 1.0, 1.0), one_by_one=False):
        self.parts, self.link, self.one_by_one = parts, link, one_by_one
        self.ranks = math.prod(parts)
        self.levels = levels_of(points, parts, spacing)
        self.field_box = Box([-(-n // p) for n, p in zip(points, parts)], parts, 8)
        self.last = len(self.levels) - 1
        self.spent = dict.fromkeys(("shared", "everywhere", "halos", "gathered", "checks"), 0.0)
        self.gatherings = self.exchanges = 0
        self.start()
        self.start_us = self.total()
        for _ in range(CYCLES):
            self.whole_cycle()

    def total(self):
        return sum(self.spent.values())

    def work(self, n, parts, kernels):
        self.spend(n, self.levels[n].work(parts, kernels))

    def spend(self, n, us):
        shared = self.levels[n].shared or self.ranks == 1
        self.spent["shared" if shared else "everywhere"] += us

    def halo(self, n, times=1):
        level = self.levels[n]
        if level.shared and self.ranks > 1:
            self.spent["halos"] += times * level.box.halo(DEPTH, self.link)
            self.exchanges += times

    def source(self, n):
        """The source of a level, complete: its halo, or all of it on every rank."""
        if n == 0 or self.levels[n].shared or not self.levels[n - 1].shared:
            return self.halo(n)
        self.gatherings += 1
        size = 4 * math.prod(self.levels[n].points)
        if self.link is PEER:
            self.spent["gathered"] += DIRECT_LAUNCHES * LAUNCH + size / PEER.bandwidth + size / COPY
            return
        copies = WRITE * (self.ranks - 1) if self.one_by_one else SCATTER + size / UPLOAD
        self.spent["gathered"] += (2 * LAUNCH + 2 * HOST + GATHER * math.log2(self.ranks) +
                                   size / self.link.bandwidth + copies)

    def field(self, share=1.0, checked=True):
        self.spent["shared"] += LAUNCH + 1e-6 * share * FIELD * self.field_box.points
        if self.ranks > 1:
            self.spent["halos"] += self.field_box.halo(1, self.link)
            self.exchanges += 1
        if checked:
            self.spent["checks"] += CHECK + 100 * ALLREDUCE * math.log2(self.ranks)

    def coarsest(self):
        self.spend(self.last, COARSEST)

    def from_zero(self, n):
        if n == self.last:
            return self.coarsest()
        self.work(n, (SWEEPS_FROM_ZERO,), 1)
        self.correct_by_coarser(n)

    def improve(self, n):
        self.halo(n, 2)  # of the correction: before sweeps, and before its residual
        self.work(n, (SWEEPS, RESIDUAL), 2)
        self.correct_by_coarser(n)

    def correct_by_coarser(self, n):
        self.halo(n)  # of what the correction leaves
        self.work(n, (RESTRICT, INTERPOLATE, SWEEPS), 3)
        self.source(n + 1)
        self.from_zero(n + 1)
        self.halo(n + 1)  # of its correction, which is interpolated
        self.halo(n)      # of the correction, before sweeps

    def whole_cycle(self):
        self.source(0)
        self.from_zero(0)
        self.halo(0)
        self.field()

    def start(self):
        self.field(FIRST)
        self.source(0)
        for n in range(self.last):
            self.work(n, (RESTRICT,), 1)
            self.source(n + 1)
        self.coarsest()
        for n in reversed(range(self.last)):
            self.halo(n + 1)
            self.work(n, (CONTINUE,), 1)
            if n > 0:
                self.improve(n)
        self.halo(0)
        self.field(checked=False)


ONE = Solve([1024] * 3, (1, 1, 1), PEER)


def ms(us):
    return "{:.1f}".format(us / 1e3) if us < 1e5 else "{:.0f}".format(us / 1e3)


def efficiency(solve, points):
    """Points a µs and rank, to those of one GPU with 1024³."""
    share = 100 * math.prod(points) / solve.ranks / solve.total() * ONE.total() / 1024 ** 3
    return "{:.{}f} %".format(share, 0 if share >= 9.5 else 1)


# Edge, ranks, ms to 1e-8, and to 1e-10 where that takes a cycle more: measured.
FITTED = ((129, 1.4, None), (257, 4.2, 0.8), (513, 21.6, 4.2), (1024, 160, 31))
NOT_FITTED = ((512, 13.9, 2.6), (1024, 81.7, 16.4))


def check():
    print("## One GPU (fitted), and two (not fitted)\n")
    rows = []
    for ranks, cases in ((1, FITTED), (2, NOT_FITTED)):
        for edge, whole, cycle in cases:
            solve = Solve([edge] * 3, slabs(ranks), PEER)
            rows.append(["{}³".format(edge), ranks, ms(solve.total()), whole,
                         "{:+.0f} %".format(100 * (solve.total() / 1e3 / whole - 1)),
                         "{:.2f}".format((solve.total() - solve.start_us) / CYCLES / 1e3), cycle or "–",
                         "{:.2f}".format(solve.start_us / 1e3)])
    table(("", "GPUs", "ms", "measured", "", "a cycle, ms", "measured", "the start, ms"), rows)


def one_host():
    print("## GPUs of one host, NVLink, slabs\n")
    rows = []
    for name, make, grows in (("512³", lambda r: [512] * 3, False),
                              ("1024³", lambda r: [1024] * 3, False),
                              ("1024³ a GPU, equal distances", lambda r: [1024, 1024, 1024 * r], False),
                              ("1024³ a GPU, in a unit cube", lambda r: [1024, 1024, 1024 * r], True)):
        for ranks in (1, 2, 4):
            if "GPU" in name and ranks == 1:
                continue
            points = make(ranks)
            spacing = [1 / (n - 1) for n in points] if grows else (1.0, 1.0, 1.0)
            solve = Solve(points, slabs(ranks), PEER, spacing)
            alone = Solve(make(1), (1, 1, 1), PEER)
            gain = alone.total() / solve.total() / (1 if "GPU" in name else ranks)
            rows.append([name, ranks, ms(solve.total()), "{:.0f} %".format(100 * gain)] +
                        ["{:.2f}".format(solve.spent[part] / 1e3) for part in solve.spent] +
                        [solve.exchanges, solve.gatherings])
    table(("", "GPUs", "ms", "efficiency", "shared levels", "levels everywhere", "halos", "gathering",
           "checks", "exchanges", "gatherings"), rows)


def shared_until(solve):
    return "–" if not any(l.shared for l in solve.levels) else by(
        [l.points for l in solve.levels if l.shared][-1])


def many_nodes(heading, cases):
    print("## " + heading + "\n")
    rows = []
    for name, points, parts in cases:
        link = PEER if math.prod(parts) <= 4 else None
        cells = [name, math.prod(parts), by(parts)]
        for of in (IB200, IB400):
            solve = Solve(points, parts, link or of)
            cells += [ms(solve.total()), efficiency(solve, points)]
        before = Solve(points, parts, link or IB400, one_by_one=True)
        cells += [ms(solve.spent[part]) for part in ("shared", "everywhere", "halos", "gathered")]
        cells += [shared_until(solve), ms(before.total()), efficiency(before, points)]
        rows.append(cells)
    table(("", "GPUs", "cut into", IB200.name + ": ms", "efficiency", IB400.name + ": ms", "efficiency",
           "of it shared levels", "levels everywhere", "halos", "gathering", "last shared grid",
           "gathered part by part: ms", "efficiency"), rows)


def main():
    check()
    one_host()
    weak = [("1024³ a GPU", [1024 * p for p in cube(r)], cube(r))
            for r in (4, 8, 64, 512, 1024, 4096, 8192)]
    many_nodes("Weak, equal distances", weak)
    strong = []
    for edge, counts in ((1024, (4, 8, 64, 512)), (2048, (8, 64, 512, 4096)),
                         (4096, (64, 512, 1024, 8192))):
        for ranks in counts:
            strong.append(("{}³".format(edge), [edge] * 3, cut([edge] * 3, ranks)))
    many_nodes("Strong", strong)


if __name__ == "__main__":
    main()
