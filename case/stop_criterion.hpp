#pragma once

#include <string>

#include "case/probe.hpp"

namespace isotherm {

/// The stopping criterion of a run in time: [method] stop.
struct StopCriterion {
  std::string text;    ///< as the case has it, for messages: "probe centre < 200"
  Probe::Where where;  ///< the quantity: that of a point, or one integral quantity of the field
  bool below = true;   ///< true: met below the threshold ("<"); false: above it (">")
  double threshold = 0.0;

  /// Returns true if a value of the quantity meets the criterion.
  [[nodiscard]] bool is_met_by(double value) const {
    return below ? value < threshold : value > threshold;
  }
  friend bool operator==(StopCriterion const&, StopCriterion const&) = default;
};

/// The field at which a run has met its criterion. Every rank has the same.
struct StopPoint {
  std::string criterion;       ///< StopCriterion::text
  std::int64_t iteration = 0;  ///< the end of the step in which the criterion was met
  /// The time at which the quantity reached the threshold, by linear interpolation within the step.
  double time_s = 0.0;
  double value = 0.0;  ///< of the quantity in the field of `iteration`
};

}  // namespace isotherm
