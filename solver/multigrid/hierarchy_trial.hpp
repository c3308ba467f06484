#pragma once

#include <cstdint>
#include <string>

#include "decomposition/field/distributed_field.hpp"
#include "decomposition/field/staging/host_staging.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "kernels/core/box.hpp"
#include "solver/multigrid/aggregates/aggregate_messages.hpp"
#include "solver/multigrid/aggregates/node_operator.hpp"

namespace isotherm {

/// Decides once whether coarser grids or aggregates precondition all later systems: solves a system
/// with a random right-hand side. The decision depends on the operator alone, so a resumed run
/// decides alike. Does nothing if it is decided already. Collective.
/// @param unknown   the points where the right-hand side is set
/// @param solution  zero at the call, like `right`; zero again afterwards
template <class Correction, class Real>
void try_coarser_grids(Correction& corrections, Subdomain const& mine, LocalBox const& unknown,
                       DistributedField<Real>& solution, DistributedField<Real>& right) {
  if (!corrections.is_undecided()) return;
  Extent3 const n = mine.grid().points;
  right.evaluate(
      unknown, PointFunction([&mine, n](Index3 p) {
        Index3 const at = mine.to_global(p);
        return 0x1p-63 * static_cast<double>(random_of((at.z * n.y + at.y) * n.x + at.x)) - 1.0;
      }));
  for (std::int64_t cycle = 0; cycle < Correction::cycles_to_decide; ++cycle) {
    corrections.evaluate(solution, right.view(), nullptr);
    corrections.find_correction_by_cycle(cycle, true);
    corrections.correct(solution);
  }
  solution.fill(solution.owned(), Real{0});
  right.fill(right.owned(), Real{0});
  corrections.keep_hierarchy();
}

/// Returns the remark of a run in time on slow grids, which aggregates have replaced or would
/// replace; empty if grids are not slow.
template <class Correction>
std::string remark_on_slow_grids(Correction const& corrections) {
  if (auto const replaced = corrections.rate_of_replaced_grids()) {
    return remark_on_aggregates(*replaced);
  }
  auto const slow = corrections.rate_of_slow_grids();
  return slow ? event_without_aggregates(*slow) : "";
}

}  // namespace isotherm
