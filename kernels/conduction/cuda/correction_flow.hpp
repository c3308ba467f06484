#pragma once

#include "kernels/conduction/correction_flow.hpp"

namespace isotherm::cuda {

template <class From, class To, int dimension>
void set_correction_flow(Queue& queue, SetCorrectionFlow<From, To, dimension> const& set,
                         LocalBox box);

}  // namespace isotherm::cuda
