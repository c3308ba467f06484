#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "jobs/machine/device_choice.hpp"
#include "kernels/core/precision.hpp"

namespace isotherm {

/// What one plan took to smooth a field.
struct SmoothMeasurement {
  std::string plan;
  bool is_default = false;
  std::vector<double> seconds{};  ///< along each axis of more than one point, in their order
  bool equal = true;              ///< the fields are those of the first plan, bit for bit

  [[nodiscard]] double all_seconds() const;
};

struct SmoothMeasurements {
  std::vector<SmoothMeasurement> plans;
  double copy_seconds = 0.0;  ///< that plain copies take instead, one an axis
};

/// A field of random values that is convolved along one axis after the other.
struct SmoothSubject {
  Extent3 points{};
  Precision precision = Precision::float32;
  double width = 0.0;  ///< of a Gaussian, in points

  [[nodiscard]] std::vector<int> axes() const;
  /// That must move at least: each point is read once and written once an axis.
  [[nodiscard]] double bytes() const;
  /// What the fields of one rank take, and what its host holds to compare them.
  [[nodiscard]] std::size_t device_bytes(Backend backend) const;
  [[nodiscard]] std::size_t host_bytes() const;
};

/// Times all plans on a field of each rank's own. Collective.
SmoothMeasurements measure_smoothing(mpi::Communicator const& ranks, Device const& device,
                                     SmoothSubject const& subject, int repeat);

}  // namespace isotherm
