#pragma once

#include <cstddef>
#include <vector>

namespace isotherm {

/// A mixture of layers that cover parts of a cell or of a face. The last layer that covers a place
/// is the one that shows. Layer 0 covers everything.
///
/// Shares of several layers that cover only parts are treated as independent: of two layers with
/// shares a and b, both cover a b. That is exact for a single partial layer.
class Mixture {
 public:
  explicit Mixture(std::size_t layers) : shares_(layers, 0.0) { shares_[0] = 1.0; }

  void set_share(std::size_t layer, double share) { shares_[layer] = share; }

  /// Returns the fraction in which a layer shows: its share of what later layers leave.
  [[nodiscard]] double fraction(std::size_t layer) const {
    double left = shares_[layer];
    for (std::size_t above = layer + 1; above < shares_.size(); ++above)
      left *= 1.0 - shares_[above];
    return left;
  }

  /// Returns Σ (fraction in which a layer shows) · value(layer). Layers that do not show are not
  /// evaluated.
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
