#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <isotherm/case/read_case.hpp>
#include <isotherm/solver/solver.hpp>
#include <vector>

namespace {

using namespace isotherm;

/// The classic diffusion case with fewer points and a short time, in which the square hardly
/// interacts with its periodic images.
Case read_small(mpi::Communicator const& ranks, char const* file) {
  return read_case(ranks, file,
                   {"grid.points=[96,96]", "method.steps=200", "method.stable_fraction=0.5"});
}

/// The analytic solution at time t for an initial strip of height 1 between 0.25 and 0.75.
double strip(double x, double t) {
  double const width = std::sqrt(4.0 * t);
  return 0.5 * (std::erf((x - 0.25) / width) - std::erf((x - 0.75) / width));
}

double largest_error(Solver& solver, double t) {
  Subdomain const& share = solver.subdomain();
  Grid const& grid = share.grid();
  // The square has the points 24 … 71 on each axis. Each represents half a spacing on both sides.
  double const half = 0.5 * grid.spacing[0];
  std::vector<double> u(static_cast<std::size_t>(share.owned().point_count()));
  solver.read_field(std::span(u));
  double largest = 0.0;
  std::size_t point = 0;
  for (std::int64_t j = 0; j < share.extent().y; ++j) {
    for (std::int64_t i = 0; i < share.extent().x; ++i) {
      Index3 const at = share.to_global(Index3{i, j, 0});
      double const wanted =
          strip(grid.coordinate(0, at.x) + half, t) * strip(grid.coordinate(1, at.y) + half, t);
      largest = std::max(largest, std::abs(u[point++] - wanted));
    }
  }
  return largest;
}

}  // namespace

/// run_case CASE_FILE: runs the installed diffusion-classic.toml, and compares the result with the
/// analytic solution.
int main(int argc, char** argv) try {
  mpi::Session session(argc, argv);
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Case const chosen = read_small(ranks, argc > 1 ? argv[1] : "");
  Execution execution;
  execution.parts = choose_decomposition(chosen.problem.grid, ranks.size());

  auto const solver = make_solver(ranks, chosen.problem, chosen.method, execution);
  solver->advance_to(chosen.method.iterations);
  double const t = solver->time_s();
  double const error = ranks.max(largest_error(*solver, t));
  if (ranks.is_root()) {
    std::printf("%s: largest error %.2e on %d ranks\n", chosen.title.c_str(), error, ranks.size());
  }
  // The error is 4.4e-4, 3e-4 of it from the periodic images.
  return error > 1e-5 && error < 1e-3 ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  isotherm::mpi::abort_job(1);
}
