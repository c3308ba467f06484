#pragma once

#include "kernels/sweep/sweep.hpp"

// Many steps of a small two-dimensional grid in a single kernel launch (a persistent kernel). On
// CUDA the grid remains in registers for all steps, so a step waits neither for memory nor for a
// launch. The CPU takes plain steps instead, which give the same bits.

namespace isotherm {

/// Name of the plan that takes any number of steps by advance_resident() instead of sweep(). Its
/// SweepPlan::steps is 1, since it needs no deeper halo.
inline constexpr char const* resident_plan = "resident";

/// A complete two-dimensional grid. No other rank owns a part of it.
template <class Real>
struct ResidentGrid {
  FieldView<Real> field;         ///< input and output; on the CPU with a halo of 1
  FieldView<Real const> source;  ///< as in Pass, needed on `points`; may be none
  LocalBox points;               ///< all points of the grid, from (0, 0, 0)
  LocalBox free;                 ///< points that the rule changes; all others keep their
                                 ///< value. On an axis that is not periodic, the grid's
                                 ///< outermost points must not be free
  PerAxis<bool> periodic{};      ///< whether the grid is periodic in x and in y; z is ignored
};

/// Steps whose change is measured, counted from 1: `first`, `first + every`, …
struct MeasuredSteps {
  Change* changes = nullptr;  ///< [count]; the norms of each step's change over the free points are
                              ///< accumulated here
  std::int64_t first = 0;     ///< at least 1
  std::int64_t every = 1;
  int count = 0;
};

/// Returns true if advance_resident() supports a grid of `n` points on this device. The CPU
/// supports every two-dimensional grid.
bool resident_fits(Backend backend, int device, Precision precision, Extent3 n, bool has_source);

/// Enqueues `steps` steps of `rule`. The result is in grid.field, whose halo is undefined
/// afterwards.
///
///   ResidentGrid<double> const grid{field.view(), {}, box, interior};
///   advance_resident(queue, rule, grid, 1000);
///
/// @throws Error  if the grid does not fit, or a measured step lies beyond the last step
template <class Rule>
void advance_resident(Queue& queue, Rule const& rule, ResidentGrid<typename Rule::Real> const& grid,
                      std::int64_t steps, MeasuredSteps const& measured = {});

}  // namespace isotherm
