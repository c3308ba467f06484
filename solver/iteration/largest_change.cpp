#include "solver/iteration/largest_change.hpp"

#include <cmath>
#include <limits>

namespace isotherm {

double largest_change(mpi::Communicator const& ranks, Change const& of_this_rank) {
  // The sum of squares is NaN if any value was; the largest change alone may miss it.
  bool const finite =
      std::isfinite(of_this_rank.largest) && !std::isnan(of_this_rank.sum_of_squares);
  return ranks.max(finite ? of_this_rank.largest : std::numeric_limits<double>::infinity());
}

}  // namespace isotherm
