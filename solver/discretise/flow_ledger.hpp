#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/exact_sum.hpp"

namespace isotherm {

/// The sums of a FlowLedger over all ranks.
struct FlowTotals {
  std::vector<double> entries{};
  double net = 0.0;       ///< the sum of all entries
  double in = 0.0;        ///< the flows into unknown points
  double out = 0.0;       ///< the flows out of them, positive
  double rounding = 0.0;  ///< the largest change of `net` that rounding of the field explains
};

/// Adds up flows from several sides without rounding. A side is an entry, or, below 0, the unknown
/// points.
class FlowLedger {
 public:
  explicit FlowLedger(std::size_t entries) : entries_(entries) {}

  /// A flow into an unknown point. @param rounding  how far rounding of the field may change it
  void add(int entry, double amount, double rounding = 0.0) {
    add_to(entry, amount);
    exchange(amount, rounding);
  }
  /// A flow that comes in from the one and goes out to the other.
  void pass(int from, int to, double amount, double rounding = 0.0) {
    add_to(from, amount);
    add_to(to, -amount);
    if ((from < 0) != (to < 0)) exchange(from < 0 ? -amount : amount, rounding);
  }

  /// The sums of all ranks. Collective.
  [[nodiscard]] FlowTotals totals(mpi::Communicator const& ranks) const {
    std::vector<ExactSum> sums = entries_;
    sums.insert(sums.end(), {ExactSum{}, in_, out_, rounding_});
    ExactSum& net = sums[entries_.size()];
    for (ExactSum const& entry : entries_) net.add(entry);
    FlowTotals totals;
    totals.entries = rounded(ranks, sums);
    for (double* const total : {&totals.rounding, &totals.out, &totals.in, &totals.net}) {
      *total = totals.entries.back();
      totals.entries.pop_back();
    }
    return totals;
  }

 private:
  void add_to(int entry, double amount) {
    if (entry >= 0) entries_[static_cast<std::size_t>(entry)].add(amount);
  }
  void exchange(double inward, double rounding) {
    (inward < 0.0 ? out_ : in_).add(std::abs(inward));
    if (rounding > 0.0) rounding_.add(rounding);
  }
  static std::vector<double> rounded(mpi::Communicator const& ranks,
                                     std::vector<ExactSum> const& sums) {
    std::vector<std::uint64_t> parts;
    bool finite = true;
    for (ExactSum const& sum : sums) {
      std::vector<std::uint64_t> const of_one = sum.parts();
      parts.insert(parts.end(), of_one.begin(), of_one.end());
      finite = finite && sum.not_finite() == 0.0;
    }
    parts = ranks.sum(std::move(parts));
    bool const all_finite = !ranks.any(!finite);
    auto const each = static_cast<std::ptrdiff_t>(parts.size() / sums.size());
    std::vector<double> values;
    auto first = parts.begin();
    for (ExactSum const& sum : sums) {
      values.push_back(ExactSum::value_of({first, first + each}));
      if (!all_finite) values.back() += ranks.sum(sum.not_finite());
      first += each;
    }
    return values;
  }

  std::vector<ExactSum> entries_;
  ExactSum in_{};
  ExactSum out_{};
  ExactSum rounding_{};
};

}  // namespace isotherm
