#pragma once

#include <string>
#include <vector>

#include "kernels/sweep/sweep.hpp"

namespace isotherm::cuda {

/// A kernel variant on CUDA for one rule: a plan and the function that launches its kernels.
template <class Rule>
struct Variant {
  std::string name;  ///< SweepPlan::name; unique among the rule's variants
  int steps;         ///< steps per pass
  void (*launch)(Queue&, Rule const&, Pass<typename Rule::Real> const&);
  std::string shape{};    ///< SweepPlan::shape
  bool forwards = false;  ///< whether the kernel writes Pass::forwards itself; if not, they are
                          ///< copied afterwards
  /// whether a device supports the variant; null: every device does
  bool (*runs_on)(int device) = nullptr;
};

/// Returns the variants of one step per pass: the plain one first, then the one that is tuned for
/// the rule's kind of coefficients.
template <class Rule>
std::vector<Variant<Rule>> single_step_variants();

/// Returns the variants of several steps per pass (temporal blocking).
template <class Rule>
std::vector<Variant<Rule>> temporal_variants();

}  // namespace isotherm::cuda
