#pragma once

#include <cstddef>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/exact_sum.hpp"

namespace isotherm {

/// What comes from several sides, added up without rounding.
class FlowLedger {
 public:
  explicit FlowLedger(std::size_t entries) : entries_(entries) {}

  /// Nothing is written of entries below 0.
  void add(int entry, double amount) {
    if (entry >= 0) entries_[static_cast<std::size_t>(entry)].add(amount);
  }
  /// Comes in from the one and goes out to the other.
  void pass(int from, int to, double amount) {
    add(from, amount);
    add(to, -amount);
  }

  /// The entries of all ranks together, and their sum. Collective.
  [[nodiscard]] std::vector<double> totals(mpi::Communicator const& ranks) const {
    std::vector<ExactSum> sums = entries_;
    sums.emplace_back();
    for (ExactSum const& entry : entries_) sums.back().add(entry);
    return rounded(ranks, sums);
  }

 private:
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
};

}  // namespace isotherm
