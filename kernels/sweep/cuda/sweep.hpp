#pragma once

#include "kernels/sweep/sweep.hpp"

namespace isotherm::cuda {

/// Enqueues a pass by the given plan, and copies Pass::forwards unless its kernel writes them.
/// @throws Error  if `plan` is not one of plans<Rule>() for the queue's device
template <class Rule>
void sweep(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass,
           SweepPlan const& plan);

/// Returns this build's plans for a rule that the device can run, the plain plan first. Returns all
/// of them if there is no device.
template <class Rule>
std::vector<SweepPlan> plans(int device);

}  // namespace isotherm::cuda
