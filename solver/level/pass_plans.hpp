#pragma once

#include <string>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/sweep/plan_table.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Thrown if the kernel variant (sweep plan) that the user has named cannot be used.
class PlanRefusal : public InputError {
 public:
  using InputError::InputError;
};

/// The kernel variants that a run uses: the requested one, and ones with fewer steps for the rest
/// of an interval before a check or a stop. All ranks fuse the same number of steps in the same
/// pass.
class PassPlans {
 public:
  /// Chooses the variants. Collective.
  /// @param execution  its `plan` is "auto" or one of sweep_plans_for()
  /// @throws PlanRefusal  on every rank, if there is no such variant, or it fuses more steps than
  ///                      this problem and decomposition allow
  PassPlans(mpi::Communicator const& ranks, Problem const& problem, Subdomain const& subdomain,
            Execution const& execution);

  /// Makes a single variant for methods that do not sweep from check to check.
  explicit PassPlans(SweepPlan const& only) : by_steps_{only} {}

  /// The variant that is used if enough steps are left.
  [[nodiscard]] SweepPlan const& full() const { return by_steps_.back(); }
  /// True if full() comes from the execution's table of measured variants.
  [[nodiscard]] bool from_table() const { return from_table_; }
  /// True if full() keeps the grid on the chip and runs any number of steps in one launch.
  [[nodiscard]] bool resident() const;
  /// Returns a variant of at most `steps` steps; `steps` is at least 1.
  [[nodiscard]] SweepPlan const& at_most(std::int64_t steps) const;

 private:
  std::vector<SweepPlan> by_steps_;  ///< [n − 1]: the variant if n steps are left
  bool from_table_ = false;
};

/// Returns the properties by which variants are chosen. The extent is that of the smallest part, so
/// all ranks with devices of one kind choose the same variant.
SweepSubject sweep_subject(Problem const& problem, Subdomain const& subdomain,
                           Execution const& execution);

}  // namespace isotherm
