#include "kernels/expressions/grid_program.hpp"

#include <array>

#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"

namespace isotherm::expressions {

namespace {

/// Loads and stores that several threads may do at the same time.
ISOTHERM_INLINE std::uint64_t load(std::uint64_t const* from) {
#if defined(__CUDA_ARCH__)
  return *static_cast<std::uint64_t const volatile*>(from);
#else
  return __atomic_load_n(from, __ATOMIC_RELAXED);
#endif
}
ISOTHERM_INLINE void store(std::uint64_t* to, std::uint64_t value) {
#if defined(__CUDA_ARCH__)
  *static_cast<std::uint64_t volatile*>(to) = value;
#else
  __atomic_store_n(to, value, __ATOMIC_RELAXED);
#endif
}

/// A program and its axes in a queue's memory.
struct Numbers {
  Instruction const* instructions;
  std::size_t instruction_count;
  double const* constants;
  std::size_t constant_count;
  double const* x;
  double const* y;
  double const* z;
  double const* width_x;
  double const* width_y;
  double const* width_z;
};

/// Returns the value of the program at a point, as Program::evaluate() does.
ISOTHERM_HOST_DEVICE inline double value_at(Numbers const& in,
                                            std::array<double, variable_count> const& variables) {
  std::size_t const fixed = variable_count + in.constant_count;
  // NOLINTNEXTLINE(*-member-init): registers are written before they are read
  std::array<double, Program::maximum_of_intermediate> results;
  double result = 0.0;
  for (std::size_t n = 0; n < in.instruction_count; ++n) {
    Instruction const& one = in.instructions[n];
    std::array<double, 3> from{};
    auto const used = static_cast<std::size_t>(operand_count(one.operation));
    for (std::size_t i = 0; i < used; ++i) {
      std::size_t const number = one.from[i];
      from[i] = number < variable_count ? variables[number]
                : number < fixed        ? in.constants[number - variable_count]
                                        : results[number - fixed];
    }
    result = applied(one.operation, from[0], from[1], from[2]);
    results[one.to - fixed] = result;
  }
  return result;
}

template <class Real>
struct Evaluate {
  FieldView<Real> field;
  Numbers in;
  Extent3 extent;
  double time;
  GridProgram::Scale scale;
  std::uint64_t* fault;  ///< the number of a point, and the bits of the time

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    std::array<double, variable_count> const variables{in.x[i], in.y[j], in.z[k], time, 0.0, 0.0};
    double const value = value_at(in, variables);
    double const scaled =
        scale.by_volume ? value / scale.divisor * (in.width_x[i] * in.width_y[j] * in.width_z[k])
                        : value * scale.factor;
    Real const rounded = static_cast<Real>(scaled);
    field(i, j, k) = rounded;
    // All faults of an evaluation have the same time, so any of their points will do.
    bool const is_finite = rounded * Real{0} == Real{0};
    if (!is_finite && load(fault) == 0U) {
      store(fault + 1, elementary::bits_of(time));
      store(fault, static_cast<std::uint64_t>((k * extent.y + j) * extent.x + i + 1));
    }
  }
};

/// Copies an array to the queue's memory.
template <class Element>
Buffer copy_of(Queue& queue, std::vector<Element> const& values) {
  std::size_t const bytes = values.size() * sizeof(Element);
  Buffer buffer(queue, Space::device, bytes);
  copy_bytes(queue, buffer.data(), values.data(), bytes);
  return buffer;
}

}  // namespace

std::vector<double> GridProgram::numbers_of(Program const& program, Axes const& axes) {
  std::vector<double> numbers = program.constants();
  for (int axis = 0; axis < 3; ++axis) {
    auto const& all = axes.coordinate[axis];
    numbers.insert(numbers.end(), all.begin(), all.end());
  }
  for (int axis = 0; axis < 3; ++axis) {
    // Without widths the same space holds what is not read.
    auto const& all = axes.width[axis].empty() ? axes.coordinate[axis] : axes.width[axis];
    require(all.size() == axes.coordinate[axis].size(), "widths do not match the coordinates");
    numbers.insert(numbers.end(), all.begin(), all.end());
  }
  return numbers;
}

GridProgram::GridProgram(Queue& queue, Program const& program, Axes const& axes)
    : extent_{static_cast<std::int64_t>(axes.coordinate[0].size()),
              static_cast<std::int64_t>(axes.coordinate[1].size()),
              static_cast<std::int64_t>(axes.coordinate[2].size())},
      constant_count_(program.constants().size()),
      instruction_count_(program.instructions().size()),
      instructions_(copy_of(queue, program.instructions())),
      fault_(queue, Space::device, 2 * sizeof(std::uint64_t)) {
  std::vector<double> const numbers = numbers_of(program, axes);
  numbers_ = copy_of(queue, numbers);
  fill_bytes(queue, fault_.data(), 0, fault_.bytes());
  queue.wait();  // before the host's arrays are released
}

template <class Real>
void GridProgram::evaluate(Queue& queue, FieldView<Real> field, LocalBox box, double time,
                           Scale const& scale) const {
  LocalBox const all{{0, 0, 0}, {extent_.x, extent_.y, extent_.z}};
  require(box.empty() || (all.contains(box) && field.box.contains(box)),
          "the points to evaluate extend beyond the field or the axes");
  auto const* const constants = numbers_.as<double const>();
  double const* const x = constants + constant_count_;
  double const *const y = x + extent_.x, *const z = y + extent_.y;
  double const* const width_x = z + extent_.z;
  double const *const width_y = width_x + extent_.x, *const width_z = width_y + extent_.y;
  Numbers const in{instructions_.as<Instruction const>(),
                   instruction_count_,
                   constants,
                   constant_count_,
                   x,
                   y,
                   z,
                   width_x,
                   width_y,
                   width_z};
  for_each_point(queue, box,
                 Evaluate<Real>{field, in, extent_, time, scale, fault_.as<std::uint64_t>()});
}

std::optional<GridProgram::Fault> GridProgram::take_fault(Queue& queue) {
  std::array<std::uint64_t, 2> found{};
  copy_bytes(queue, found.data(), fault_.data(), sizeof found);
  queue.wait();
  if (found[0] == 0U) return std::nullopt;
  fill_bytes(queue, fault_.data(), 0, fault_.bytes());
  auto const number = static_cast<std::int64_t>(found[0]) - 1;
  std::int64_t const row = number / extent_.x;
  return Fault{{number % extent_.x, row % extent_.y, row / extent_.y},
               elementary::from_bits(found[1])};
}

std::size_t GridProgram::footprint(Backend backend, Program const& program, Extent3 points) {
  std::size_t const numbers =
      program.constants().size() + 2 * static_cast<std::size_t>(points.x + points.y + points.z);
  std::size_t const instructions = program.instructions().size() * sizeof(Instruction);
  return Buffer::footprint(backend, Space::device, instructions) +
         Buffer::footprint(backend, Space::device, numbers * sizeof(double)) +
         Buffer::footprint(backend, Space::device, 2 * sizeof(std::uint64_t));
}

template void GridProgram::evaluate(Queue&, FieldView<float>, LocalBox, double, Scale const&) const;
template void GridProgram::evaluate(Queue&, FieldView<double>, LocalBox, double,
                                    Scale const&) const;

}  // namespace isotherm::expressions
