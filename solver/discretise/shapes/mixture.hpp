#pragma once

#include <cstddef>
#include <vector>

namespace isotherm {

/// A mixture of layers that cover parts of a cell or of a face. At each place the last layer that
/// covers it is visible. Layer 0 covers everything.
///
/// Layers that cover only parts are treated as independent: two layers with the shares a and b
/// overlap on a b. That is exact if only one layer is partial.
class Mixture {
 public:
  explicit Mixture(std::size_t layers) : shares_(layers, 0.0) { shares_[0] = 1.0; }

  void set_share(std::size_t layer, double share) { shares_[layer] = share; }

  /// Returns the fraction of the cell in which a layer is visible: its share of the part that later
  /// layers leave.
  [[nodiscard]] double fraction(std::size_t layer) const {
    double left = shares_[layer];
    for (std::size_t above = layer + 1; above < shares_.size(); ++above)
      left *= 1.0 - shares_[above];
    return left;
  }

  /// Returns the mean of a property, Σ fraction(layer) · value(layer). `value` is not called for
  /// layers that are not visible.
  template <class Value>
  [[nodiscard]] double mean(Value const& value) const {
    double sum = 0.0, left = 1.0;
    for (std::size_t layer = shares_.size(); layer-- > 0 && left > 0.0;) {
      if (shares_[layer] == 0.0) continue;
      sum += left * shares_[layer] * value(layer);
      left *= 1.0 - shares_[layer];
    }
    return sum;
  }

 private:
  std::vector<double> shares_;
};

}  // namespace isotherm
