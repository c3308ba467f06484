#include "kernels/sweep/resident.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/faces/faces.hpp"
#include "kernels/sweep/cuda/resident/persistent_2d.hpp"
#include "kernels/updates/rules.hpp"

namespace isotherm {

namespace {

/// Fills the halo of the periodic axes: copies the grid's first and last points in x and y beyond
/// the opposite ends.
template <class Real>
void close_on_itself(Queue& queue, ResidentGrid<Real> const& grid, FieldView<Real> field) {
  // One box on each side in x and y; corners are not read. Boxes of axes that are not periodic
  // remain empty.
  std::array<LocalBox, 4> beyond{};
  for (int axis = 0; axis < 2; ++axis) {
    if (!grid.periodic[axis]) continue;
    std::size_t const first = 2 * static_cast<std::size_t>(axis);
    beyond[first] = beyond[first + 1] = grid.points;
    beyond[first].lower[axis] = -1;
    beyond[first].upper[axis] = 0;
    beyond[first + 1].lower[axis] = grid.points.upper[axis];
    beyond[first + 1].upper[axis] = grid.points.upper[axis] + 1;
  }
  wrap(queue, field, beyond, grid.points);
}

/// The algorithm of the CUDA kernel in its simplest form, for the CPU: plain steps that alternate
/// between two fields.
template <class Rule, class Real = typename Rule::Real>
void advance_plainly(Queue& queue, Rule const& rule, ResidentGrid<Real> const& grid,
                     std::int64_t steps, MeasuredSteps const& measured) {
  // The second field, which steps alternate with.
  Field<Real> other(queue, grid.points.extent(), {1, 1, 0});
  FieldView<Real> before = grid.field;
  FieldView<Real> after = other.view();
  std::int64_t next = measured.first;
  int known = 0;
  for (std::int64_t step = 1; step <= steps; ++step) {
    // Measured steps form an arithmetic sequence.
    bool const is_measured = known < measured.count && step == next;
    Change* const change = is_measured ? measured.changes + known++ : nullptr;
    if (is_measured) next += measured.every;
    close_on_itself(queue, grid, before);
    sweep(queue, rule, Pass<Real>{before, after, grid.source, grid.points, grid.free, change},
          SweepPlan{});
    std::swap(before, after);
  }
  // After an odd number of steps the result is in the other field.
  if (before.origin == grid.field.origin) return;
  for (std::int64_t j = 0; j < grid.points.upper.y; ++j) {
    std::copy_n(&before(0, j, 0), grid.points.upper.x, &after(0, j, 0));
  }
}

}  // namespace

bool resident_fits(Backend backend, int device, Precision precision, Extent3 n, bool has_source) {
  if (n.z != 1) return false;
  return dispatch(
      backend, [] { return true; },
      [&](auto) {
        return precision == Precision::float32 ? cuda::resident_fits<float>(device, n, has_source)
                                               : cuda::resident_fits<double>(device, n, has_source);
      });
}

template <class Rule>
void advance_resident(Queue& queue, Rule const& rule, ResidentGrid<typename Rule::Real> const& grid,
                      std::int64_t steps, MeasuredSteps const& measured) {
  require(measured.count == 0 || (measured.first >= 1 && measured.every >= 1 &&
                                  measured.first + (measured.count - 1) * measured.every <= steps),
          "a step to be measured is not among the steps taken");
  dispatch(
      queue, [&] { advance_plainly(queue, rule, grid, steps, measured); },
      [&](auto) { cuda::advance_resident(queue, rule, grid, steps, measured); });
}

#define ISOTHERM_INSTANTIATE(Rule)                                                              \
  template void advance_resident(Queue&, Rule const&, ResidentGrid<typename Rule::Real> const&, \
                                 std::int64_t, MeasuredSteps const&);
ISOTHERM_FOR_EACH_RULE_IN_2D(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm
