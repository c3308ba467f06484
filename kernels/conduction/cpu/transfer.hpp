#pragma once

#include "kernels/conduction/point_transfer.hpp"
#include "kernels/core/cpu/points.hpp"

namespace isotherm::cpu {

/// Restricts row by row. See kernels/conduction/transfer.hpp.
template <class Real>
void gather_flow(FlowTransfer<Real> const& transfer, FieldView<Real const> fine,
                 FieldView<Real> coarse, LocalBox box) {
  GatherFlow<Real> const of{transfer, fine};
  for_each_point(box, [of, coarse](std::int64_t i, std::int64_t j, std::int64_t k) {
    coarse(i, j, k) = of(i, j, k);
  });
}

/// Prolongates row by row.
template <class Real>
void spread_flow(FlowTransfer<Real> const& transfer, FieldView<Real const> coarse,
                 FieldView<Real> fine, LocalBox box) {
  SpreadFlow<Real> const of{transfer, coarse};
  for_each_point(box, [of, fine](std::int64_t i, std::int64_t j, std::int64_t k) {
    fine(i, j, k) += of(i, j, k);
  });
}

}  // namespace isotherm::cpu
