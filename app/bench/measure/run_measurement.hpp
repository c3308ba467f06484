#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "solver/problem/values.hpp"
#include "solver/solver.hpp"

namespace isotherm::app {

/// Returns the median time of `iterations` iterations, in seconds by the device's clock. They begin
/// at the present field; run some before, to warm up.
/// @pre the solver's settings allow that many iterations, as those of endless_method() do
double time_iterations(Solver& solver, std::int64_t iterations, int repeat);

/// Times of a run whose field begins and ends on the host, in seconds.
struct RunTimes {
  double copy_in_s = 0.0;     ///< the initial field to the device
  double iterations_s = 0.0;  ///< all iterations, by the device's clock; the median
  double copy_out_s = 0.0;    ///< the final field to the host
  std::size_t launches = 0;   ///< kernels that all iterations start; 0 on the CPU
};

/// Runs `iterations` iterations from `initial`, and reads the final field. Then times the
/// iterations `repeat` times more, from the present field. The field is not valid afterwards,
/// because the launches are counted without running them.
/// @pre the solver's settings allow that many iterations, as those of endless_method() do
RunTimes measure_run(Solver& solver, HostValues const& initial, HostValues& field,
                     std::int64_t iterations, int repeat);

/// How two fields differ.
struct Differences {
  double largest = 0.0;  ///< max |a − b|; NaN if a difference is
  double rms = 0.0;      ///< √(Σ (a − b)² / n)
};

/// Compares two fields of the same precision and size.
Differences differences(HostValues const& a, HostValues const& b);
/// Compares arrays of the same size.
Differences differences(std::span<float const> a, std::span<float const> b);

/// Checks that a study runs on one rank. @throws InputError  on every rank, if it does not
void require_one_rank(mpi::Communicator const& ranks, std::string const& part);

}  // namespace isotherm::app
