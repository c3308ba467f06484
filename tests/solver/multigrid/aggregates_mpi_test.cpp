#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <numbers>
#include <numeric>
#include <set>
#include <vector>

#include "solver/multigrid/aggregates/aggregate_hierarchy.hpp"
#include "solver/multigrid/aggregates/coarse_operator.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/sanitized.hpp"

// Smoothed aggregation: its parts, compared with dense matrices, and media whose conductors are
// oblique, thin or random, so that coarser grids cannot represent them.

namespace isotherm::test {
namespace {

using enum BoundaryKind;
using OfPlace = std::function<double(double, double, double)>;

/// Returns a random number in [0, 1) that depends on a place and a seed.
double random_at(std::int64_t seed, double x, double y, double z) {
  auto const part = [](double at) { return static_cast<std::int64_t>(std::lround(1e5 * at)); };
  std::int64_t const key =
      part(x) * 1'000'003 + part(y) * 662'000'993 + part(z) * 544'439'233'331 + seed;
  return 0x1p-53 * static_cast<double>(random_of(key) >> 11U);
}

/// The rows that a rank holds of the operator of a plate whose edges have the value 0: a block of
/// successive points. Conductances between points vary by a factor of 10⁴.
class Plate {
 public:
  static constexpr std::int64_t width = 17;
  static constexpr std::int64_t height = 15;
  static constexpr std::int64_t count = width * height;

  /// Returns the conductance between two neighbours.
  static double conductance(std::int64_t p, std::int64_t q) {
    double const at = static_cast<double>(p + q);
    return std::pow(10.0, 4.0 * random_at(7, at, static_cast<double>(std::abs(p - q)), 0.0));
  }
  /// Calls visit(q) for the neighbours of a point; −1 beyond the edges.
  template <class Visit>
  static void each_neighbour(std::int64_t p, Visit const& visit) {
    visit(p % width > 0 ? p - 1 : -1);
    visit(p % width < width - 1 ? p + 1 : -1);
    visit(p >= width ? p - width : -1);
    visit(p + width < count ? p + width : -1);
  }
  /// Returns the rows of this rank, or all rows without ranks.
  static NodeOperator<double> rows(mpi::Communicator const* ranks) {
    std::int64_t const size = ranks == nullptr ? 1 : ranks->size();
    std::int64_t const self = ranks == nullptr ? 0 : ranks->rank();
    auto const first = [&](std::int64_t r) { return r * count / size; };
    auto const address = [&](std::int64_t p) {
      std::int32_t rank = 0;
      while (first(rank + 1) <= p) ++rank;
      return NodeAddress{rank, static_cast<std::int32_t>(p - first(rank))};
    };
    std::vector<NodeAddress> ghosts;
    for (std::int64_t p = first(self); p < first(self + 1); ++p) {
      each_neighbour(p, [&](std::int64_t q) {
        if (q >= 0 && address(q).rank != self) ghosts.push_back(address(q));
      });
    }
    auto const owned = static_cast<std::size_t>(first(self + 1) - first(self));
    NodeOperator<double> a;
    a.nodes = ranks == nullptr ? GhostNodes(owned) : GhostNodes(*ranks, owned, ghosts);
    for (std::int64_t p = first(self); p < first(self + 1); ++p) {
      double hold = 0.0, diagonal = 0.0;
      each_neighbour(p, [&](std::int64_t q) {
        double const g = q < 0 ? 0.5 : conductance(p, q);
        diagonal += g;
        if (q < 0) {
          hold += g;
          return;
        }
        a.links.column.push_back(static_cast<std::int32_t>(a.nodes.number(address(q))));
        a.links.value.push_back(-g);
      });
      a.links.first.push_back(static_cast<std::int64_t>(a.links.column.size()));
      a.hold.push_back(hold);
      a.stiffness.push_back(diagonal);
      a.id.push_back(p);
    }
    a.id.resize(a.nodes.total());
    a.nodes.fill(a.id);
    return a;
  }
};

std::vector<double> diagonal_with_ghosts(NodeOperator<double> const& a) {
  std::vector<double> diagonal = a.diagonal();
  diagonal.resize(a.nodes.total());
  a.nodes.fill(diagonal);
  return diagonal;
}

using Dense = std::vector<std::vector<double>>;
Dense dense(std::size_t rows, std::size_t columns) {
  return Dense(rows, std::vector<double>(columns, 0.0));
}
/// Returns the operator as a dense matrix.
Dense dense(NodeOperator<double> const& a) {
  std::size_t const n = a.nodes.owned();
  Dense result = dense(n, n);
  for (std::size_t p = 0; p < n; ++p) {
    result[p][p] = a.diagonal()[p];
    a.links.each(p, [&](std::size_t q, double value) { result[p][q] += value; });
  }
  return result;
}
Dense product(Dense const& a, Dense const& b) {
  Dense result = dense(a.size(), b.front().size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < b.front().size(); ++j) result[i][j] += a[i][k] * b[k][j];
  return result;
}
Dense transposed(Dense const& a) {
  Dense result = dense(a.front().size(), a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < result.size(); ++j) result[j][i] = a[i][j];
  return result;
}

class AggregatesOfPlate : public testing::Test {
 protected:
  mpi::Communicator const ranks{MPI_COMM_WORLD};
  NodeOperator<double> const a = Plate::rows(nullptr);
  std::vector<double> const diagonal = a.diagonal();
  Aggregates const aggregates = find_aggregates(a, diagonal);
};

/// Roots are more than two strong links apart, and each node with a strong link has an aggregate.
TEST_F(AggregatesOfPlate, AreThoseOfAMaximalIndependentSet) {
  auto const strong_neighbours = [&](std::size_t p) {
    std::vector<std::size_t> found;
    a.links.each(p, [&](std::size_t q, double value) {
      if (std::abs(value) >= 0.08 * std::sqrt(diagonal[p] * diagonal[q])) found.push_back(q);
    });
    return found;
  };
  std::set<std::size_t> const roots(aggregates.root_id.begin(), aggregates.root_id.end());
  ASSERT_GT(roots.size(), 10U);
  for (std::size_t p = 0; p < a.nodes.owned(); ++p) {
    std::set<std::size_t> near{p};
    for (std::size_t const q : strong_neighbours(p)) {
      near.insert(q);
      for (std::size_t const next : strong_neighbours(q)) near.insert(next);
    }
    auto const count =
        std::ranges::count_if(near, [&](std::size_t q) { return roots.contains(q); });
    if (roots.contains(p)) {
      EXPECT_EQ(count, 1) << p;
    }
    bool const is_linked = near.size() > 1;
    if (is_linked) {
      EXPECT_GE(count, 1) << p;
    }
    EXPECT_EQ(aggregates.aggregate[p].exists(), is_linked) << p;
  }
}

/// P = (I − 4/3 D⁻¹ A) T without the entries below 0.05 of the largest of their row, and the coarse
/// operator is PᵀAP with its row sums.
TEST_F(AggregatesOfPlate, CoarseOperatorIsTheGalerkinProduct) {
  Dense const fine = dense(a);
  std::size_t const n = fine.size();
  Dense p = dense(n, aggregates.count());
  std::size_t omitted = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0.0;
    for (double const value : fine[i]) sum += std::abs(value);
    bool const has_own = aggregates.aggregate[i].exists();
    for (std::size_t j = 0; j < n; ++j) {
      NodeAddress const to = aggregates.aggregate[j];
      double const step = has_own ? 4.0 / 3.0 / sum : 1.0 / diagonal[i];
      if (!to.exists()) continue;
      p[i][static_cast<std::size_t>(to.row)] += (i == j ? 1.0 : 0.0) - step * fine[i][j];
    }
    double const whole = std::accumulate(p[i].begin(), p[i].end(), 0.0);
    double const largest = std::ranges::max(p[i]);
    for (std::size_t k = 0; k < p[i].size(); ++k) {
      bool const is_own = has_own && k == static_cast<std::size_t>(aggregates.aggregate[i].row);
      if (is_own || p[i][k] >= 0.05 * largest || p[i][k] == 0.0) continue;
      p[i][k] = 0.0;
      ++omitted;
    }
    double const kept = std::accumulate(p[i].begin(), p[i].end(), 0.0);
    for (double& value : p[i]) value *= kept > 0.0 ? whole / kept : 1.0;
  }
  EXPECT_GT(omitted, n / 4);
  Coarsened<double> const found = coarsen(a, diagonal, aggregates);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> row(aggregates.count());
    found.prolongation.each(i, [&](std::size_t k, double value) { row[k] = value; });
    for (std::size_t k = 0; k < row.size(); ++k) EXPECT_NEAR(row[k], p[i][k], 1e-13);
  }
  Dense const wanted = product(transposed(p), product(fine, p));
  Dense const coarse = dense(found.coarse);
  for (std::size_t k = 0; k < coarse.size(); ++k) {
    double sum = 0.0;
    for (std::size_t l = 0; l < coarse.size(); ++l) {
      EXPECT_NEAR(coarse[k][l], wanted[k][l], 1e-12 * wanted[k][k]) << k << ' ' << l;
      sum += wanted[k][l];
    }
    EXPECT_NEAR(found.coarse.hold[k], sum, 1e-11 * wanted[k][k]);
  }
}

/// Ranks that share a level find the aggregates and the operator that one rank finds alone.
TEST_F(AggregatesOfPlate, DoNotDependOnTheRanks) {
  NodeOperator<double> const mine = Plate::rows(&ranks);
  std::vector<double> const diagonal_of_mine = diagonal_with_ghosts(mine);
  Coarsened<double> const shared =
      coarsen(mine, diagonal_of_mine, find_aggregates(mine, diagonal_of_mine));
  NodeOperator<double> const found = gathered(shared.coarse);
  NodeOperator<double> const wanted = coarsen(a, diagonal, aggregates).coarse;
  ASSERT_EQ(found.nodes.owned(), wanted.nodes.owned());
  std::map<std::int64_t, std::size_t> place;
  for (std::size_t k = 0; k < wanted.nodes.owned(); ++k) place[wanted.id[k]] = k;
  Dense const right = dense(wanted);
  Dense const left = dense(found);
  for (std::size_t k = 0; k < left.size(); ++k) {
    ASSERT_TRUE(place.contains(found.id[k]));
    std::size_t const row = place[found.id[k]];
    EXPECT_NEAR(found.hold[k], wanted.hold[row], 1e-12 * right[row][row]);
    for (std::size_t l = 0; l < left.size(); ++l) {
      EXPECT_NEAR(left[k][l], right[row][place[found.id[l]]], 1e-12 * right[row][row]);
    }
  }
}

class CyclesOfPlate : public OnTestedBackend<AggregatesOfPlate> {
 protected:
  Queue queue = backend_missing().empty() ? make_queue(ranks.local_rank()) : Queue(Backend::cpu);

  /// Solves with values of the host.
  static void solve(AggregateHierarchy<double>& hierarchy, Queue& of_hierarchy,
                    std::vector<double>& values) {
    QueueList<double> list(of_hierarchy, values);
    hierarchy.solve(list.data());
    copy_bytes(of_hierarchy, values.data(), list.data(), list.bytes());
    of_hierarchy.wait();
  }
};

/// A cycle on the tested backend has the bits of one on the host, wherever its levels are.
TEST_F(CyclesOfPlate, HaveTheSameBitsInAnyMemory) {
  Queue host(Backend::cpu);
  for (std::int64_t const host_nodes : {std::int64_t{4096}, std::int64_t{20}, std::int64_t{0}}) {
    AggregateHierarchy<double> on_host(host, a, {0.0, 0, 5, 4096});
    AggregateHierarchy<double> on_queue(queue, a, {0.0, 0, 5, host_nodes});
    std::vector<double> expected(Plate::count);
    for (std::size_t p = 0; p < expected.size(); ++p) {
      expected[p] = std::cos(static_cast<double>(3 * p));
    }
    std::vector<double> found = expected;
    // The second cycle starts from what the first one has left in the lists.
    for (int repetition = 0; repetition < 2; ++repetition) {
      solve(on_host, host, expected);
      solve(on_queue, queue, found);
      EXPECT_EQ(found, expected) << host_nodes;
    }
    EXPECT_GT(std::abs(found[7]), 0.0);
  }
}

/// Cycles converge to the solution: each step leaves a part of the residual.
TEST_F(CyclesOfPlate, ReduceTheResidualOfADenseMatrix) {
  AggregateHierarchy<double> hierarchy(queue, a, {0.0, 0, 5, 0});
  Dense const matrix = dense(a);
  std::vector<double> const wanted = [] {
    std::vector<double> values(Plate::count);
    for (std::size_t p = 0; p < values.size(); ++p) values[p] = std::sin(static_cast<double>(p));
    return values;
  }();
  std::vector<double> e(Plate::count);
  auto const residual = [&](std::vector<double>& r) {
    double squares = 0.0;
    for (std::size_t p = 0; p < r.size(); ++p) {
      r[p] = 0.0;
      for (std::size_t q = 0; q < r.size(); ++q) r[p] += matrix[p][q] * (wanted[q] - e[q]);
      squares += r[p] * (wanted[p] - e[p]);
    }
    return std::sqrt(squares);  // the energy norm of the error
  };
  std::vector<double> r(Plate::count);
  double const first = residual(r);
  // Damped by 1/2, since the finest level has no smoothing here; Jacobi sweeps stand in for it.
  for (int n = 0; n < 60; ++n) {
    solve(hierarchy, queue, r);
    for (std::size_t p = 0; p < e.size(); ++p) e[p] += 0.5 * r[p];
    (void)residual(r);
    for (std::size_t p = 0; p < e.size(); ++p) e[p] += 0.5 * r[p] / diagonal[p];
    (void)residual(r);
  }
  EXPECT_LE(residual(r), 1e-3 * first);
}

/// A cycle through levels that ranks share, and through gathered ones, is that of one rank.
TEST_F(CyclesOfPlate, DoNotDependOnTheRanks) {
  Queue host(Backend::cpu);
  for (std::int64_t const gathered_nodes :
       {std::int64_t{0}, std::int64_t{20}, std::int64_t{4096}}) {
    AggregateSettings const settings{0.0, gathered_nodes, 5, 0};
    AggregateHierarchy<double> alone(host, a, settings);
    NodeOperator<double> const mine = Plate::rows(&ranks);
    AggregateHierarchy<double> shared(queue, mine, settings);
    EXPECT_EQ(shared.node_counts().front(), alone.node_counts().front());
    std::vector<double> all(Plate::count);
    for (std::size_t p = 0; p < all.size(); ++p) all[p] = std::sin(static_cast<double>(p));
    std::vector<double> part;
    for (std::size_t p = 0; p < mine.nodes.owned(); ++p) {
      part.push_back(all[static_cast<std::size_t>(mine.id[p])]);
    }
    solve(alone, host, all);
    solve(shared, queue, part);
    // Without a dense inverse at the end, a coarse level is solved approximately, but alike.
    if (gathered_nodes == 0 && ranks.size() > 1) continue;
    for (std::size_t p = 0; p < part.size(); ++p) {
      EXPECT_NEAR(part[p], all[static_cast<std::size_t>(mine.id[p])], 1e-9);
    }
  }
}

/// Constants on a component that nothing holds remain in the null space in float32, too.
TEST(AggregatesOfRing, KeepTheNullSpaceExactly) {
  NodeOperator<float> ring;
  std::size_t const count = 200;
  ring.nodes = GhostNodes(count);
  for (std::size_t p = 0; p < count; ++p) {
    for (std::size_t const q : {(p + 1) % count, (p + count - 1) % count}) {
      ring.links.column.push_back(static_cast<std::int32_t>(q));
      std::size_t const link = (p + 1) % count == q ? p : q;
      ring.links.value.push_back(static_cast<float>(
          -std::pow(10.0, 2.0 * random_at(9, static_cast<double>(link), 0.0, 0.0))));
    }
    ring.links.first.push_back(static_cast<std::int64_t>(ring.links.column.size()));
    ring.id.push_back(static_cast<std::int64_t>(p));
    ring.stiffness.push_back(1.0);
  }
  ring.hold.assign(count, 0.0F);
  std::vector<double> const diagonal = ring.diagonal();
  Coarsened<float> const next = coarsen(ring, diagonal, find_aggregates(ring, diagonal));
  for (float const hold : next.coarse.hold) EXPECT_EQ(hold, 0.0F);
  Queue host(Backend::cpu);
  AggregateHierarchy<float> const hierarchy(host, ring, {});
  EXPECT_TRUE(hierarchy.has_floating_components());
}

// Media.

MethodSettings to_tolerance(HierarchyKind hierarchy) {
  MethodSettings method;
  method.name = "multigrid";
  method.iterations = 60;
  method.check_every = 1;
  method.tolerance = 1e-8;
  method.multigrid.hierarchy = hierarchy;
  return method;
}

/// A sum of waves with random directions and phases: its level sets are blobs.
double blobs_at(double width, double x, double y, double z) {
  double sum = 0.0;
  for (int n = 0; n < 24; ++n) {
    auto const random = [n](double which) { return random_at(n, which, 0.0, 0.0); };
    double const rise = z == 0.0 ? 0.0 : 2.0 * random(1.0) - 1.0;
    double const flat = std::sqrt(1.0 - rise * rise);
    double const angle = 2.0 * std::numbers::pi * random(2.0);
    double const along = flat * (std::cos(angle) * x + std::sin(angle) * y) + rise * z;
    sum += std::cos(along / width + 2.0 * std::numbers::pi * random(3.0));
  }
  return sum;
}

/// A medium, and a bound on its iterations to 1e-8.
struct TestedMedium {
  char const* name;
  Extent3 points;
  bool has_ends;  ///< values 0 and 1 at the ends of y, insulated elsewhere; else 0 on all faces
  std::int64_t iterations;
  OfPlace conductivity;
};

double mod(double a, double b) { return a - b * std::floor(a / b); }
double choose(bool is_good, double contrast) { return is_good ? contrast : 1.0; }
double from_center(double x, double y, double z) { return std::hypot(x - 0.5, y - 0.5, z - 0.5); }
/// True in every second of `n` boxes along each axis.
bool in_check(int n, PerAxis<double> const& at) {
  int sum = 0;
  for (double const x : {at[0], at[1], at[2]}) sum += std::min(static_cast<int>(x * n), n - 1);
  return sum % 2 == 0;
}

std::vector<TestedMedium> hard_media() {
  Extent3 const plate{97, 97, 1};
  Extent3 const cube{25, 25, 25};
  return {
      {"strips at 45 degrees", plate, true, 26,
       [](double x, double y, double) {
         return choose(mod(std::rint(48 * (x + y)), 8) < 1.5, 1e6);
       }},
      {"strips of two points", plate, true, 26,
       [](double x, double y, double) {
         return choose(mod(std::rint(96 * (x + y)), 8) < 1.5, 1e6);
       }},
      {"traces at 45 degrees",
       {129, 129, 1},
       true,
       26,
       [](double x, double y, double) {
         return mod(12.8 * (x - y) + 100, 1.6) < 0.25 ? 0.4 : 0.3e-3;
       }},
      {"blobs", plate, false, 28,
       [](double x, double y, double) { return choose(blobs_at(0.02, x, y, 0) < 1, 1e6); }},
      {"checkerboard", plate, false, 28,
       [](double x, double y, double) {
         return choose(in_check(32, {x, y, 0}), 1e6);
       }},
      {"random points", plate, false, 28,
       [](double x, double y, double) { return choose(random_at(1, x, y, 0) < 0.5, 1e6); }},
      {"a value for each point",
       {65, 65, 1},
       false,
       30,
       [](double x, double y, double) { return std::pow(10, 6 * random_at(2, x, y, 0) - 3); }},
      {"fibres", cube, true, 26,
       [](double x, double y, double z) {
         return choose(mod(std::rint(24 * (x - z)), 8) < 2 && mod(std::rint(24 * (y - z)), 8) < 2,
                       1e6);
       }},
      {"shells", cube, false, 26,
       [](double x, double y, double z) {
         return choose(mod(24 * from_center(x, y, z), 6) < 1.2, 1e6);
       }},
      {"random points in 3D", cube, false, 26,
       [](double x, double y, double z) { return choose(random_at(3, x, y, z) < 0.5, 1e6); }},
      {"a value for each point in 3D", cube, false, 28,
       [](double x, double y, double z) { return std::pow(10, 6 * random_at(4, x, y, z) - 3); }},
  };
}

Problem problem_of(TestedMedium const& medium) {
  int const dimension = medium.points.z > 1 ? 3 : 2;
  BoundaryKind const kind = medium.has_ends ? neumann : dirichlet;
  Problem problem = box_problem(Equation::poisson, dimension, medium.points, {kind, 0.0});
  if (medium.has_ends) {
    problem.boundary[{1, false}] = {dirichlet, 0.0};
    problem.boundary[{1, true}] = {dirichlet, 1.0};
  }
  problem.source = 1.0;
  make_isotropic(problem, steady(medium.conductivity));
  return problem;
}

/// Random pores between plates; the rest is insulated.
Problem porous(Extent3 points, double porosity) {
  Problem problem = box_problem(Equation::laplace, points.z > 1 ? 3 : 2, points, {neumann, 0.0});
  problem.boundary[{0, false}] = {dirichlet, 0.0};
  problem.boundary[{0, true}] = {dirichlet, 1.0};
  problem.medium.insulated.push_back(
      region([=](double x, double y, double z) { return random_at(5, x, y, z) > porosity; }));
  return problem;
}

class HardMedia : public BackendTest {};

/// Expects convergence within this number of iterations, and reports the number.
void expect_convergence(char const* name, Problem const& problem, HierarchyKind hierarchy,
                        std::int64_t iterations) {
  auto const solver = solved(problem, to_tolerance(hierarchy));
  EXPECT_TRUE(solver->converged()) << name;
  EXPECT_LE(solver->iteration(), iterations) << name;
  if (mpi::Communicator(MPI_COMM_WORLD).is_root()) {
    std::printf("%s: %lld iterations%s\n", name, static_cast<long long>(solver->iteration()),
                solver->take_event().empty() ? "" : ", with a switch to aggregates");
  }
}

TEST_F(HardMedia, ConvergeInFewIterations) {
  if (is_sanitized) GTEST_SKIP() << numbers_alone;
  for (TestedMedium const& medium : hard_media()) {
    if (is_sanitized && medium.points.z > 1) continue;
    expect_convergence(medium.name, problem_of(medium), HierarchyKind::automatic,
                       medium.iterations);
  }
  expect_convergence("pores", porous({97, 97, 1}, 0.65), HierarchyKind::automatic, 26);
  expect_convergence("pores in 3D", porous({25, 25, 25}, 0.45), HierarchyKind::automatic, 26);
}

/// Aggregates from the start need no more than a few iterations, and find the same field.
TEST_F(HardMedia, ConvergeToTheFieldOfGrids) {
  for (int const dimension : {2, 3}) {
    Problem const problem = everything(Equation::poisson, Precision::float64, dimension);
    MethodSettings by_grids = to_tolerance(HierarchyKind::grids);
    MethodSettings by_aggregates = to_tolerance(HierarchyKind::aggregates);
    by_grids.tolerance = by_aggregates.tolerance = 1e-11;
    auto const wanted = solved(problem, by_grids);
    auto const found = solved(problem, by_aggregates);
    EXPECT_TRUE(found->converged());
    EXPECT_LE(found->iteration(), 25);
    EXPECT_LE(difference<double>(*wanted, *found), 1e-9) << dimension;
  }
}

/// Newton's method uses aggregates, too: cycles with grids stagnate before they have shown that
/// they are slow.
TEST_F(HardMedia, NonlinearSourcesConverge) {
  Problem problem = problem_of(hard_media().front());
  problem.source = of_field([](double u) { return 1.0 - 0.1 * u * u * u; });
  auto const solver = solved(problem, to_tolerance(HierarchyKind::automatic));
  EXPECT_TRUE(solver->converged());
  EXPECT_LE(solver->iteration(), 6);
}

/// Grids suffice in friendly media.
TEST_F(HardMedia, FriendlyMediaNeedNoAggregates) {
  auto const takes = [](char const* name, std::int64_t iterations, OfPlace const& conductivity) {
    Problem const problem = problem_of({name, {33, 33, 33}, false, 0, conductivity});
    auto const solver = solved(problem, to_tolerance(HierarchyKind::automatic));
    EXPECT_TRUE(solver->converged() && solver->take_event().empty()) << name;
    EXPECT_LE(solver->iteration(), iterations) << name;
  };
  takes("smooth", 9, [](double x, double y, double z) {
    return std::exp(2.3 * std::sin(3 * x) * std::cos(2 * y + z));
  });
  takes("ball", 11,
        [](double x, double y, double z) { return choose(from_center(x, y, z) < 0.3, 100); });
}

/// Long time steps in a hard medium converge, and steps decide once.
TEST_F(HardMedia, TimeStepsConverge) {
  Problem problem = problem_of(hard_media().front());
  problem.equation = Equation::diffusion;
  MethodSettings method = ftcs(3, 1e3);
  method.name = "backward_euler";
  method.check_every = 0;
  auto const solver = solved(problem, method);
  EXPECT_NE(solver->remark().find("aggregates"), std::string::npos) << solver->remark();
  problem.equation = Equation::poisson;
  auto const steady_state = solved(problem, to_tolerance(HierarchyKind::aggregates));
  EXPECT_LE(difference<double>(*solver, *steady_state), 1e-4);
}

}  // namespace
}  // namespace isotherm::test
