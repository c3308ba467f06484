#pragma once

#include "kernels/conduction/point_transfer.hpp"
#include "kernels/core/cpu/rows.hpp"

namespace isotherm::cpu {

template <class Real>
void gather_flow(FlowTransfer<Real> const& transfer, FieldView<Real const> fine,
                 FieldView<Real> coarse, LocalBox box) {
  GatherFlow<Real> const of{transfer, fine};
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) coarse(i, j, k) = of(i, j, k);
  });
}

template <class Real>
void spread_flow(FlowTransfer<Real> const& transfer, FieldView<Real const> coarse,
                 FieldView<Real> fine, LocalBox box) {
  SpreadFlow<Real> const of{transfer, coarse};
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) fine(i, j, k) += of(i, j, k);
  });
}

}  // namespace isotherm::cpu
