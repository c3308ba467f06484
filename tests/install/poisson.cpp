#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <isotherm/decomposition/ranks/mpi.hpp>
#include <isotherm/solver/solver.hpp>
#include <numbers>
#include <vector>

namespace {

using namespace isotherm;

double exact(double x, double y) {
  return std::sin(std::numbers::pi * x) * std::sin(std::numbers::pi * y);
}

/// -∇²u = 2 π² sin(πx) sin(πy) on the unit square, u = 0 on its boundary.
Problem sine_problem() {
  Problem problem;
  problem.grid = make_grid(2, {33, 33, 1}, {0, 0, 0}, {1, 1, 1}, {});
  problem.equation = Equation::poisson;
  problem.source.evaluate = [](double x, double y, double, double) {
    return 2.0 * std::numbers::pi * std::numbers::pi * exact(x, y);
  };
  return problem;
}

double largest_error(Solver& solver) {
  Subdomain const& share = solver.subdomain();
  std::vector<double> u(static_cast<std::size_t>(share.owned().point_count()));
  solver.read_field(std::span(u));
  double largest = 0.0;
  std::size_t point = 0;
  for (std::int64_t j = 0; j < share.extent().y; ++j) {
    for (std::int64_t i = 0; i < share.extent().x; ++i) {
      Index3 const at = share.to_global(Index3{i, j, 0});
      double const wanted =
          exact(share.grid().coordinate(0, at.x), share.grid().coordinate(1, at.y));
      largest = std::max(largest, std::abs(u[point++] - wanted));
    }
  }
  return largest;
}

}  // namespace

int main(int argc, char** argv) try {
  mpi::Session session(argc, argv);
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Problem const problem = sine_problem();
  MethodSettings method;
  method.iterations = 4000;
  Execution execution;
  execution.parts = choose_decomposition(problem.grid, ranks.size());

  auto const solver = make_solver(ranks, problem, method, execution);
  solver->advance_to(method.iterations);
  double const error = ranks.max(largest_error(*solver));
  if (ranks.is_root()) {
    std::printf("largest error %.2e on %d ranks\n", error, ranks.size());
  }
  // The discretisation error is π² h² / 12 of the amplitude: 0.0008 at h = 1/32.
  return error > 1e-5 && error < 1e-3 ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  isotherm::mpi::abort_job(1);
}
