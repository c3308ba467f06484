#include "app/run/all_finite.hpp"

#include "kernels/core/finite.hpp"

namespace isotherm::app {

bool all_finite(mpi::Communicator const& ranks, ConstValues values) {
  // The overload for a span checks this rank's values only.
  bool const mine = std::visit(
      []<class Real>(std::span<Real> numbers) {
        return isotherm::all_finite(std::span<Real const>(numbers));
      },
      values);
  // A logical OR over the ranks of "some value is not finite".
  return !ranks.any(!mine);
}

}  // namespace isotherm::app
