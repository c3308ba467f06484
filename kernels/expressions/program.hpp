#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/expressions/operation.hpp"

// Compiled expressions, and their evaluation at many points.
//
//     // exp(-t)·x: −t, its exponential, and the product with x
//     Program const program({}, {{Operation::negate, 6, {3}},
//                                {Operation::exponential, 6, {6}},
//                                {Operation::multiply, 6, {6, 0}}});
//     std::vector<double> const x{0.0, 0.5, 1.0};
//     std::vector<double> values(3);
//     program.evaluate({{x.data()}, {}, {}, {nullptr, 2.0}}, values);   // t = 2

namespace isotherm::expressions {

/// An instruction: registers[to] = operation(registers[from[0]], …).
struct Instruction {
  Operation operation;
  std::uint16_t to;
  std::array<std::uint16_t, 3> from;  ///< those beyond the operation's operands are 0
};

/// The number of variables. By convention they are x, y, z, t (or u, if a function depends on that
/// instead), and the values of one or two fields.
inline constexpr std::size_t variable_count = 6;

/// The values of a variable at points: an array, or one value for all points.
struct Variable {
  double const* values = nullptr;  ///< null if all points have `value`
  double value = 0.0;
};
using Variables = std::array<Variable, variable_count>;

/// An expression as instructions on registers.
///
/// The first registers hold the variables, the next ones the constants; both are never overwritten.
/// The others hold intermediate results. The last instruction computes the value of the expression.
/// The value at a point depends on the variables at that point alone, and has the same bits however
/// many points are evaluated together, and on CUDA devices.
class Program {
 public:
  /// The number of registers for intermediate results.
  static constexpr std::size_t maximum_of_intermediate = 32;

  /// @throws Error  if an instruction names a register that does not exist, or writes one that
  /// holds
  ///                a variable or a constant, or if there is no instruction
  Program(std::vector<double> constants, std::vector<Instruction> instructions);

  /// Evaluates the expression at `values.size()` points. Thread-safe.
  /// @pre `values` does not overlap the values of variables
  void evaluate(Variables const& variables, std::span<double> values) const;
  /// Evaluates the expression at one point. Thread-safe.
  [[nodiscard]] double evaluate(std::array<double, variable_count> const& variables) const;

  /// Returns whether the expression reads a variable.
  [[nodiscard]] bool reads(std::size_t variable) const { return reads_[variable]; }
  [[nodiscard]] std::vector<double> const& constants() const { return constants_; }
  [[nodiscard]] std::vector<Instruction> const& instructions() const { return instructions_; }

 private:
  std::vector<double> constants_;
  std::vector<Instruction> instructions_;
  std::array<bool, variable_count> reads_{};
};

}  // namespace isotherm::expressions
