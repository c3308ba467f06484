#pragma once

#include "kernels/sweep/sweep.hpp"

// Many steps of a small grid in one go: on CUDA the grid stays in the registers of the chip, so
// that neither memory nor the start of kernels is waited for.

namespace isotherm {

/// The plan of this name takes as many steps as are wanted, with advance_resident() instead of
/// sweep(). SweepPlan::steps is 1 for it: it needs no deeper halo.
inline constexpr char const* resident_plan = "resident";

/// A whole two-dimensional grid, of which no other rank has a part.
template <class Real>
struct ResidentGrid {
  FieldView<Real> field;         ///< in and out; on the CPU with a halo of 1
  FieldView<Real const> source;  ///< as in Pass, needed on `points`; or none
  LocalBox points;               ///< the grid's, from (0, 0, 0) on
  LocalBox free;                 ///< points that the rule changes; all others keep their
                                 ///< value. On an axis that is not periodic, the grid's
                                 ///< outermost points must not be free
  PerAxis<bool> periodic{};  ///< whether the grid closes on itself in x and in y; z does not count
};

/// Steps that are measured on the way, counted from 1: `first`, `first + every`, …
struct MeasuredSteps {
  Change* changes = nullptr;  ///< [count]; the norms of each step's change over the free points are
                              ///< accumulated here
  std::int64_t first = 0;     ///< at least 1
  std::int64_t every = 1;
  int count = 0;
};

/// True where advance_resident() can take a grid of `n` points.
bool resident_fits(Backend backend, int device, Precision precision, Extent3 n, bool has_source);

/// Enqueues `steps` steps of `rule`; what is in the field's halo afterwards is not defined.
/// @throws Error  if the grid does not fit, or a step beyond the last is to be measured
template <class Rule>
void advance_resident(Queue& queue, Rule const& rule, ResidentGrid<typename Rule::Real> const& grid,
                      std::int64_t steps, MeasuredSteps const& measured = {});

}  // namespace isotherm
