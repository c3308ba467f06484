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

/// A program at the points of rows along x that all have the same x coordinates, as the rows of a
/// grid do.
///
/// Results that depend on x alone are tables, which the constructor evaluates. Results that do not
/// depend on x are evaluated once for each row. A product of functions of one variable each, as
/// sin(x)·exp(-t), then costs one multiplication per point. The bits are those of
/// Program::evaluate().
///
///     RowProgram const rows(program, x);
///     rows.evaluate(0, {{}, {nullptr, y}, {nullptr, z}, {nullptr, t}}, values);
class RowProgram {
 public:
  /// @param x  the coordinates of the points of a row
  RowProgram(Program const& program, std::vector<double> x);

  /// Evaluates the expression at the points first, first + 1, … of a row. Thread-safe.
  /// @param uniform  the variables of the row, each with one value; that of x is ignored
  /// @pre first + values.size() is at most the number of coordinates
  void evaluate(std::size_t first, Variables const& uniform, std::span<double> values) const;

 private:
  /// An instruction whose result has a number of its own, after the variables and constants.
  struct Step {
    Instruction instruction;
    std::size_t memory;  ///< number of the intermediate result of a block that holds the result
  };
  /// The results of an instruction that depend on x alone.
  struct Table {
    std::size_t number;
    std::vector<double> values;
  };

  std::vector<double> constants_;
  std::vector<Table> tables_{};    ///< of x and of results that other instructions read
  std::vector<Step> of_row_{};     ///< do not depend on x
  std::vector<Step> of_points_{};  ///< depend on x and on another variable
  std::size_t number_count_;       ///< of variables, constants and results
  std::size_t result_;             ///< number of the value of the expression
};

}  // namespace isotherm::expressions
