#pragma once

#include "kernels/conduction/correction_flow.hpp"

namespace isotherm::cuda {

/// @tparam Set  SetCorrectionFlow or SetPerTotal
template <class Set>
void set_flow(Queue& queue, Set const& set, LocalBox box);

}  // namespace isotherm::cuda
