#include "app/bench/measure/run_measurement.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/bench/measure/bench_timing.hpp"
#include "case/basics/elapsed.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/launches.hpp"

namespace isotherm::app {

namespace {

/// Returns the seconds of some work, which the queue is made to finish.
template <class Work>
double host_seconds(Solver& solver, Work const& work) {
  solver.wait();
  Elapsed const elapsed;
  work();
  solver.wait();
  return elapsed.seconds();
}

/// Returns the seconds of `iterations` iterations, by the clock of the device.
double device_seconds(Solver& solver, std::int64_t iterations) {
  Event before(solver.queue());
  Event after(solver.queue());
  solver.wait();
  before.record(solver.queue());
  solver.advance_to(solver.iteration() + iterations);
  after.record(solver.queue());
  after.wait();
  return after.seconds_since(before);
}

/// Sums the differences of two arrays. A NaN makes both results NaN.
template <class Real>
Differences differences_of(std::span<Real const> a, std::span<Real const> b) {
  double largest = 0.0;
  double squares = 0.0;
#pragma omp parallel for schedule(static) reduction(max : largest) reduction(+ : squares)
  for (std::size_t i = 0; i < a.size(); ++i) {
    double const difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    largest = std::max(largest, difference);
    squares += difference * difference;
  }
  double const rms = a.empty() ? 0.0 : std::sqrt(squares / static_cast<double>(a.size()));
  return {std::isnan(rms) ? rms : largest, rms};
}

}  // namespace

double time_iterations(Solver& solver, std::int64_t iterations, int repeat) {
  std::vector<double> seconds(static_cast<std::size_t>(repeat));
  for (double& s : seconds) s = device_seconds(solver, iterations);
  return median(std::move(seconds));
}

// The first copy touches the pages of both sides; the second one is timed. The run that is compared
// warms up the kernels.
RunTimes measure_run(Solver& solver, HostValues const& initial, HostValues& field,
                     std::int64_t iterations, int repeat) {
  RunTimes times;
  solver.set_initial(initial.view());
  times.copy_in_s = host_seconds(solver, [&] { solver.set_initial(initial.view()); });
  solver.advance_to(iterations);
  solver.read_field(field.view());
  times.copy_out_s = host_seconds(solver, [&] { solver.read_field(field.view()); });
  times.iterations_s = time_iterations(solver, iterations, repeat);
  auto const run = [&] { solver.advance_to(solver.iteration() + iterations); };
  times.launches = launches_of(solver.queue(), run).size();
  return times;
}

Differences differences(HostValues const& a, HostValues const& b) {
  return std::visit(
      [&]<class Real>(std::span<Real const> values) {
        return differences_of(values, span_of<Real const>(b.view()));
      },
      a.view());
}

Differences differences(std::span<float const> a, std::span<float const> b) {
  return differences_of(a, b);
}

void require_one_rank(mpi::Communicator const& ranks, std::string const& part) {
  if (ranks.size() == 1) return;
  throw InputError(part + " measures one rank, but there are " + std::to_string(ranks.size()) +
                   " (start it without mpirun)");
}

}  // namespace isotherm::app
