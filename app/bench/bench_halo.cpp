#include <array>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/bench/bench.hpp"
#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/measure/exchange_measurement.hpp"
#include "app/machine/memory_limits.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/text.hpp"
#include "decomposition/halo/halo_exchange.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/field.hpp"
#include "kernels/core/precision.hpp"

namespace isotherm {

namespace {

using Json = nlohmann::ordered_json;

/// Sizes of messages, from those dominated by latency to the face of a large grid.
constexpr std::array<std::size_t, 6> message_sizes{
    RingBench::smallest_bytes, std::size_t{64} << 10, std::size_t{1} << 20,
    std::size_t{4} << 20,      std::size_t{16} << 20, std::size_t{64} << 20};

/// Formats the size of a message.
std::string size_text(std::size_t bytes) {
  return bytes < (std::size_t{1} << 20) ? fmt::format("{} KiB", bytes >> 10)
                                        : fmt::format("{} MiB", bytes >> 20);
}

/// A grid and the depth of its halo, as a run would exchange it.
struct HaloSubject {
  Subdomain subdomain;
  Precision precision;
  int depth;
};

/// Returns the depth that a run's plan needs: its number of steps per pass.
int depth_of_run(mpi::Communicator const& ranks, Device const& device, Problem const& problem) {
  return sweep_plan_for(ranks, problem, default_execution(ranks, device, problem.grid)).steps;
}

/// Requires that the halo is not deeper than any neighbour's subdomain.
/// @throws InputError  if a rank owns too few points
void check_depth(Subdomain const& subdomain, int depth) {
  for (int axis = 0; axis < subdomain.grid().dimension; ++axis) {
    std::int64_t const fewest = subdomain.smallest_extent(axis);
    if (subdomain.parts()[axis] > 1 && depth > fewest) {
      throw InputError(fmt::format("--depth {}: a rank has only {} on the {} axis", depth,
                                   format_count(fewest, "point"), "xyz"[axis]));
    }
  }
}

/// Returns what to exchange in one precision. The depth is the option's, or that of a run.
HaloSubject subject_of(mpi::Communicator const& ranks, Device const& device,
                       HaloBenchOptions const& halo, Precision precision) {
  Problem const problem = unit_problem(grid_or_default(device, halo.grid), precision,
                                       Equation::laplace, BoundaryKind::dirichlet);
  Extent3 const parts = choose_parts(problem.grid, ranks, device);
  int const depth = halo.depth > 0 ? halo.depth : depth_of_run(ranks, device, problem);
  HaloSubject const subject{Subdomain(problem.grid, parts, ranks.rank()), precision, depth};
  check_depth(subject.subdomain, depth);
  return subject;
}

/// Formats the columns that both tables have.
std::string columns(ExchangeMeasurement const& one) {
  return fmt::format("{:>13.2f} {:>10.2f}", one.seconds * 1e6, one.bytes_per_second() * 1e-9);
}

/// Prints the heading of the messages' table.
///
/// - us: an exchange of both messages, in microseconds
/// - GB/s: what a rank sends in that time
/// - of best: staged transport relative to its parts by themselves, that is without overlap
/// - how: the transport's own description
void print_ring_heading() {
  std::cout << fmt::format(
      "Messages to both neighbours in a ring of ranks, including packing.\nGB/s: sent per rank; of "
      "best: relative to packing, copies and MPI alone.\n"
      "{:<9} {:>9} {:>13} {:>10} {:>8}  {}\n",
      "transport", "a message", "us", "GB/s", "of best", "how");
}

/// Prints a row of the messages' table.
void print(std::size_t bytes, ExchangeMeasurement const& one) {
  std::optional<double> const share = one.share_of_best();
  std::cout << fmt::format("{:<9} {:>9} {} {:>8}  {}\n", name(one.kind), size_text(bytes),
                           columns(one), share ? fmt::format("{:.0f} %", 100.0 * *share) : "",
                           one.description)
            << std::flush;
}

/// Prints why a transport has no measurement.
void print_left_out(TransportKind kind, std::string const& why) {
  std::cout << fmt::format("{:<9} {}\n", name(kind), why) << std::flush;
}

/// Returns a measurement as JSON; the numbers are null if there are none.
///
/// `bytes_sent` and the rate are those of the rank that sends most; times are those of the slowest
/// rank. `obstacle` is a text if nothing was measured.
Json to_json(ExchangeMeasurement const& one) {
  bool const measured = one.obstacle.empty();
  std::optional<double> const share = one.share_of_best();
  return {{"transport", name(one.kind)},
          {"description", measured ? Json(one.description) : Json()},
          {"obstacle", measured ? Json() : Json(one.obstacle)},
          {"bytes_sent", measured ? Json(one.bytes) : Json()},
          {"ms_per_exchange", measured ? Json(one.seconds * 1e3) : Json()},
          {"bytes_per_second", measured ? Json(one.bytes_per_second()) : Json()},
          {"ms_at_best", one.best_s ? Json(*one.best_s * 1e3) : Json()},
          {"share_of_best", share ? Json(*share) : Json()}};
}

/// Returns a row of the messages' table as JSON.
Json ring_row(std::size_t bytes, ExchangeMeasurement const& one) {
  Json row{{"message_bytes", bytes}};
  row.update(to_json(one));
  return row;
}

/// Measures one transport with messages of all sizes. Each size needs buffers of its own. A
/// transport that fails, or a size that does not fit into memory, ends the series of that
/// transport.
Json time_ring(mpi::Communicator const& ranks, Device const& device, HaloBenchOptions const& halo,
               TransportKind kind, int repeat) {
  Json rows = Json::array();
  for (std::size_t const bytes : message_sizes) {
    if (bytes > halo.largest_bytes) break;
    ExchangeMeasurement one{kind, size_text(bytes) + " do not fit into memory"};
    if (RingBench::fits(ranks, device, bytes)) {
      one = RingBench(ranks, device, repeat, bytes).measure(kind);
    }
    rows.push_back(ring_row(bytes, one));
    if (ranks.is_root()) {
      one.obstacle.empty() ? print(bytes, one) : print_left_out(kind, one.obstacle);
    }
    // Larger messages would meet the same obstacle.
    if (!one.obstacle.empty()) break;
  }
  return rows;
}

/// Measures all transports with messages of all sizes.
Json time_rings(mpi::Communicator const& ranks, Device const& device, HaloBenchOptions const& halo,
                int repeat) {
  if (ranks.is_root()) {
    print_ring_heading();
  }
  Json rows = Json::array();
  for (TransportKind const kind : halo.transports) {
    for (Json const& row : time_ring(ranks, device, halo, kind, repeat)) rows.push_back(row);
  }
  return rows;
}

/// Prints the heading of the halo exchanges' table.
///
/// - sent: bytes that the busiest rank sends in an exchange
/// - us, GB/s, how: as for single messages, including packing and unpacking
void print_grid_heading(HaloSubject const& subject) {
  Grid const& grid = subject.subdomain.grid();
  std::cout << fmt::format(
      "\nHalo of {} points, {}, divided into {}, {} deep.\n"
      "{:<9} {:>9} {:>13} {:>10}  {}\n",
      format_extent(grid.points, grid.dimension), name(subject.precision),
      format_extent(subject.subdomain.parts(), grid.dimension),
      format_count(subject.depth, "point"), "transport", "sent", "us", "GB/s", "how");
}

/// Prints a row of the halo exchanges' table.
void print_exchange(ExchangeMeasurement const& one) {
  std::cout << fmt::format("{:<9} {:>9} {}  {}\n", name(one.kind), format_bytes(one.bytes),
                           columns(one), one.description)
            << std::flush;
}

/// Returns whether each rank's subdomain with its halo, and the exchange's buffers, fit into
/// memory.
bool field_fits(mpi::Communicator const& ranks, Device const& device, HaloSubject const& subject) {
  std::int64_t const depth = subject.depth;
  Extent3 const part = subject.subdomain.extent();
  Index3 const halo{depth, depth, subject.subdomain.grid().dimension == 3 ? depth : 0};
  // Checked first, since the sizes of extreme grids would overflow.
  bool const countable = !exceeds_any_memory(LocalBox{{}, part}.grown(halo));
  std::size_t const bytes = with_precision(subject.precision, [&]<class Real>(Real) {
    if (!countable) return uncountable_bytes;
    return Field<Real>::footprint(device.backend, part, halo) +
           HaloExchange<Real>::footprint(device.backend, subject.subdomain, subject.depth,
                                         /*corners=*/depth > 1, TransportKind::automatic);
  });
  return fits_on_all(ranks, device, {bytes, 0});
}

/// Measures all transports with the halo of one grid. The ranks exchange the ghost layers of a
/// decomposed grid, as between two passes of a plan. With depth d, a face message has d planes of
/// points.
Json time_grid(mpi::Communicator const& ranks, Device const& device, HaloBenchOptions const& halo,
               HaloSubject const& subject, int repeat) {
  if (ranks.is_root()) {
    print_grid_heading(subject);
  }
  bool const fits = field_fits(ranks, device, subject);
  Json rows = Json::array();
  for (TransportKind const kind : halo.transports) {
    ExchangeMeasurement one{kind, "the grid does not fit into memory"};
    if (fits) {
      one = measure_halo_exchange(ranks, device, subject.subdomain, subject.precision,
                                  subject.depth, kind, repeat);
    }
    Json row{{"precision", name(subject.precision)}, {"depth", subject.depth}};
    row.update(to_json(one));
    rows.push_back(row);
    if (ranks.is_root()) {
      one.obstacle.empty() ? print_exchange(one) : print_left_out(kind, one.obstacle);
    }
  }
  return rows;
}

}  // namespace

// 1. Determine what to exchange, and detect invalid options. 2. Messages in a ring. 3. Halo
// exchanges of the grid in each precision.
int bench_halo(mpi::Communicator const& ranks, BenchOptions const& options,
               HaloBenchOptions const& halo) {
  Device const device = choose_device(ranks, options.device);
  std::vector<HaloSubject> subjects;
  for (Precision const precision : halo.precisions) {
    subjects.push_back(subject_of(ranks, device, halo, precision));
  }
  if (ranks.is_root()) {
    std::cout << bench_heading(ranks, device) << "\n";
  }
  Json messages = Json::array();
  Json exchanges = Json::array();
  if (ranks.size() > 1) {
    messages = time_rings(ranks, device, halo, options.repeat);
    for (HaloSubject const& subject : subjects) {
      for (Json const& row : time_grid(ranks, device, halo, subject, options.repeat)) {
        exchanges.push_back(row);
      }
    }
  } else {
    std::cout << "One rank has no neighbours, so nothing is sent (use mpirun -n 2 isotherm bench "
                 "halo).\n";
  }
  Subdomain const& part = subjects.front().subdomain;
  Json const all{{"device", device.info.name},
                 {"ranks", ranks.size()},
                 {"points", extent_json(part.grid().points)},
                 {"parts", extent_json(part.parts())},
                 {"rows", messages},
                 {"grid_rows", exchanges}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return exit_code::done;
}

}  // namespace isotherm
