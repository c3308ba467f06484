#pragma once

#include "kernels/conduction/transfer.hpp"

namespace isotherm::cuda {

template <class Real>
void gather_flow(Queue& queue, FlowTransfer<Real> const& transfer, FieldView<Real const> fine,
                 FieldView<Real> coarse, LocalBox box);

template <class Real>
void spread_flow(Queue& queue, FlowTransfer<Real> const& transfer, FieldView<Real const> coarse,
                 FieldView<Real> fine, LocalBox box);

}  // namespace isotherm::cuda
