#pragma once

#include "kernels/sweep/sweep.hpp"

namespace isotherm::cuda {

/// @throws Error  if `plan` is not one of plans<Rule>() for the queue's device
template <class Rule>
void sweep(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass,
           SweepPlan const& plan);

/// What this build has for a rule and a device can run; the plain plan first. All of it where there
/// is no device.
template <class Rule>
std::vector<SweepPlan> plans(int device);

}  // namespace isotherm::cuda
