#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/bench/bench.hpp"
#include "app/bench/measure/bench_timing.hpp"
#include "case/basics/exit_code.hpp"
#include "kernels/core/queue/copy_rate.hpp"

namespace isotherm {

namespace {

using Json = nlohmann::ordered_json;

/// Returns the sizes of copies in MiB, from those that fit into caches to those that exceed them.
std::vector<std::size_t> sizes_mib(Backend backend) {
  return backend == Backend::cuda ? std::vector<std::size_t>{16, 64, 256, 1024, 4096}
                                  : std::vector<std::size_t>{1, 4, 16, 64, 256};
}

}  // namespace

// Columns: "MiB a copy" is the size on each rank. "GB/s" counts bytes read plus bytes written,
// summed over the ranks.
int bench_copy(mpi::Communicator const& ranks, BenchOptions const& options,
               CopyBenchOptions const& copies) {
  Device const device = choose_device(ranks, options.device);
  Queue queue(device.backend, device.number);
  if (ranks.is_root()) {
    std::cout << bench_heading(ranks, device) << "\n"
              << fmt::format("{:>10} {:>12}\n", "MiB a copy", "GB/s");
  }
  Json rows = Json::array();
  for (std::size_t const mib : sizes_mib(device.backend)) {
    if (mib > copies.largest_mib) break;
    // All ranks copy simultaneously, since they share the memory bandwidth of a host. Their rates
    // are added.
    ranks.barrier();
    double const rate = ranks.sum(measure_copy_rate(queue, mib << 20));
    rows.push_back({{"bytes", mib << 20}, {"bytes_per_second", rate}});
    if (ranks.is_root()) {
      std::cout << fmt::format("{:>10} {:>12.1f}\n", mib, rate * 1e-9) << std::flush;
    }
  }
  Json const all{{"device", device.info.name}, {"ranks", ranks.size()}, {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return exit_code::done;
}

}  // namespace isotherm
