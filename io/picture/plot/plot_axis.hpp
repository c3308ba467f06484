#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/picture/figure/ticks.hpp"
#include "io/picture/plot/plot.hpp"
#include "io/picture/range.hpp"

namespace isotherm {

/// An axis with its range and ticks, which maps values to 0 … 1.
class PlotScale {
 public:
  /// @param values  all values of the axis. Those that it cannot show are ignored
  /// @param wanted  approximate number of ticks
  /// @param has_margins  the range is a little wider than the values or the given ends
  PlotScale(std::vector<std::vector<double> const*> const& values, PlotAxis const& axis, int wanted,
            bool has_margins);

  /// Returns the place of a value from 0 to 1, or nothing for a value that the axis cannot show.
  [[nodiscard]] std::optional<double> place(double value) const;
  [[nodiscard]] std::vector<Tick> const& ticks() const { return ticks_; }

 private:
  /// Returns the number that the axis shows at equal distances: the value or its logarithm.
  [[nodiscard]] double transformed(double value) const;

  bool is_logarithmic_;
  Range range_{};  ///< of transformed values
  std::vector<Tick> ticks_{};
};

/// Returns whether an axis can show a value: finite, and positive if the axis is logarithmic.
bool can_show(double value, bool is_logarithmic);

/// Returns approximately `wanted` ticks between two positive values: powers of ten, or for a short
/// range also 2 and 5 times these, and whole multiples at its ends. The labels of powers are
/// "1e-05".
std::vector<Tick> logarithmic_ticks(double lower, double upper, int wanted);

/// Returns a label as it is drawn: "1e-05" becomes "10⁻⁵", and "2e-05" "2×10⁻⁵".
std::string typeset_tick(std::string const& label);

}  // namespace isotherm
