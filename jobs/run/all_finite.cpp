#include "jobs/run/all_finite.hpp"

#include <algorithm>
#include <cmath>

#include "solver/problem/with_precision.hpp"

namespace isotherm {

bool all_finite(mpi::Communicator const& ranks, Precision precision, void const* values,
                std::size_t count) {
  bool mine = true;
  with_precision(precision, [&]<class Real>(Real) {
    auto const* const first = static_cast<Real const*>(values);
    mine = std::all_of(first, first + count, [](Real value) { return std::isfinite(value); });
  });
  return !ranks.any(!mine);
}

}  // namespace isotherm
