#include "case/expressions/compile_expression.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace isotherm {

namespace {

using expressions::Instruction;
using expressions::Operation;
using expressions::Program;
using expressions::variable_count;
using Kind = ExpressionTree::Kind;

/// The number of a value.
using ValueNumber = std::size_t;

/// A value that is computed once: a number, a variable, or an operation on other values.
struct Value {
  Kind kind{};
  double number = 0.0;
  std::size_t variable = 0;
  Operation operation{};
  std::array<ValueNumber, 3> from{};

  [[nodiscard]] int operands() const {
    return kind == Kind::operation ? expressions::operand_count(operation) : 0;
  }
};

/// The distinct values of an expression (value numbering). The operands of a value precede it.
class NumberedValues {
 public:
  explicit NumberedValues(ExpressionTree const& tree) {
    std::vector<ValueNumber> of_node;
    of_node.reserve(tree.nodes.size());
    for (ExpressionTree::Node const& node : tree.nodes) {
      if (node.kind == Kind::number) {
        of_node.push_back(number(node.number));
      } else if (node.kind == Kind::variable) {
        of_node.push_back(unique({Kind::variable, 0.0, node.variable}));
      } else {
        std::array<ValueNumber, 3> from{};
        for (std::size_t n = 0; n < node.arguments.size(); ++n) {
          from[n] = of_node[node.arguments[n]];
        }
        of_node.push_back(operation(node.operation, from));
      }
    }
    root_ = of_node.back();
  }

  [[nodiscard]] ValueNumber root() const { return root_; }
  [[nodiscard]] std::vector<Value> const& all() const { return all_; }

 private:
  ValueNumber number(double value) { return unique({Kind::number, value}); }

  ValueNumber operation(Operation operation, std::array<ValueNumber, 3> from) {
    Value const value{Kind::operation, 0.0, 0, operation, from};
    bool is_constant = true;
    for (int n = 0; n < value.operands(); ++n) {
      is_constant = is_constant && all_[from[static_cast<std::size_t>(n)]].kind == Kind::number;
    }
    if (is_constant) {
      auto const of = [&](std::size_t n) { return all_[from[n]].number; };
      bool const has_two = value.operands() > 1, has_three = value.operands() > 2;
      return number(
          expressions::applied(operation, of(0), has_two ? of(1) : 0.0, has_three ? of(2) : 0.0));
    }
    if (operation == Operation::power && all_[from[1]].kind == Kind::number) {
      double const exponent = all_[from[1]].number;
      constexpr double largest = 4.0;
      if (std::abs(exponent) <= largest && exponent == std::rint(exponent)) {
        return whole_power(from[0], static_cast<int>(exponent));
      }
    }
    return unique(value);
  }

  ValueNumber whole_power(ValueNumber base, int exponent) {
    if (exponent < 0) {
      return operation(Operation::divide, {number(1.0), whole_power(base, -exponent)});
    }
    if (exponent == 0) return number(1.0);
    if (exponent == 1) return base;
    ValueNumber const square = operation(Operation::multiply, {base, base});
    if (exponent == 2) return square;
    return operation(Operation::multiply, {square, exponent == 3 ? base : square});
  }

  /// Returns the number of a value, which is appended if it is new.
  ValueNumber unique(Value const& value) {
    auto const key = std::tuple(value.kind, std::bit_cast<std::uint64_t>(value.number),
                                value.variable, value.operation, value.from);
    auto const [found, is_new] = numbers_.try_emplace(key, all_.size());
    if (is_new) all_.push_back(value);
    return found->second;
  }

  std::vector<Value> all_{};
  std::map<std::tuple<Kind, std::uint64_t, std::size_t, Operation, std::array<ValueNumber, 3>>,
           ValueNumber>
      numbers_{};
  ValueNumber root_ = 0;
};

/// Thrown for expressions that need too many registers.
struct TooComplex {};

/// Assigns registers to values and writes the instructions.
class Assembler {
 public:
  explicit Assembler(NumberedValues const& values)
      : values_(values.all()), uses_(values_.size(), 0) {
    // Users follow what they use, so one pass from the root finds all values that are needed.
    uses_[values.root()] = 1;
    for (ValueNumber n = values.root() + 1; n-- > 0;) {
      if (uses_[n] == 0) continue;
      for_each_operand(values_[n], [&](ValueNumber operand) { ++uses_[operand]; });
    }
    registers_.resize(values_.size());
    assign_constants();
    for (ValueNumber n = 0; n <= values.root(); ++n) {
      if (uses_[n] > 0 && values_[n].kind == Kind::operation) emit(n);
    }
    if (instructions_.empty()) copy(registers_[values.root()]);
  }

  [[nodiscard]] std::shared_ptr<Program const> program() {
    return std::make_shared<Program const>(std::move(constants_), std::move(instructions_));
  }

 private:
  template <class Visit>
  static void for_each_operand(Value const& value, Visit const& visit) {
    for (int n = 0; n < value.operands(); ++n) visit(value.from[static_cast<std::size_t>(n)]);
  }

  void assign_constants() {
    for (ValueNumber n = 0; n < values_.size(); ++n) {
      if (values_[n].kind == Kind::variable) {
        registers_[n] = static_cast<std::uint16_t>(values_[n].variable);
      }
      if (values_[n].kind != Kind::number || uses_[n] == 0) continue;
      registers_[n] = static_cast<std::uint16_t>(variable_count + constants_.size());
      constants_.push_back(values_[n].number);
    }
    if (constants_.size() > std::numeric_limits<std::uint16_t>::max() / 2) throw TooComplex{};
  }

  void emit(ValueNumber n) {
    Instruction instruction{values_[n].operation, 0, {}};
    std::size_t next = 0;
    for_each_operand(values_[n],
                     [&](ValueNumber operand) { instruction.from[next++] = registers_[operand]; });
    // The result may replace an operand that is not needed afterwards.
    for_each_operand(values_[n], [&](ValueNumber operand) {
      if (--uses_[operand] == 0 && values_[operand].kind == Kind::operation) {
        is_used_[intermediate(registers_[operand])] = false;
      }
    });
    instruction.to = registers_[n] = free_register();
    instructions_.push_back(instruction);
  }

  /// Copies the value of an expression that is only a variable or a number.
  void copy(std::uint16_t from) {
    instructions_.push_back({Operation::maximum, free_register(), {from, from}});
  }

  std::uint16_t free_register() {
    auto const found = std::ranges::find(is_used_, false);
    if (found == is_used_.end()) throw TooComplex{};
    *found = true;
    return static_cast<std::uint16_t>(variable_count + constants_.size() +
                                      static_cast<std::size_t>(found - is_used_.begin()));
  }
  [[nodiscard]] std::size_t intermediate(std::uint16_t number) const {
    return number - variable_count - constants_.size();
  }

  std::vector<Value> const& values_;
  std::vector<int> uses_;                   ///< how often each value will be read
  std::vector<std::uint16_t> registers_{};  ///< of each value
  std::array<bool, Program::maximum_of_intermediate> is_used_{};
  std::vector<double> constants_{};
  std::vector<Instruction> instructions_{};
};

}  // namespace

CompiledExpression compile_expression(std::string const& text,
                                      std::vector<std::string> const& variables) {
  auto const tree = ExpressionTree::of(text, variables);
  return tree ? compile_expression(*tree) : CompiledExpression{};
}

CompiledExpression compile_expression(ExpressionTree const& tree) try {
  NumberedValues const values(tree);
  Value const& root = values.all()[values.root()];
  return {Assembler(values).program(),
          root.kind == Kind::number ? std::optional(root.number) : std::nullopt};
} catch (TooComplex const&) {
  return {};
}

}  // namespace isotherm
