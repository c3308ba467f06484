#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace isotherm {

/// A disjoint-set forest (union-find) over the numbers 0 … n-1: which of them are connected,
/// directly or through others.
class Connections {
 public:
  explicit Connections(std::size_t things) : towards_(things) {
    std::iota(towards_.begin(), towards_.end(), std::size_t{0});
  }
  /// Returns the representative of the connected component of `thing`, its smallest member. Halves
  /// the path on the way, so a call is close to constant time.
  std::size_t operator()(std::size_t thing) {
    while (towards_[thing] != thing) thing = towards_[thing] = towards_[towards_[thing]];
    return thing;
  }
  /// Connects `a` and `b`, and thereby their components.
  void join(std::size_t a, std::size_t b) {
    auto const [first, other] = std::minmax({(*this)(a), (*this)(b)});
    towards_[other] = first;
  }

 private:
  /// The parent: a smaller member of the component; a root is its own parent.
  std::vector<std::size_t> towards_;
};

}  // namespace isotherm
