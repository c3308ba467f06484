#include "kernels/expressions/program.hpp"

#include <algorithm>
#include <type_traits>

#include "kernels/core/error.hpp"

namespace isotherm::expressions {

namespace {

/// The number of points that an instruction processes together. Their registers fit into the
/// first-level cache.
constexpr std::size_t block = 256;

/// The values of a register at the points of a block: an array, or one value for all of them.
struct Operand {
  double const* values;
  double value;
  [[nodiscard]] bool is_uniform() const { return values == nullptr; }
};

/// Runs an operation over arrays. Results may replace an operand. Each loop is a function of its
/// own, so that compilers vectorise it whatever surrounds it.
struct Loop {
  double* to;
  std::array<double const*, 3> from;
  std::size_t count;

  template <double (*function)(elementary::Angle)>
  [[gnu::noinline]] void operator()(OfAngle<function> const& of_angle) const {
    double* const result = to;
    double const* const a = from[0];
    double irregular = 0.0;
#pragma omp simd reduction(+ : irregular)
    for (std::size_t i = 0; i < count; ++i) irregular += of_angle.is_regular(a[i]) ? 0.0 : 1.0;
    if (irregular != 0.0) {
      for (std::size_t i = 0; i < count; ++i) result[i] = of_angle(a[i], 0.0, 0.0);
      return;
    }
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) result[i] = of_angle.regular(a[i]);
  }
  template <double (*unary)(double)>
  [[gnu::noinline]] void operator()(Unary<unary> const& function) const {
    double* const result = to;
    double const* const a = from[0];
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) result[i] = function(a[i], 0.0, 0.0);
  }
  template <double (*binary)(double, double)>
  [[gnu::noinline]] void operator()(Binary<binary> const& function) const {
    double* const result = to;
    double const *const a = from[0], *const b = from[1];
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) result[i] = function(a[i], b[i], 0.0);
  }
  template <class Ternary>
  [[gnu::noinline]] void operator()(Ternary const& function) const {
    double* const result = to;
    double const *const a = from[0], *const b = from[1], *const c = from[2];
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) result[i] = function(a[i], b[i], c[i]);
  }
};

/// The registers of a block of points.
class Registers {
 public:
  Registers(Variables const& variables, std::size_t first, std::vector<double> const& constants) {
    std::size_t const fixed = variable_count + constants.size();
    operands_.resize(fixed + Program::maximum_of_intermediate);
    for (std::size_t n = 0; n < variable_count; ++n) {
      Variable const& given = variables[n];
      operands_[n] = {given.values == nullptr ? nullptr : given.values + first, given.value};
    }
    for (std::size_t n = 0; n < constants.size(); ++n) {
      operands_[variable_count + n] = {nullptr, constants[n]};
    }
    fixed_ = fixed;
  }

  /// Runs an instruction. One on uniform operands has a uniform result.
  /// @param result  where other results are written; null for the memory of the register
  void run(Instruction const& instruction, std::size_t count, double* result = nullptr) {
    auto const used = static_cast<std::size_t>(operand_count(instruction.operation));
    std::array<Operand, 3> from{};
    bool is_uniform = true;
    for (std::size_t n = 0; n < used; ++n) {
      from[n] = operands_[instruction.from[n]];
      is_uniform = is_uniform && from[n].is_uniform();
    }
    Operand& to = operands_[instruction.to];
    if (is_uniform) {
      to = {nullptr, applied(instruction.operation, from[0].value, from[1].value, from[2].value)};
      return;
    }
    Loop loop{result != nullptr ? result : array(instruction.to - fixed_), {}, count};
    for (std::size_t n = 0; n < used; ++n) {
      loop.from[n] = from[n].is_uniform() ? spread(n, from[n].value, count) : from[n].values;
    }
    with_function(instruction.operation, loop);
    to = {loop.to, 0.0};
  }

  [[nodiscard]] Operand const& operator[](std::size_t number) const { return operands_[number]; }

 private:
  /// Memory for intermediate results and for copies of uniform operands, of each thread.
  [[nodiscard]] static double* array(std::size_t number) {
    struct Memory {
      alignas(64) std::array<double, (Program::maximum_of_intermediate + 3) * block> values;
    };
    thread_local Memory memory;  // NOLINT(*-member-init): written before it is read
    return memory.values.data() + number * block;
  }
  [[nodiscard]] static double const* spread(std::size_t operand, double value, std::size_t count) {
    double* const copies = array(Program::maximum_of_intermediate + operand);
    std::fill_n(copies, count, value);
    return copies;
  }

  std::vector<Operand> operands_{};
  std::size_t fixed_ = 0;  ///< number of registers of variables and constants
};

}  // namespace

Program::Program(std::vector<double> constants, std::vector<Instruction> instructions)
    : constants_(std::move(constants)), instructions_(std::move(instructions)) {
  require(!instructions_.empty(), "a program needs an instruction");
  std::size_t const fixed = variable_count + constants_.size();
  for (Instruction& one : instructions_) {
    // Operands that an operation does not have are never used, but may be read.
    for (auto n = static_cast<std::size_t>(operand_count(one.operation)); n < 3; ++n) {
      one.from[n] = 0;
    }
    require(one.to >= fixed && one.to < fixed + maximum_of_intermediate,
            "a program writes a register that does not exist, or is fixed");
    for (int n = 0; n < operand_count(one.operation); ++n) {
      std::size_t const from = one.from[static_cast<std::size_t>(n)];
      require(from < fixed + maximum_of_intermediate,
              "a program reads a register that does not exist");
      if (from < variable_count) reads_[from] = true;
    }
  }
}

void Program::evaluate(Variables const& variables, std::span<double> values) const {
  for (std::size_t first = 0; first < values.size(); first += block) {
    std::size_t const count = std::min(block, values.size() - first);
    Registers registers(variables, first, constants_);
    std::span const all(instructions_);
    for (Instruction const& one : all.first(all.size() - 1)) registers.run(one, count);
    registers.run(all.back(), count, values.data() + first);
    Operand const result = registers[all.back().to];
    if (result.is_uniform()) std::fill_n(values.data() + first, count, result.value);
  }
}

namespace {

/// Runs instructions on registers that hold the variables and constants; returns the last result.
double run(std::vector<Instruction> const& instructions, double* registers) {
  double result = 0.0;
  for (Instruction const& one : instructions) {
    // Operands that the operation does not have are those of register 0.
    result = applied(one.operation, registers[one.from[0]], registers[one.from[1]],
                     registers[one.from[2]]);
    registers[one.to] = result;
  }
  return result;
}

}  // namespace

double Program::evaluate(std::array<double, variable_count> const& variables) const {
  // Most programs have few constants: their registers need no allocation.
  constexpr std::size_t usual = 32;
  std::size_t const fixed = variable_count + constants_.size();
  auto const evaluate_in = [&](double* registers) {
    std::copy(constants_.begin(), constants_.end(),
              std::copy(variables.begin(), variables.end(), registers));
    return run(instructions_, registers);
  };
  if (constants_.size() > usual) {
    std::vector<double> registers(fixed + maximum_of_intermediate);
    return evaluate_in(registers.data());
  }
  // NOLINTNEXTLINE(*-member-init): registers are written before they are read
  std::array<double, variable_count + usual + maximum_of_intermediate> registers;
  return evaluate_in(registers.data());
}

}  // namespace isotherm::expressions
