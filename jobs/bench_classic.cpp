#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

#include "jobs/bench.hpp"
#include "jobs/bench_timing.hpp"
#include "jobs/exit_code.hpp"
#include "jobs/host_memory.hpp"
#include "jobs/text.hpp"
#include "jobs/with_precision.hpp"

namespace isotherm {

namespace {

using Json = nlohmann::ordered_json;

/// A case that others have published times for.
struct Classic {
  std::string title;
  Problem problem;
  std::int64_t iterations;
  double published_ms;  ///< 0: none
  std::string published_on;
};

/// Boundary 1, interior 0, float32, 20 sweeps.
Classic laplace_classic(std::int64_t n, double published_ms) {
  Classic classic{
      fmt::format("laplace-classic {0}^3", n),
      unit_problem({n, n, n}, Precision::float32, Equation::laplace, BoundaryKind::dirichlet), 20,
      published_ms, "GPU with 300 GB/s"};
  for (BoundaryCondition& face : classic.problem.boundary) {
    face.value = ScalarFunction(1.0);
  }
  return classic;
}

/// A hot square in a periodic plane, float64, 2000 steps.
Classic diffusion_classic() {
  Classic classic{
      "diffusion-classic 960^2",
      unit_problem({960, 960, 1}, Precision::float64, Equation::diffusion, BoundaryKind::periodic),
      2000, 0.0, ""};
  classic.problem.initial.boxes = {{{0.25, 0.25, 0.0}, {0.75, 0.75, 1.0}, 1.0}};
  return classic;
}

std::vector<Classic> all_classics() {
  return {laplace_classic(512, 134.8), laplace_classic(1024, 897.7), diffusion_classic()};
}

struct Row {
  std::string plan;
  double seconds = 0.0;
  double bytes_per_second = 0.0;  ///< one read and one write a point and iteration
  double share_of_copy = 0.0;
};

Row measure(mpi::Communicator const& ranks, Device const& device, Classic const& classic,
            std::string const& plan, int repeat) {
  MethodSettings method = endless_method(classic.problem);
  method.time_step_s = largest_stable_time_step(classic.problem.grid, classic.problem.diffusivity);
  Execution const execution{device.backend, device.number,
                            choose_decomposition(classic.problem.grid, ranks.size()),
                            TransportKind::automatic, plan};
  auto const make = [&] { return make_solver(ranks, classic.problem, method, execution); };
  Row row;
  row.seconds = time_run(ranks, classic.iterations, repeat, make);
  auto const solver = make();
  row.plan = solver->plan().name;
  row.bytes_per_second =
      bytes_per_iteration(classic.problem) * static_cast<double>(classic.iterations) / row.seconds;
  row.share_of_copy = row.bytes_per_second / copy_rate(ranks, classic.problem, *solver);
  return row;
}

/// True where two fields, and the solver's buffers, fit into every rank's memory.
bool fits(mpi::Communicator const& ranks, Device const& device, Classic const& classic) {
  double const bytes = 2.5 * static_cast<double>(value_bytes(classic.problem.precision)) *
                       static_cast<double>(classic.problem.grid.point_count()) / ranks.size();
  auto const free = static_cast<double>(
      device.backend == Backend::cuda
          ? device.info.free_bytes / static_cast<std::size_t>(device.sharers)
          : available_host_bytes() / static_cast<std::size_t>(ranks.local_size()));
  return !ranks.any(bytes > free);
}

void print(Classic const& classic, Row const& row) {
  std::string const published =
      classic.published_ms > 0.0
          ? fmt::format("{:.1f} ms on a {}", classic.published_ms, classic.published_on)
          : "";
  std::cout << fmt::format("{:<24} {:<26} {:>11.3f} {:>10.1f} {:>6.0f} %  {}\n", classic.title,
                           row.plan, row.seconds * 1e3, row.bytes_per_second * 1e-9,
                           100.0 * row.share_of_copy, published)
            << std::flush;
}

Json to_json(Classic const& classic, Row const& row) {
  return {{"case", classic.title},
          {"iterations", classic.iterations},
          {"plan", row.plan},
          {"ms", row.seconds * 1e3},
          {"bytes_per_second", row.bytes_per_second},
          {"share_of_copy", row.share_of_copy},
          {"published_ms", classic.published_ms > 0.0 ? Json(classic.published_ms) : Json()}};
}

}  // namespace

int bench_classic(mpi::Communicator const& ranks, BenchOptions const& options) {
  Device const device = choose_device(ranks, options.device);
  if (ranks.is_root()) {
    std::cout << bench_heading(ranks, device) << "\n"
              << fmt::format("{:<24} {:<26} {:>11} {:>10} {:>8}  {}\n", "case", "plan", "ms",
                             "GB/s", "of copy", "published");
  }
  Json rows = Json::array();
  for (Classic const& classic : all_classics()) {
    if (!fits(ranks, device, classic)) {
      if (ranks.is_root()) {
        std::cout << classic.title << ": left out, it does not fit into the memory here\n";
      }
      continue;
    }
    for (char const* const plan : {"plain", "auto"}) {
      Row const row = measure(ranks, device, classic, plan, options.repeat);
      rows.push_back(to_json(classic, row));
      if (ranks.is_root()) {
        print(classic, row);
      }
    }
  }
  Json const all{{"device", device.info.name}, {"ranks", ranks.size()}, {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return exit_code::done;
}

}  // namespace isotherm
