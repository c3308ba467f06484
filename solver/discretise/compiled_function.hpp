#pragma once

#include <memory>
#include <utility>

#include "kernels/expressions/program.hpp"
#include "solver/problem/scalar_function.hpp"

namespace isotherm {

/// A ScalarFunction::evaluate that is a compiled expression, so that rows of points can be
/// evaluated in blocks. Its variables are x, y, z, and t or u.
///
///     function.evaluate = CompiledFunction{program};
///     compiled(function)->program->evaluate(variables, values);
struct CompiledFunction {
  std::shared_ptr<expressions::Program const> program;

  double operator()(double x, double y, double z, double t) const {
    return program->evaluate({x, y, z, t, 0.0, 0.0});
  }
};

/// Returns the program of a function; null if it is constant, or not compiled.
inline expressions::Program const* compiled(ScalarFunction const& function) {
  auto const* const found = function.evaluate.target<CompiledFunction>();
  return found == nullptr ? nullptr : found->program.get();
}

}  // namespace isotherm
