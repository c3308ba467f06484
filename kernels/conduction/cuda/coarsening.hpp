#pragma once

#include "kernels/conduction/coarsening.hpp"

namespace isotherm::cuda {

template <class Real>
void set_omission_weights(Queue& queue, AxisCoarsening const& coarsening,
                          FlowFields<Real const> const& fine, FieldView<Real> weights,
                          LocalBox box);

template <class Real>
void coarsen_flow(Queue& queue, AxisCoarsening const& coarsening,
                  FlowFields<Real const> const& fine, FieldView<Real const> weights,
                  FlowFields<Real> const& coarse, LocalBox box);

}  // namespace isotherm::cuda
