#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/core/field.hpp"
#include "kernels/core/precision.hpp"
#include "kernels/sweep/reduce.hpp"
#include "kernels/updates/rules.hpp"

// A sweep applies an update rule (a StencilRule) to all points of a box, once or several times.
// Several applications in one pass over memory are called temporal blocking. The kernel variants
// that do this are called plans. They differ in speed only, never in the result.

namespace isotherm {

/// The kernel variant of a sweep: how it traverses memory. A plan never changes the result, bit for
/// bit.
///
/// The default is the plain plan, which every backend and rule has.
struct SweepPlan {
  std::string name = "plain";  ///< as listed by sweep_plans()
  int steps = 1;               ///< steps per pass over memory; the halo needs as many ghost layers
  std::string shape{};  ///< shape of a thread block or of its tile, for reports; may be empty
};

/// Points at one end of a pass's region that the pass also writes to a second place: to a
/// neighbour's halo, possibly in another device's memory.
template <class Real>
struct Forward {
  LocalBox box{};         ///< spans the region, at its lower or upper end in z (in 2D: y)
  FieldView<Real> out{};  ///< same frame of reference and strides as Pass::out
};

/// One pass over memory: `plan.steps` applications of a rule to the points of a box.
///
/// Boxes are in local indices. The fields share the frame of the boxes but may differ in strides.
template <class Real>
struct Pass {
  FieldView<Real const> in;      ///< values before; must exist on region.grown(steps)
  FieldView<Real> out;           ///< values after; must exist on region; must not overlap `in`
  FieldView<Real const> source;  ///< added to the rule at each step: f / (2 Σ h^-2) for Jacobi,
                                 ///< Δt f for FTCS; needed on region.grown(steps − 1); or none
  LocalBox region;               ///< points that are written
  LocalBox free;                 ///< points that the rule changes; all others keep their value.
                                 ///< Extends beyond `region` if ghost points change as well
  Change* change = nullptr;      ///< accumulates the last step's change; null: not measured
  /// Second destinations of the region's lower and upper end. The two boxes do not overlap. An
  /// empty box means no second destination.
  std::array<Forward<Real>, 2> forwards{};
};

/// Enqueues `plan.steps` steps of `rule` on pass.region.
///
/// Afterwards pass.out holds on pass.region the result of `plan.steps` steps of the whole field.
/// Each step applies the rule to the points of pass.free; all other points keep their values. If
/// pass.change is set, the norms of the last step's change over region ∩ free are accumulated
/// there.
///
///   SweepPlan const plan = sweep_plans(Backend::cpu, 3, Precision::float64).front();
///   Pass<double> pass{before.view(), after.view(), {}, box, box};
///   sweep(queue, Jacobi3D<double>{{}, {1.0 / 6, 1.0 / 6, 1.0 / 6}}, pass, plan);
///
/// @throws Error  if `in`, `source` or `out` does not cover the points that the pass accesses, or
///   the queue's backend does not know the plan
/// @pre `in` and `out` do not overlap. The halo of `in` holds the neighbours' values.
template <class Rule>
void sweep(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass,
           SweepPlan const& plan);

/// Returns all plans of the backend for rules with constant weights. Plans that the device cannot
/// run are left out (`device` is ignored on the CPU). The first one is the plain plan.
/// @param dimension  2 or 3
std::vector<SweepPlan> sweep_plans(Backend backend, int dimension, Precision precision,
                                   int device = 0);

/// Returns the plans for smoothing rules with constant weights (WeightedRelax), whose steps differ
/// in their relaxation factors.
std::vector<SweepPlan> smoothing_plans(Backend backend, int dimension, Precision precision,
                                       int device = 0);

/// Returns the plans for variable-coefficient rules (Conductances).
std::vector<SweepPlan> heterogeneous_plans(Backend backend, int dimension, Precision precision,
                                           int device = 0);

/// Returns the plans for variable-coefficient smoothing rules (WeightedRelax with
/// SmoothingConductances).
std::vector<SweepPlan> heterogeneous_smoothing_plans(Backend backend, int dimension,
                                                     Precision precision, int device = 0);

}  // namespace isotherm
