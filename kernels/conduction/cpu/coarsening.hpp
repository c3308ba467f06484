#pragma once

#include "kernels/conduction/point_coarsening.hpp"
#include "kernels/core/cpu/rows.hpp"

namespace isotherm::cpu {

template <class Real>
void set_omission_weights(AxisCoarsening const& coarsening, FlowFields<Real const> const& fine,
                          FieldView<Real> weights, LocalBox box) {
  OmissionWeight<Real> const of{{coarsening, fine, {}}};
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) weights(i, j, k) = of(i, j, k);
  });
}

template <class Real>
void coarsen_flow(AxisCoarsening const& coarsening, FlowFields<Real const> const& fine,
                  FieldView<Real const> weights, FlowFields<Real> const& coarse, LocalBox box) {
  SetCoarseFlow<Real> const set{{{coarsening, fine, weights}}, coarse};
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) set(i, j, k);
  });
}

}  // namespace isotherm::cpu
