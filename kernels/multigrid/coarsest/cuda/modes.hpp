#pragma once

#include "kernels/multigrid/coarsest/modes.hpp"

namespace isotherm::cuda {

/// Enqueues the solution by modes, with a single block. See kernels/multigrid/coarsest/modes.hpp.
template <class Real>
void solve_by_modes(Queue& queue, Modes<Real> const& modes, FieldView<Real const> from,
                    FieldView<Real> to, LocalBox box);

}  // namespace isotherm::cuda
