#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace isotherm {

/// Sums the entries of one row of a sparse matrix by column, in a hash table with open addressing.
/// The sum of a column has the order of the calls, so it does not depend on the table.
///
///     RowAccumulator row;
///     row.add(7, 0.5);
///     row.add(7, 0.25);
///     for (auto const& [column, value] : row.take()) …    // (7, 0.75); the row is empty again
class RowAccumulator {
 public:
  using Entry = std::pair<std::uint64_t, double>;

  RowAccumulator() : slots_(64, 0) {}

  /// Adds a value to the entry of a column.
  void add(std::uint64_t column, double value) {
    std::size_t slot = mixed(column) & (slots_.size() - 1);
    while (slots_[slot] != 0 && entries_[slots_[slot] - 1].first != column) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    if (slots_[slot] != 0) {
      entries_[slots_[slot] - 1].second += value;
      return;
    }
    entries_.emplace_back(column, value);
    slots_[slot] = static_cast<std::uint32_t>(entries_.size());
    if (2 * entries_.size() > slots_.size()) grow();
  }

  /// Returns the entries in ascending order of their columns, and clears the row. The list is valid
  /// until the next call of add().
  [[nodiscard]] std::vector<Entry> const& take() {
    std::fill(slots_.begin(), slots_.end(), 0);
    taken_.swap(entries_);
    entries_.clear();
    std::ranges::sort(taken_, {}, &Entry::first);
    return taken_;
  }

 private:
  static std::uint64_t mixed(std::uint64_t column) { return (column * 0x9E3779B97F4A7C15U) >> 20U; }
  /// Doubles the table.
  void grow() {
    slots_.assign(2 * slots_.size(), 0);
    for (std::size_t n = 0; n < entries_.size(); ++n) {
      std::size_t slot = mixed(entries_[n].first) & (slots_.size() - 1);
      while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<std::uint32_t>(n + 1);
    }
  }

  std::vector<std::uint32_t> slots_;  ///< number of the entry plus 1; 0: free
  std::vector<Entry> entries_{};
  std::vector<Entry> taken_{};
};

}  // namespace isotherm
