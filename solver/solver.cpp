#include "solver/solver.hpp"

#include <algorithm>

#include "solver/iteration/iteration.hpp"
#include "solver/problem/text.hpp"
#include "solver/relaxation/jacobi.hpp"
#include "solver/time/ftcs.hpp"

namespace isotherm {

namespace {

void check_equation(Problem const& problem) {
  bool const diffusion = problem.equation == Equation::diffusion;
  if (problem.equation == Equation::laplace && !problem.source.is_zero()) {
    throw InputError("the laplace equation has no source (use poisson)");
  }
  if (!diffusion && varies_in_time(problem)) {
    throw InputError(std::string("the ") + name(problem.equation) +
                     " equation is steady: its source and boundary values cannot depend on the "
                     "time (use diffusion)");
  }
}

void check_settings(MethodSettings const& method) {
  if (method.iterations < 0 || method.check_every < 0) {
    throw InputError("iterations and check_every cannot be negative");
  }
  if (method.iterations > most_iterations || method.check_every > most_iterations) {
    throw InputError("iterations and check_every can be at most " +
                     std::to_string(most_iterations) + " (2^52)");
  }
  if (!(method.tolerance >= 0.0 && method.tolerance < 1.0)) {
    throw InputError("the tolerance " + shortest(method.tolerance) +
                     " is not between 0 and 1 (it is relative to the first residual)");
  }
  if (method.tolerance > 0.0 && method.check_every == 0) {
    throw InputError("a tolerance needs residuals: check_every must be at least 1");
  }
}

Scheme scheme_of(Problem const& problem, MethodSettings const& method) {
  check_boundary(problem);
  check_equation(problem);
  check_settings(method);
  return method.name == MethodSettings::Name::jacobi ? jacobi_scheme(problem)
                                                     : ftcs_scheme(problem, method.time_step_s);
}

struct Request {
  mpi::Communicator const& ranks;
  Problem const& problem;
  MethodSettings const& method;
  Execution const& execution;
};

template <class Rule>
std::unique_ptr<Solver> build(Request const& of, Rule const& rule, Scheme const& scheme) {
  return std::make_unique<Iteration<Rule>>(of.ranks, of.problem, of.method, of.execution, rule,
                                           scheme);
}

template <class Real, int Dimension>
std::unique_ptr<Solver> build(Request const& of, Scheme const& scheme) {
  if (of.method.name == MethodSettings::Name::jacobi) {
    return build(of, jacobi_rule<Real, Dimension>(scheme), scheme);
  }
  return build(of, ftcs_rule<Real, Dimension>(scheme), scheme);
}

template <class Real>
std::unique_ptr<Solver> build(Request const& of, Scheme const& scheme) {
  return of.problem.grid.dimension == 2 ? build<Real, 2>(of, scheme) : build<Real, 3>(of, scheme);
}

}  // namespace

void check_finite(mpi::Communicator const& ranks, Subdomain const& subdomain,
                  std::optional<Index3> mine, std::string const& what) {
  std::string text;
  if (mine) {
    auto const [x, y, z] = coordinates(subdomain.grid(), subdomain.to_global(*mine));
    text = what + " is not a finite number at x = " + shortest(x) + ", y = " + shortest(y) +
           (subdomain.grid().dimension == 3 ? ", z = " + shortest(z) : "");
  }
  if (!ranks.any(mine.has_value())) return;
  std::vector<std::string> const all = ranks.gather(text);
  auto const first = std::ranges::find_if(all, [](auto const& one) { return !one.empty(); });
  throw InputError(ranks.broadcast(first != all.end() ? *first : std::string()));
}

void check_solvable(Problem const& problem, MethodSettings const& method) {
  (void)scheme_of(problem, method);
}

SweepPlan solver_plan(mpi::Communicator const& ranks, Problem const& problem,
                      Execution const& execution) {
  Subdomain const subdomain(problem.grid, execution.parts, ranks.rank());
  return PassPlans(ranks, problem, subdomain, execution).full();
}

bool plan_is_from_table(mpi::Communicator const& ranks, Problem const& problem,
                        Execution const& execution) {
  Subdomain const subdomain(problem.grid, execution.parts, ranks.rank());
  return PassPlans(ranks, problem, subdomain, execution).from_table();
}

std::vector<SweepPlan> solver_plans(mpi::Communicator const& ranks, Problem const& problem,
                                    Execution const& execution) {
  Subdomain const subdomain(problem.grid, execution.parts, ranks.rank());
  return usable_plans(sweep_subject(problem, subdomain, execution));
}

std::size_t solver_bytes(Problem const& problem, Extent3 owned, SweepPlan const& plan) {
  std::int64_t const depth = plan.steps;
  Index3 const halo{depth, depth, problem.grid.dimension == 3 ? depth : 0};
  std::size_t const element = element_bytes(problem);
  std::size_t const fields = needs_source_field(problem) ? 3 : 2;
  std::size_t const staging = problem.precision == Precision::float32
                                  ? Staging<float>::bytes(owned)
                                  : Staging<double>::bytes(owned);
  return fields * FieldLayout(owned, halo, element).elements * element + staging +
         exchange_bytes(problem, owned, plan.steps) + sizeof(Change);
}

double bytes_per_iteration(Problem const& problem) {
  double const touched = needs_source_field(problem) ? 3.0 : 2.0;
  return touched * static_cast<double>(element_bytes(problem)) *
         static_cast<double>(problem.grid.point_count());
}

std::unique_ptr<Solver> make_solver(mpi::Communicator const& ranks, Problem const& problem,
                                    MethodSettings const& method, Execution const& execution) {
  Scheme const scheme = scheme_of(problem, method);
  Request const request{ranks, problem, method, execution};
  return problem.precision == Precision::float32 ? build<float>(request, scheme)
                                                 : build<double>(request, scheme);
}

}  // namespace isotherm
