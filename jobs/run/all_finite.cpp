#include "jobs/run/all_finite.hpp"

#include <algorithm>
#include <cmath>

namespace isotherm {

bool all_finite(mpi::Communicator const& ranks, ConstValues values) {
  bool const mine = std::visit(
      [](auto const numbers) {
        return std::ranges::all_of(numbers, [](auto value) { return std::isfinite(value); });
      },
      values);
  return !ranks.any(!mine);
}

}  // namespace isotherm
