#pragma once

#include "kernels/conduction/point_transfer.hpp"
#include "kernels/core/cpu/points.hpp"

namespace isotherm::cpu {

/// Restricts row by row. See kernels/conduction/transfer.hpp.
template <class Real>
void restrict_residual(HeterogeneousTransfer<Real> const& transfer, FieldView<Real const> fine,
                       FieldView<Real> coarse, LocalBox box) {
  RestrictResidual<Real> const restriction{transfer, fine};
  for_each_point(box, [restriction, coarse](std::int64_t i, std::int64_t j, std::int64_t k) {
    coarse(i, j, k) = restriction(i, j, k);
  });
}

/// Prolongates row by row. See kernels/conduction/transfer.hpp.
template <class Real>
void prolongate_correction(HeterogeneousTransfer<Real> const& transfer,
                           FieldView<Real const> coarse, FieldView<Real> fine, LocalBox box) {
  ProlongateCorrection<Real> const prolongation{transfer, coarse};
  for_each_point(box, [prolongation, fine](std::int64_t i, std::int64_t j, std::int64_t k) {
    fine(i, j, k) += prolongation(i, j, k);
  });
}

}  // namespace isotherm::cpu
