#include "kernels/expressions/program.hpp"

#include <algorithm>
#include <limits>
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

/// Returns memory of the calling thread for intermediate results of a block, and for copies of
/// uniform operands.
double* memory_of_block(std::size_t number) {
  struct Memory {
    alignas(64) std::array<double, (Program::maximum_of_intermediate + 3) * block> values;
  };
  thread_local Memory memory;  // NOLINT(*-member-init): written before it is read
  return memory.values.data() + number * block;
}

/// Returns copies of an operand that is uniform.
double const* spread(std::size_t operand, double value, std::size_t count) {
  double* const copies = memory_of_block(Program::maximum_of_intermediate + operand);
  std::fill_n(copies, count, value);
  return copies;
}

/// Runs an instruction on the registers of a block. One on uniform operands has a uniform result.
/// @param to  where the results are written unless they are uniform
void run(Instruction const& instruction, std::vector<Operand>& registers, std::size_t count,
         double* to) {
  auto const used = static_cast<std::size_t>(operand_count(instruction.operation));
  std::array<Operand, 3> from{};
  bool is_uniform = true;
  for (std::size_t n = 0; n < used; ++n) {
    from[n] = registers[instruction.from[n]];
    is_uniform = is_uniform && from[n].is_uniform();
  }
  Operand& result = registers[instruction.to];
  if (is_uniform) {
    result = {nullptr, applied(instruction.operation, from[0].value, from[1].value, from[2].value)};
    return;
  }
  Loop loop{to, {}, count};
  for (std::size_t n = 0; n < used; ++n) {
    loop.from[n] = from[n].is_uniform() ? spread(n, from[n].value, count) : from[n].values;
  }
  with_function(instruction.operation, loop);
  result = {to, 0.0};
}

/// Returns registers that hold uniform variables and the constants.
std::vector<Operand> registers_of(Variables const& variables, std::vector<double> const& constants,
                                  std::size_t count) {
  std::vector<Operand> registers(count);
  for (std::size_t n = 0; n < variable_count; ++n) registers[n] = {nullptr, variables[n].value};
  for (std::size_t n = 0; n < constants.size(); ++n) {
    registers[variable_count + n] = {nullptr, constants[n]};
  }
  return registers;
}

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
  std::size_t const fixed = variable_count + constants_.size();
  std::vector<Operand> registers =
      registers_of(variables, constants_, fixed + maximum_of_intermediate);
  for (std::size_t first = 0; first < values.size(); first += block) {
    std::size_t const count = std::min(block, values.size() - first);
    for (std::size_t n = 0; n < variable_count; ++n) {
      double const* const given = variables[n].values;
      if (given != nullptr) registers[n] = {given + first, 0.0};
    }
    std::span const all(instructions_);
    for (Instruction const& one : all.first(all.size() - 1)) {
      run(one, registers, count, memory_of_block(one.to - fixed));
    }
    run(all.back(), registers, count, values.data() + first);
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

namespace {

/// The variables on which a value depends.
struct Dependence {
  bool on_x = false;
  bool on_others = false;
};

/// Evaluates an instruction at all points of a row, for operands that are tables or constants.
std::vector<double> table_of(Instruction const& instruction, std::vector<Operand> const& operands,
                             std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t first = 0; first < count; first += block) {
    std::vector<Operand> here = operands;
    for (Operand& operand : here) {
      if (!operand.is_uniform()) operand.values += first;
    }
    run(instruction, here, std::min(block, count - first), values.data() + first);
  }
  return values;
}

}  // namespace

RowProgram::RowProgram(Program const& program, std::vector<double> x)
    : constants_(program.constants()) {
  std::size_t const fixed = variable_count + constants_.size();
  std::size_t const points = x.size();
  number_count_ = fixed + program.instructions().size();
  result_ = number_count_ - 1;
  require(result_ <= std::numeric_limits<std::uint16_t>::max(), "a program is too long");
  std::vector<Dependence> depends(number_count_);
  depends[0].on_x = true;
  for (std::size_t n = 1; n < variable_count; ++n) depends[n].on_others = true;
  std::vector<Operand> operands = registers_of({}, constants_, number_count_);
  // Results move with their vectors, so pointers to them stay valid.
  tables_.push_back({0, std::move(x)});
  operands[0] = {tables_.back().values.data(), 0.0};
  std::vector<bool> is_read(number_count_, false);
  is_read[result_] = true;
  // The number of the newest result in each register.
  std::vector<std::size_t> newest(fixed + Program::maximum_of_intermediate);
  for (std::size_t n = 0; n < fixed; ++n) newest[n] = n;
  std::size_t number = fixed;
  for (Instruction one : program.instructions()) {
    std::size_t const memory = one.to - fixed;
    Dependence& here = depends[number];
    auto const used = static_cast<std::size_t>(operand_count(one.operation));
    for (std::size_t n = 0; n < used; ++n) {
      std::size_t const from = newest[one.from[n]];
      one.from[n] = static_cast<std::uint16_t>(from);
      here.on_x = here.on_x || depends[from].on_x;
      here.on_others = here.on_others || depends[from].on_others;
    }
    newest[one.to] = number;
    one.to = static_cast<std::uint16_t>(number);
    if (here.on_x && !here.on_others) {
      tables_.push_back({number, table_of(one, operands, points)});
      operands[number] = {tables_.back().values.data(), 0.0};
    } else {
      (here.on_x ? of_points_ : of_row_).push_back({one, memory});
      for (std::size_t n = 0; n < used; ++n) is_read[one.from[n]] = true;
    }
    ++number;
  }
  std::erase_if(tables_, [&](Table const& table) { return !is_read[table.number]; });
}

void RowProgram::evaluate(std::size_t first, Variables const& uniform,
                          std::span<double> values) const {
  std::vector<Operand> registers = registers_of(uniform, constants_, number_count_);
  for (Step const& step : of_row_) run(step.instruction, registers, 1, nullptr);
  for (std::size_t from = 0; from < values.size(); from += block) {
    std::size_t const count = std::min(block, values.size() - from);
    double* const to = values.data() + from;
    for (Table const& table : tables_) {
      registers[table.number] = {table.values.data() + first + from, 0.0};
    }
    for (Step const& step : of_points_) {
      bool const is_last = step.instruction.to == result_;
      run(step.instruction, registers, count, is_last ? to : memory_of_block(step.memory));
    }
    Operand const result = registers[result_];
    if (result.is_uniform()) {
      std::fill_n(to, count, result.value);
    } else if (result.values != to) {
      std::copy_n(result.values, count, to);
    }
  }
}

}  // namespace isotherm::expressions
