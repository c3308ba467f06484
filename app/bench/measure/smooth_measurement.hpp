#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/machine/device_choice.hpp"
#include "kernels/core/precision.hpp"

namespace isotherm {

/// The time that one plan takes to smooth a field.
struct SmoothMeasurement {
  std::string plan;
  bool is_default = false;
  std::vector<double> seconds{};  ///< one per axis with more than one point, in order
  bool equal = true;              ///< all results have the same bits as with the first plan

  /// Returns the sum over the axes.
  [[nodiscard]] double all_seconds() const;
};

/// The results of all plans, and the time of copies for comparison.
struct SmoothMeasurements {
  std::vector<SmoothMeasurement> plans;
  double copy_seconds = 0.0;  ///< time of as many plain copies as there are axes
};

/// A field with random values, which is convolved with a Gaussian along each axis.
struct SmoothSubject {
  Extent3 points{};
  Precision precision = Precision::float32;
  double width = 0.0;  ///< standard deviation of the Gaussian, in points

  /// Returns the axes with more than one point.
  [[nodiscard]] std::vector<int> axes() const;
  /// Returns the minimum memory traffic in bytes: one read and one write of each point per axis.
  [[nodiscard]] double bytes() const;
  /// Returns the memory of one rank's fields, in bytes.
  [[nodiscard]] std::size_t device_bytes(Backend backend) const;
  /// Returns the memory on the host for comparing results, in bytes.
  [[nodiscard]] std::size_t host_bytes() const;
};

/// Measures all plans. Each rank has a field of its own. Collective.
SmoothMeasurements measure_smoothing(mpi::Communicator const& ranks, Device const& device,
                                     SmoothSubject const& subject, int repeat);

}  // namespace isotherm
