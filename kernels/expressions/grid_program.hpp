#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/core/field.hpp"
#include "kernels/core/queue/memory.hpp"
#include "kernels/expressions/program.hpp"

namespace isotherm::expressions {

/// A program of x, y, z and t that a queue's backend evaluates at the points of a grid, with the
/// bits of Program::evaluate(). No values are copied between host and device.
///
///     GridProgram source(queue, program, {.coordinate = {xs, ys, zs}});
///     source.evaluate(queue, field.view(), field.owned(), t, {.factor = 0.5});   // enqueued
///     if (auto const fault = source.take_fault(queue)) refuse(fault->point, fault->time);
class GridProgram {
 public:
  /// The axes of the points 0 … n − 1 along each axis.
  struct Axes {
    PerAxis<std::vector<double>> coordinate;  ///< never empty
    PerAxis<std::vector<double>> width{};     ///< of control volumes; empty if not needed
  };
  /// What a value v is multiplied by: v·factor, or v/divisor·(width_x·width_y·width_z).
  struct Scale {
    double factor = 1.0;
    double divisor = 1.0;
    bool by_volume = false;
  };
  /// A value that is not finite.
  struct Fault {
    Index3 point;
    double time;
  };

  /// Copies the program and the axes to the queue's memory. Waits.
  /// @throws Error  if there is not enough memory
  GridProgram(Queue& queue, Program const& program, Axes const& axes);

  /// Enqueues setting the points of `box` to the scaled values, rounded once to Real.
  /// @pre the axes contain the box; they have widths if scale.by_volume
  template <class Real>
  void evaluate(Queue& queue, FieldView<Real> field, LocalBox box, double time,
                Scale const& scale) const;

  /// Returns a point at which a value was not finite in Real, of the first evaluation with one
  /// since the last call. Waits for the queue.
  [[nodiscard]] std::optional<Fault> take_fault(Queue& queue);

  /// Returns an upper bound on the memory for a program and a grid in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend, Program const& program, Extent3 points);

 private:
  /// Returns the numbers of a program and its axes in one array, as evaluate() reads them.
  static std::vector<double> numbers_of(Program const& program, Axes const& axes);

  Extent3 extent_;
  std::size_t constant_count_;
  std::size_t instruction_count_;
  Buffer instructions_;
  Buffer numbers_;  ///< the constants, the coordinates and the widths
  Buffer fault_;    ///< the number of a point + 1, or 0; the time
};

}  // namespace isotherm::expressions
