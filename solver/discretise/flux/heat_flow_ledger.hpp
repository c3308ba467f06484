#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "decomposition/ranks/exact_totals.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/exact_sum.hpp"

namespace isotherm {

/// The sensitivity of a flow into an unknown point to the values of unknown points: sums over all
/// values that it depends on.
struct HeatFlowSensitivity {
  double rounding = 0.0;  ///< sum of conductance times a unit in the last place of the value
  double sum = 0.0;       ///< sum of conductances
  double squares = 0.0;   ///< sum of their squares
};

/// The sums of a HeatFlowLedger over all ranks, each rounded once.
struct HeatFlowTotals {
  std::vector<double> entries{};  ///< one sum per side, with all of its parts
  double net = 0.0;               ///< the sum of all entries
  double in = 0.0;                ///< sum of the flows into unknown points
  double out = 0.0;               ///< the flows out of them, positive
  HeatFlowSensitivity slopes{};   ///< sums over all flows
};

/// Adds up heat flows between several sides without rounding (ExactSum), so results do not depend
/// on the decomposition. A side is the number of an entry; negative numbers are the unknown points.
///
///     HeatFlowLedger ledger(6);                            // one entry per face
///     ledger.add(0, 2.5);                                  // from face 0 into an unknown point
///     ledger.pass(0, 1, g * (u0 - u1));                    // from face 0 to face 1
///     HeatFlowTotals const totals = ledger.totals(ranks);  // collective
class HeatFlowLedger {
 public:
  /// @param entries  number of sides other than the unknown points
  /// @param parts    for each further entry, the one that it is a part of
  explicit HeatFlowLedger(std::size_t entries, std::vector<std::size_t> parts = {})
      : entries_(entries + parts.size()), parts_(std::move(parts)) {}

  /// Adds a flow from `entry` into an unknown point.
  void add(int entry, double amount, HeatFlowSensitivity const& slopes = {}) {
    add_to(entry, amount);
    add_unknown(amount, slopes);
  }
  /// Adds a flow from one side to another. If exactly one of them is the unknown points, it counts
  /// as a flow into or out of them.
  void pass(int from, int to, double amount, HeatFlowSensitivity const& slopes = {}) {
    add_to(from, amount);
    add_to(to, -amount);
    if ((from < 0) != (to < 0)) add_unknown(from < 0 ? -amount : amount, slopes);
  }

  /// Returns the sums over all ranks, the same bits on each. Collective.
  [[nodiscard]] HeatFlowTotals totals(mpi::Communicator const& ranks) const {
    std::vector<ExactSum> sums = entries_;
    std::size_t const first_part = entries_.size() - parts_.size();
    for (std::size_t i = 0; i < parts_.size(); ++i) sums[parts_[i]].add(entries_[first_part + i]);
    // One reduction carries all sums; `net` is added exactly before it is rounded.
    sums.insert(sums.end(), {ExactSum{}, in_, out_, rounding_, slopes_, squared_slopes_});
    ExactSum& net = sums[entries_.size()];
    for (ExactSum const& entry : entries_) net.add(entry);
    HeatFlowTotals totals;
    totals.entries = exact_totals(ranks, sums);
    HeatFlowSensitivity& slopes = totals.slopes;
    for (double* const total :
         {&slopes.squares, &slopes.sum, &slopes.rounding, &totals.out, &totals.in, &totals.net}) {
      *total = totals.entries.back();
      totals.entries.pop_back();
    }
    return totals;
  }

 private:
  /// Adds to the sum of an entry; the unknown points have no entry.
  void add_to(int entry, double amount) {
    if (entry >= 0) entries_[static_cast<std::size_t>(entry)].add(amount);
  }
  /// Adds a flow into the unknown points; negative if it leaves them.
  void add_unknown(double inward, HeatFlowSensitivity const& slopes) {
    (inward < 0.0 ? out_ : in_).add(std::abs(inward));
    // Flows without slopes do not depend on the field.
    if (slopes.sum == 0.0) return;
    rounding_.add(slopes.rounding);
    slopes_.add(slopes.sum);
    squared_slopes_.add(slopes.squares);
  }

  std::vector<ExactSum> entries_;  ///< of each side except the unknown points; parts are last
  std::vector<std::size_t> parts_;
  ExactSum in_{};        ///< flows into the unknown points
  ExactSum out_{};       ///< flows out of them, positive
  ExactSum rounding_{};  ///< these three: see HeatFlowSensitivity
  ExactSum slopes_{};
  ExactSum squared_slopes_{};
};

}  // namespace isotherm
