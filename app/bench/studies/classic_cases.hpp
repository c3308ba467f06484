#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solver/problem/problem.hpp"

namespace isotherm::app {

/// A published time, in milliseconds, of a kernel with a block shape.
struct PublishedTime {
  std::string plan;  ///< our name of the kernel and its shape: "plain 32x2x4"
  double ms = 0.0;
};

/// A case of a published study. The times were taken on a GPU whose memory has 300 GB/s.
struct ClassicCase {
  std::string name;  ///< as in --case
  Problem problem;
  std::int64_t iterations;
  std::vector<PublishedTime> published{};
  std::optional<double> published_core_ms{};  ///< on one core of a CPU

  /// Returns the published time of a plan.
  [[nodiscard]] std::optional<double> published_ms(std::string const& plan) const;
};

/// Returns the names of all cases.
std::vector<std::string> classic_case_names();

/// Returns the case of this name.
/// @param points  points along each axis; 0: the published number. Another size has no published
///                times
/// @throws InputError  if there is no such case
ClassicCase classic_case(std::string const& name, std::int64_t points);

}  // namespace isotherm::app
