#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "solver/multigrid/aggregates/aggregate_messages.hpp"

namespace isotherm {

/// Describes for the log, once each, how a DefectCorrection has changed its corrections: multigrid
/// cycles for direct solutions, and aggregates for coarser grids.
///
///     defect_correction.find_correction_by_cycle(cycle);
///     report.note(defect_correction, iteration);
///     std::string const event = report.take();   // empty if nothing has changed
class SwitchReport {
 public:
  /// Notes the changes since the last call.
  /// @param iteration  the one whose cycles have just run, from 1 on
  template <class Correction>
  void note(Correction const& corrections, std::int64_t iteration) {
    bool const is_direct = corrections.is_preconditioned_directly();
    if (std::exchange(was_direct_, is_direct) && !is_direct) add(event_of_multigrid(iteration));
    auto const replaced = corrections.rate_of_replaced_grids();
    auto const slow = corrections.rate_of_slow_grids();
    if (is_reported_ || (!replaced && !slow)) return;
    is_reported_ = true;
    add(replaced ? event_of_aggregates(iteration, *replaced) : event_without_aggregates(*slow));
  }
  /// Returns what was noted since the last call.
  std::string take() { return std::exchange(text_, {}); }

 private:
  void add(std::string const& event) { text_ += (text_.empty() ? "" : "; ") + event; }

  std::string text_{};
  bool was_direct_ = false;
  bool is_reported_ = false;  ///< what has become of slow grids
};

}  // namespace isotherm
