#include "solver/iteration/solver_interface.hpp"

#include <algorithm>

namespace isotherm {

double allowed_residual(MethodSettings const& method, SolverState const& state) {
  return std::max(method.tolerance * state.reference.value_or(0.0), method.absolute_tolerance);
}

}  // namespace isotherm
