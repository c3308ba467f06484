#pragma once

#include <string>
#include <vector>

#include "kernels/sweep/sweep.hpp"

namespace isotherm::cuda {

/// One way to walk memory on a CUDA device, for one rule.
template <class Rule>
struct Variant {
  std::string name;  ///< unique among the rule's variants; what SweepPlan::name says
  int steps;         ///< steps a pass
  void (*launch)(Queue&, Rule const&, Pass<typename Rule::Real> const&);
  std::string shape{};                    ///< what SweepPlan::shape says
  bool forwards = false;                  ///< writes Pass::forwards itself; else they are copied
                                          ///< afterwards
  bool (*runs_on)(int device) = nullptr;  ///< whether a device is fit for it; null: any is
};

/// One step a pass: the plain variant first, then those that stage tiles on the chip.
template <class Rule>
std::vector<Variant<Rule>> single_step_variants();

/// Several steps a pass.
template <class Rule>
std::vector<Variant<Rule>> temporal_variants();

}  // namespace isotherm::cuda
