#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/core/box.hpp"

namespace isotherm {

/// A constant, or a function of coordinates and time. Numbers convert to constants:
///
///     ScalarFunction source = 2.0;
///     source.evaluate = [](double x, double, double, double) { return std::sin(x); };
struct ScalarFunction {
  using Evaluate = std::function<double(double x, double y, double z, double t)>;
  using EvaluateOfBoth = std::function<double(double x, double y, double z, double t, double u)>;

  double constant = 0.0;  ///< the value if `evaluate` is empty
  Evaluate evaluate{};    ///< may be called from several threads at once
  /// True if the value depends on t. Set it along with `evaluate`.
  bool varies_in_time = false;
  /// True if the value depends on the field: the fourth argument of `evaluate` is then u, not the
  /// time. Coefficients and sources only. Set it along with `evaluate`.
  bool depends_on_u = false;
  /// The value if it depends on the field and on the time; `evaluate` is then that for t = 0. Set
  /// it along with both flags above.
  EvaluateOfBoth evaluate_of_both{};
  /// Values of u at which the function or its slope jumps, ascending, as in a table.
  std::vector<double> breaks_in_u{};
  /// False for an axis if the value is known not to depend on its coordinate. Set it along with
  /// `evaluate`.
  PerAxis<bool> varies_along{true, true, true};
  std::string text = "0";  ///< as the user wrote it

  ScalarFunction() = default;
  ScalarFunction(double value);  // NOLINT(google-explicit-constructor): a number is a function
  /// True if there is no function to evaluate.
  [[nodiscard]] bool is_constant() const { return !evaluate; }
  /// True if the value at a place is not the same throughout a run.
  [[nodiscard]] bool depends_on_u_or_t() const { return depends_on_u || varies_in_time; }
  /// True for the constant 0; a function that happens to vanish everywhere is not recognised.
  [[nodiscard]] bool is_zero() const { return is_constant() && constant == 0.0; }
  [[nodiscard]] double operator()(double x, double y, double z, double t) const {
    return evaluate ? evaluate(x, y, z, t) : constant;
  }
  /// Returns the value at a time, if the field has the value u there.
  [[nodiscard]] double at(double x, double y, double z, double t, double u) const {
    if (evaluate_of_both) return evaluate_of_both(x, y, z, t, u);
    return (*this)(x, y, z, depends_on_u ? u : t);
  }
};

}  // namespace isotherm
