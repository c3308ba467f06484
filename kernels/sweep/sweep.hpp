#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/core/field.hpp"
#include "kernels/core/precision.hpp"
#include "kernels/sweep/reduce.hpp"
#include "kernels/updates/rules.hpp"

namespace isotherm {

/// How a sweep walks memory. A plan never changes the result, bit for bit.
struct SweepPlan {
  std::string name = "plain";  ///< as in the list that sweep_plans() returns
  int steps = 1;               ///< steps a pass over memory; the halo must be this deep
  std::string shape{};         ///< of its blocks of threads, or of a block's tile; empty: none
};

/// Points at one end of a pass's region that the pass also writes elsewhere: into a neighbour's
/// halo, which may lie in another device's memory.
template <class Real>
struct Forward {
  LocalBox box{};  ///< as wide as the region, and at its lower or upper end in z (in 2D in y)
  FieldView<Real> out{};  ///< in the pass's frame; strides as in Pass::out
};

/// One pass over memory: `plan.steps` applications of a rule to the points of a box.
template <class Real>
struct Pass {
  FieldView<Real const> in;      ///< values before; must exist on region.grown(steps)
  FieldView<Real> out;           ///< values after; must exist on region; must not overlap `in`
  FieldView<Real const> source;  ///< added to the rule at each step: f / (2 Σ h^-2) for Jacobi,
                                 ///< Δt f for FTCS; needed on region.grown(steps − 1); or none
  LocalBox region;               ///< points that are written
  LocalBox free;                 ///< points that the rule changes; all others keep their value.
                                 ///< Reaches past `region` where the neighbours are swept along
  Change* change = nullptr;      ///< where to accumulate the last step's change, or nowhere
  /// What the lower and the upper end are written to besides; the two do not overlap, and an empty
  /// box stands for none.
  std::array<Forward<Real>, 2> forwards{};
};

/// Enqueues `plan.steps` steps of `rule` on pass.region.
///
/// After the pass out(i,j,k) holds, for every point of pass.region, what `plan.steps` sweeps of all
/// points would leave there: at each step the points of pass.free take what the rule makes of them,
/// the others keep their value. With pass.change the norms of (after − before) of the last step
/// over region ∩ free are accumulated there.
/// @throws Error  if `in`, `source` or `out` does not cover what the pass touches, or the plan is
///                unknown to the queue's backend
template <class Rule>
void sweep(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass,
           SweepPlan const& plan);

/// All plans that the backend has for a rule's dimension and precision, and that can be run on the
/// device (ignored on the CPU); the first is the plain one.
std::vector<SweepPlan> sweep_plans(Backend backend, int dimension, Precision precision,
                                   int device = 0);

/// The same for the rules whose steps differ (WeightedRelax).
std::vector<SweepPlan> smoothing_plans(Backend backend, int dimension, Precision precision,
                                       int device = 0);

/// The same for the rules with Conductances.
std::vector<SweepPlan> conducting_plans(Backend backend, int dimension, Precision precision,
                                        int device = 0);

/// And for those with SolvedConductances (WeightedRelax).
std::vector<SweepPlan> conducting_smoothing_plans(Backend backend, int dimension,
                                                  Precision precision, int device = 0);

}  // namespace isotherm
