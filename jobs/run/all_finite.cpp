#include "jobs/run/all_finite.hpp"

#include "kernels/core/finite.hpp"

namespace isotherm {

bool all_finite(mpi::Communicator const& ranks, ConstValues values) {
  bool const mine = std::visit(
      []<class Real>(std::span<Real> numbers) {
        return all_finite(std::span<Real const>(numbers));
      },
      values);
  return !ranks.any(!mine);
}

}  // namespace isotherm
