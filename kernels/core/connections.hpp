#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace isotherm {

/// Which of some things are connected, directly or by others between them.
class Connections {
 public:
  explicit Connections(std::size_t things) : towards_(things) {
    std::iota(towards_.begin(), towards_.end(), std::size_t{0});
  }
  /// The first of all that are connected with it, which stands for them.
  std::size_t operator()(std::size_t thing) {
    while (towards_[thing] != thing) thing = towards_[thing] = towards_[towards_[thing]];
    return thing;
  }
  void join(std::size_t a, std::size_t b) {
    auto const [first, other] = std::minmax({(*this)(a), (*this)(b)});
    towards_[other] = first;
  }

 private:
  std::vector<std::size_t> towards_;  ///< a thing before it, or itself
};

}  // namespace isotherm
