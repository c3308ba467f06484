#!/usr/bin/env python3
"""Prints the predicted numbers of scaling.md, which explains the model. Needs nothing but Python 3.8.

Lengths in points, times in µs, rates in points a µs (GCell/s x 1000), bandwidths in bytes a µs.
"""
import itertools
import math

# One H200, GCell/s of the plans with t steps a pass, on cubes of 1024, 512, 256 and 128 points an
# axis. From measurements.md; assumed: t = 1 from 256 down, and t = 2, 3 at 128.
CUBES = (1024, 512, 256, 128)
RATE = {(3, 4): {1: (349, 340, 300, 160), 2: (741, 643, 513, 220), 3: (1031, 1004, 745, 260),
                 4: (1333, 1170, 821, 299)},
        (3, 8): {1: (193, 190, 170, 130), 2: (370, 371, 287, 190), 3: (536, 580, 444, 225),
                 4: (718, 714, 556, 251)},
        (2, 4): {20: (4275, 3842, 2965, 1600)},  # squares of 16384, 8192, 4096 and 2048
        (2, 8): {20: (2000, 1877, 1675, 950)}}
TILE_ROWS = {1: 16, 2: 48, 3: 96, 4: 72}  # of a block or cluster in 3D, with margins; 512 bytes wide
COPY = 4.29e6          # memory, bytes a µs
LAUNCH = 5.0           # of any kernel, with its ramp
GRAIN = 64             # bytes that memory moves at least: a row of an x face is shorter
HOST = 10.0            # until the host has seen that a kernel is done and MPI is told
MESSAGE = 0.5          # for each message beyond the first
FLAGS = 10.0           # to raise a flag at the neighbours and to see theirs
ALLREDUCE = 15.0 / 100  # a step, times log2 of the ranks: one residual every 100 steps


class Link:
    def __init__(self, name, latency, bandwidth, gpus=1, host=True):
        self.name, self.latency, self.bandwidth, self.host = name, latency, bandwidth, host
        self.gpus = gpus  # that share it


PEER = Link("NVLink, peer", 5.4, 363e3, host=False)
STAGED = Link("staged", 20.0, 3.9e3)
IB200 = Link("200 Gb/s", 7.0, 25e3)
IB400 = Link("400 Gb/s", 7.0, 50e3)
SHARED = Link("400 Gb/s for 4", 7.0, 50e3, gpus=4)


def rate(dimension, element, t, points):
    """Points a µs, between the measured sizes linear in the logarithm of the edge."""
    edge = points ** (1 / dimension) / (1 if dimension == 3 else 16)
    rates = RATE[dimension, element][t]
    place = min(max(math.log2(1024 / edge), 0.0), 2.999)
    low = int(place)
    return 1e3 * (rates[low] + (place - low) * (rates[low + 1] - rates[low]))


def cut(grid, ranks, periodic=False, axes=(0, 1, 2)):
    """Parts an axis as choose_decomposition finds them: fewest points sent, rather not across x."""
    best = None
    for p in itertools.product([d for d in range(1, ranks + 1) if ranks % d == 0], repeat=2):
        if ranks % (p[0] * p[1]) == 0:
            parts = (p[0], p[1], ranks // (p[0] * p[1]))
            if all(parts[a] == 1 or (a in axes and grid[a] > 1) for a in range(3)):
                sent = sum((parts[a] - (not periodic)) / grid[a] for a in range(3) if parts[a] > 1)
                best = min(best or (9e9,), (round(sent, 12), parts))
    return best[1]


class Box:
    """The share of a rank that has as many neighbours as any."""

    def __init__(self, local, parts, element, periodic=False):
        self.n, self.parts, self.element = local, parts, element
        self.dimension = 2 if local[2] == 1 else 3
        self.points = local[0] * local[1] * local[2]
        self.sides = [0 if p == 1 else 1 if p == 2 and not periodic else 2 for p in parts]

    def face(self, axis):
        return self.points // self.n[axis]

    def margin(self, axis, t):
        vector = 16 // self.element
        return -(-t // vector) * vector if axis == 0 else t

    def rim(self, axis, t, depth):
        """Points' worth of work for a rim: along the axis that is streamed all planes that are read,
        across it whole tiles."""
        stream = self.dimension - 1
        if axis == stream:
            return (depth + 2 * t) * self.face(axis)
        useful = 512 // self.element - 2 * self.margin(0, t) if axis == 0 else TILE_ROWS[t] - 2 * t
        return math.ceil(depth / useful) * useful * self.face(axis)

    def halo_bytes(self, depth, link):
        """Out of a rank: (to others of its node, out of the node). Four ranks a node, in the order of
        their numbers, x first."""
        left, node = 4, []
        for p in self.parts:
            node.append(math.gcd(p, left))
            left //= node[-1]
        inside = outside = shared = 0
        for a, (s, g, p) in enumerate(zip(self.sides, node, self.parts)):
            size = depth * self.face(a) * self.element
            inner = 0 if g == 1 else s if g == p else 1
            inside += inner * size
            outside += (s - inner) * size
            shared += size * (4 * s if g == 1 else 0 if g == p else 2 * (4 // g))
        return inside, outside if link.gpus == 1 else shared

    def packing(self, depth):
        """Bytes that pack (or unpack) moves in memory."""
        grains = [GRAIN * math.ceil(depth * self.element / GRAIN), depth * self.element,
                  depth * self.element]
        return sum(2 * s * self.face(a) * g for a, (s, g) in enumerate(zip(self.sides, grains)))

    def halo(self, depth, link):
        if not any(self.sides):
            return 0.0
        inside, outside = self.halo_bytes(depth, link)
        if link in (PEER, STAGED):
            inside, outside = 0, inside + outside
        messages = math.prod(1 + s for s in self.sides) - 1
        travel = max(link.latency + MESSAGE * (messages - 1) + outside / link.bandwidth,
                     PEER.latency + inside / PEER.bandwidth)
        pack = self.packing(depth) * (1 if link is PEER else 2) / COPY
        return 2 * LAUNCH + pack + travel + (HOST if link.host else 0.0)

    def forwarded(self, t):
        """µs a step where sweeps write the neighbours' halos: in one host, cut along the last axis."""
        axis = self.dimension - 1
        more = self.sides[axis] * t / self.n[axis]
        pass_ = LAUNCH + t * self.points * (1 + more) / rate(self.dimension, self.element, t, self.points)
        return (pass_ + FLAGS) / t + ALLREDUCE * math.log2(self.parts[axis])

    def step(self, t, link, overlapped, passes=1):
        """µs a step: `passes` passes of t steps follow an exchange."""
        depth, speed = t * passes, rate(self.dimension, self.element, t, self.points)
        halo = self.halo(depth, link)
        total = 0.0
        for p in range(passes):
            beyond = depth - (p + 1) * t  # that this pass has to leave valid beyond the owned points
            if p == 0 and overlapped:
                interior = LAUNCH + t * self.points / speed
                rims = sum(s * (LAUNCH + t * self.rim(a, t, depth) / speed)
                           for a, s in enumerate(self.sides) if s)
                total += max(interior, halo) + rims
            else:
                more = sum(s * (beyond + self.margin(a, t)) / self.n[a]
                           for a, s in enumerate(self.sides))
                total += LAUNCH + t * self.points * (1 + more) / speed + (halo if p == 0 else 0.0)
        ranks = self.parts[0] * self.parts[1] * self.parts[2]
        return total / depth + ALLREDUCE * math.log2(ranks)


DEPTHS = {1: (1, 1), 2: (2, 1), 3: (3, 1), 4: (4, 1), 6: (3, 2), 8: (4, 2)}  # (t, passes)
SCHEDULES = ((False, "sequential"), (True, "overlapped"))


def table(heading, rows):
    rows = [[str(cell) for cell in row] for row in rows]
    print("| " + " | ".join(heading) + " |\n|" + "---|" * len(heading))
    print("\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n")


def strong(grid, ranks, element, periodic=False, axes=(0, 1, 2), parts=None):
    parts = parts or cut(grid, ranks, periodic, axes)
    return Box([-(-g // p) for g, p in zip(grid, parts)], parts, element, periodic)


def weak(edge, parts, element):
    return Box([edge] * 3, parts, element)


def cube(ranks, axes=(0, 1, 2)):
    return cut([2 ** 20] * 3, ranks, axes=axes)


def slabs(ranks):
    """As `isotherm bench scaling --weak` grows its grid."""
    return (1, 1, ranks)


def by(parts):
    return " × ".join(map(str, parts))


def percent(box, step):
    """Points a µs and rank, to the rate of one GPU with 1024³ points."""
    return "{:.0f} %".format(100 * box.points / step / rate(3, box.element, 4, 1024 ** 3))


def precision(element):
    return "float32" if element == 4 else "float64"


def check():
    print("## checked against runs with halos through the host\n")
    cases = (("1024³, float32", strong([1024] * 3, 2, 4), 4, 897),
             ("1024³, float32", strong([1024] * 3, 4, 4), 4, 902),
             ("512³, float32", strong([512] * 3, 4, 4), 4, 437),
             ("1024³ a GPU, float32", weak(1024, slabs(4), 4), 4, 1517),
             ("16384², periodic, float64", strong([16384, 16384, 1], 4, 8, True), 20, 3044))
    rows = []
    for name, box, t, measured in cases:
        ranks = math.prod(box.parts)
        rows.append([name, ranks] + ["{:.0f}".format(ranks * box.points / box.step(t, STAGED, o) / 1e3)
                                     for o, _ in SCHEDULES] + [measured])
    table(("GCell/s", "GPUs", "sequential", "overlapped", "measured"), rows)


# Efficiencies of runs with sweeps that write the neighbours' halos, in percent: (2 GPUs, 4 GPUs).
MEASURED = {("1024³", 4): (98.2, 99.3), ("1024³", 8): (95.7, 93.0), ("512³", 4): (91.8, 82.5),
            ("512³", 8): (90.6, 82.4), ("16384²", 8): (96.3, 93.2), ("1024³ a GPU", 4): (98.7, 97.6)}


def one_host():
    print("## GPUs of one host, NVLink, slabs\n")
    rows = []
    for name, make, is_weak, t in (
            ("1024³", lambda r, e: strong([1024] * 3, r, e, parts=slabs(r)), False, 4),
            ("512³", lambda r, e: strong([512] * 3, r, e, parts=slabs(r)), False, 4),
            ("16384²", lambda r, e: strong([16384, 16384, 1], r, e, True, parts=(1, r, 1)), False, 20),
            ("1024³ a GPU", lambda r, e: weak(1024, slabs(r), e), True, 4)):
        for element, ranks in itertools.product((4, 8), (2, 4)):
            box, alone = make(ranks, element), make(1, element)
            one = alone.points / rate(box.dimension, element, t, alone.points)
            speed = rate(box.dimension, element, t, box.points)
            cells = [name + ", " + precision(element), ranks,
                     "{:.0f}".format(t * box.points / speed), "{:.0f}".format(box.halo(t, PEER))]
            for step in (box.step(t, PEER, False), box.step(t, PEER, True), box.forwarded(t)):
                cells.append("{:.0f} %".format(100 * one / step / (1 if is_weak else ranks)))
            measured = MEASURED.get((name, element))
            cells += ["{:.4f}".format(box.forwarded(t) / 1e3),
                      "{:.0f}".format(ranks * box.points / box.forwarded(t) / 1e3),
                      "{:.1f} %".format(measured[ranks // 4]) if measured else "–"]
            rows.append(cells)
    table(("", "GPUs", "pass, µs", "halo, µs", "sequential", "overlapped", "forwarded",
           "forwarded: ms a step", "GCell/s", "measured"), rows)


def over_depth(name, box, links):
    print("### {}, {}: {} GPUs, {}, {} points a GPU\n".format(
        name, precision(box.element), math.prod(box.parts), by(box.parts), by(box.n)))
    rows = []
    for depth, (t, passes) in DEPTHS.items():
        cells = [depth if passes == 1 else "{} ({} passes of {})".format(depth, passes, t)]
        rows.append(cells + [percent(box, box.step(t, link, o, passes))
                             for link in links for o, _ in SCHEDULES])
    table(["steps an exchange"] + [link.name + ", " + s for link in links for _, s in SCHEDULES], rows)


def best_of(box, link):
    """Of what the program does: one pass an exchange."""
    step, t, schedule = min((box.step(t, link, o), t, name)
                            for t in (1, 2, 3, 4) for o, name in SCHEDULES)
    return step, "{}, {}".format(t, schedule)


def over_ranks():
    print("### 1024³ a GPU, float32, the best t and schedule\n")
    rows = []
    for parts in [cube(r) for r in (4, 8, 16, 32, 64, 1024, 8192)] + [slabs(r) for r in (4, 8, 8192)]:
        box, ranks = weak(1024, parts, 4), math.prod(parts)
        cells = [ranks, by(parts)]
        for link in (IB200, IB400, SHARED) if ranks > 4 else (PEER,) * 3:
            step, how = best_of(box, link)
            cells.append("{} ({})".format(percent(box, step), how))
        rows.append(cells)
    table(("GPUs", "cut into", IB200.name, IB400.name, SHARED.name), rows)


def over_problems():
    print("### the best t and schedule\n")
    rows = []
    for edge, counts in ((4096, (64, 1024, 8192)), (16384, (1024, 8192))):
        for element, ranks in itertools.product((4, 8), counts):
            box = strong([edge] * 3, ranks, element)
            cells = ["{}³, {}".format(edge, precision(element)), ranks, by(box.n)]
            for link in (IB200, IB400):
                step, how = best_of(box, link)
                cells += ["{:.4f}".format(step / 1e3), "{} ({})".format(percent(box, step), how)]
            rows.append(cells)
    table(("", "GPUs", "points a GPU", IB200.name + ": ms a step", "efficiency",
           IB400.name + ": ms a step", "efficiency"), rows)


def over_cuts():
    print("## x left whole, float32, t = 4\n")
    rows = []
    for name, make in (("1024³ a GPU", lambda r, a: weak(1024, cube(r, a), 4)),
                       ("4096³", lambda r, a: strong([4096] * 3, r, 4, axes=a))):
        for ranks, axes in itertools.product((64, 1024), ((0, 1, 2), (1, 2))):
            box = make(ranks, axes)
            rows.append([name, ranks, by(box.parts), by(box.n)] +
                        [percent(box, box.step(4, link, o))
                         for link in (IB200, IB400) for o, _ in SCHEDULES])
    table(["", "GPUs", "cut into", "points a GPU"] +
          [link.name + ", " + s for link in (IB200, IB400) for _, s in SCHEDULES], rows)


def main():
    check()
    one_host()
    print("## weak\n")
    over_ranks()
    over_depth("1024³ a GPU", weak(1024, cube(64), 4), (IB200, IB400, SHARED))
    over_depth("1024³ a GPU", weak(1024, cube(1024), 4), (IB200, IB400, SHARED))
    over_depth("1024³ a GPU", weak(1024, cube(1024), 8), (IB200, IB400, SHARED))
    print("## strong\n")
    over_problems()
    over_depth("4096³", strong([4096] * 3, 1024, 4), (IB200, IB400))
    over_depth("4096³", strong([4096] * 3, 8192, 4), (IB200, IB400))
    over_depth("16384³", strong([16384] * 3, 8192, 4), (IB200, IB400))
    over_cuts()


if __name__ == "__main__":
    main()
