#pragma once

#include <string>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/sweep/plan_table.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// The plan that was asked for is not to be had.
class PlanRefusal : public InputError {
 public:
  using InputError::InputError;
};

/// The plans that a run uses: the one it asked for, and shorter ones for what is left before a
/// check or a stop. All ranks take the same number of steps in the same pass.
class PassPlans {
 public:
  /// Collective.
  /// @param execution  of which `plan` is "auto" or one of sweep_plans_for()
  /// @throws PlanRefusal  where there is no such plan, or it takes more steps a pass than this
  ///                     problem and decomposition allow
  PassPlans(mpi::Communicator const& ranks, Problem const& problem, Subdomain const& subdomain,
            Execution const& execution);

  /// One plan for whatever is left, for methods that do not sweep from check to check.
  explicit PassPlans(SweepPlan const& only) : by_steps_{only} {}

  /// The plan that is used where enough steps are left.
  [[nodiscard]] SweepPlan const& full() const { return by_steps_.back(); }
  /// True where full() is of the execution's table.
  [[nodiscard]] bool from_table() const { return from_table_; }
  /// True where full() takes as many steps as are wanted in one go.
  [[nodiscard]] bool resident() const;
  /// A plan of at most `steps` steps, at least 1.
  [[nodiscard]] SweepPlan const& at_most(std::int64_t steps) const;

 private:
  std::vector<SweepPlan> by_steps_;  ///< [n − 1]: the plan where n steps are left
  bool from_table_ = false;
};

/// What plans are chosen for: the smallest rank's share, so that all ranks choose alike.
SweepSubject sweep_subject(Problem const& problem, Subdomain const& subdomain,
                           Execution const& execution);

}  // namespace isotherm
