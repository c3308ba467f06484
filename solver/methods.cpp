#include "solver/methods.hpp"

#include <algorithm>
#include <array>

#include "kernels/core/error.hpp"
#include "kernels/core/precision.hpp"
#include "solver/iteration/iteration.hpp"
#include "solver/relaxation/jacobi.hpp"
#include "solver/time/ftcs.hpp"

namespace isotherm {

namespace {

template <class Update, class Operator>
std::unique_ptr<Solver> iterate(SolverRequest const& of,
                                StencilRule<Update, Operator> const& rule) {
  return std::make_unique<Iteration<Update, Operator>>(of.ranks, of.problem, of.method, of.plan,
                                                       static_cast<Update const&>(rule),
                                                       static_cast<Operator const&>(rule));
}

std::unique_ptr<Solver> make_jacobi(SolverRequest const& of) {
  return with_precision(of.problem.precision, [&]<class Real>(Real) {
    return of.problem.grid.dimension == 2 ? iterate(of, jacobi_rule<Real, 2>(of.plan.scheme))
                                          : iterate(of, jacobi_rule<Real, 3>(of.plan.scheme));
  });
}

std::unique_ptr<Solver> make_ftcs(SolverRequest const& of) {
  return with_precision(of.problem.precision, [&]<class Real>(Real) {
    return of.problem.grid.dimension == 2 ? iterate(of, ftcs_rule<Real, 2>(of.plan.scheme))
                                          : iterate(of, ftcs_rule<Real, 3>(of.plan.scheme));
  });
}

constexpr std::array<std::string_view, 1> jacobi_keys{"iterations"};
constexpr std::array<std::string_view, 4> ftcs_keys{"steps", "end_time", "time_step",
                                                    "stable_fraction"};

constexpr std::array all_methods{
    Method{"jacobi", false, "iterations", jacobi_keys, jacobi_scheme, make_jacobi},
    Method{"ftcs", true, "steps or end_time", ftcs_keys, ftcs_scheme, make_ftcs},
};

}  // namespace

std::span<Method const> methods() { return all_methods; }

Method const& method_named(std::string_view name) {
  auto const* const found = std::ranges::find(all_methods, name, &Method::name);
  if (found != all_methods.end()) return *found;
  std::string valid;
  for (Method const& method : all_methods) {
    valid += (valid.empty() ? "" : ", ") + std::string(method.name);
  }
  throw InputError("there is no method \"" + std::string(name) + "\" (there are: " + valid + ")");
}

Method const& default_method(Equation equation) {
  return *std::ranges::find_if(all_methods,
                               [&](Method const& method) { return solves(method, equation); });
}

bool solves(Method const& method, Equation equation) {
  return method.advances_time == (equation == Equation::diffusion);
}

}  // namespace isotherm
