#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace isotherm {

/// A disjoint-set forest (union-find) over the numbers 0 … n − 1. It records which of them are
/// connected, directly or through others.
///
/// Not safe for concurrent calls, since lookups also change the forest.
class Connections {
 public:
  /// Creates `things` components of one member each.
  explicit Connections(std::size_t things) : parents_(things) {
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
  }
  /// Returns the representative of the connected component of `thing`, its smallest member.
  ///
  /// The call halves the path to the representative (path halving). Its amortised cost is O(log n):
  /// R. E. Tarjan and J. van Leeuwen, Worst-case analysis of set union algorithms, J. ACM 31
  /// (1984).
  /// @pre `thing` is smaller than the number given to the constructor.
  std::size_t operator()(std::size_t thing) {
    while (parents_[thing] != thing) thing = parents_[thing] = parents_[parents_[thing]];
    return thing;
  }
  /// Merges the components of `a` and `b`. The smaller representative becomes that of both.
  void join(std::size_t a, std::size_t b) {
    auto const [first, other] = std::minmax({(*this)(a), (*this)(b)});
    parents_[other] = first;
  }

 private:
  /// The parent: a smaller member of the component; a root is its own parent.
  std::vector<std::size_t> parents_;
};

}  // namespace isotherm
