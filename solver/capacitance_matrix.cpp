#include "solver/capacitance_matrix.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "kernels/core/error.hpp"
#include "solver/discretise/flux/heat_flow_meter.hpp"
#include "solver/floating_regions.hpp"
#include "solver/methods.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/solver.hpp"

namespace isotherm {

namespace {

/// Returns the problem of unit values: steady, with nothing given but zeros.
Problem homogeneous(Problem const& problem) {
  Problem zero = without_given_values(problem);
  zero.equation = Equation::laplace;
  return zero;
}

/// Replaces a matrix by the mean of it and its transpose. Errors of the solutions make it
/// unsymmetric.
void symmetrise(std::vector<double>& entries, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double const mean = 0.5 * (entries[i * size + j] + entries[j * size + i]);
      entries[i * size + j] = entries[j * size + i] = mean;
    }
  }
}

}  // namespace

MethodSettings cycles_to(double tolerance, Norm norm) {
  MethodSettings method;
  method.name = "multigrid";
  method.iterations = 200;
  method.check_every = 1;
  method.tolerance = tolerance;
  method.norm = norm;
  return method;
}

CapacitanceMatrix::CapacitanceMatrix(mpi::Communicator const& ranks, Problem const& problem,
                                     Execution const& where, double accuracy) {
  std::vector<std::size_t> const regions = floating_numbers(problem);
  size_ = regions.size();
  entries_.assign(size_ * size_, 0.0);
  Problem const zero = homogeneous(problem);
  MethodSettings method = cycles_to(accuracy, Norm::l2);
  std::int64_t const each = method.iterations;
  method.iterations *= static_cast<std::int64_t>(size_);
  auto const solver = make_solver(ranks, zero, method, where);
  HeatFlowMeter<double> meter(ranks, solver->queue(), solver->subdomain(), zero);
  for (std::size_t j = 0; j < size_; ++j) {
    // The field of the previous conductor is the initial guess.
    std::vector<RegionValue> values{{regions[j], 1.0}};
    if (j > 0) values.push_back({regions[j - 1], 0.0});
    solver->set_region_values(values);
    solver->advance_to(std::min(solver->iteration() + each, method.iterations));
    auto const field = std::get<FieldView<double const>>(solver->field_view());
    HeatFlows const flows = meter.read(field, 0.0);
    for (std::size_t i = 0; i < size_; ++i) entries_[i * size_ + j] = flows.fixed[regions[i]];
  }
  symmetrise(entries_, size_);
}

CapacitanceMatrix::CapacitanceMatrix(std::vector<double> entries)
    : size_(static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(entries.size()))))),
      entries_(std::move(entries)) {
  symmetrise(entries_, size_);
}

std::vector<double> CapacitanceMatrix::solve(std::span<double const> fluxes) const {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  auto const n = static_cast<Eigen::Index>(size_);
  Eigen::LLT<Eigen::MatrixXd> const factors(Eigen::Map<Matrix const>(entries_.data(), n, n));
  require(factors.info() == Eigen::Success,
          "the values of the floating conductors are not determined: their capacitance matrix is "
          "not positive definite (is a conductor enclosed by insulation or by other conductors?)");
  Eigen::VectorXd const values = factors.solve(Eigen::Map<Eigen::VectorXd const>(fluxes.data(), n));
  return {values.begin(), values.end()};
}

std::size_t capacitance_bytes(Problem const& problem, SolverPlan const& plan) {
  // The passes of multigrid do not depend on the ranks.
  Problem const zero = homogeneous(problem);
  MethodSettings const method = cycles_to(1.0, Norm::l2);
  Method const& multigrid = method_named(method.name);
  Execution where = plan.execution;
  where.plan = "auto";
  mpi::Communicator const alone = mpi::Communicator::self();
  SolverPlan const cycles{multigrid.scheme(zero, method), plan.subdomain,
                          multigrid.passes(alone, zero, method, plan.subdomain, where), where};
  // The first estimate of the values needs the sources, too.
  Problem given = with_floating_values(problem);
  given.precision = Precision::float64;
  return multigrid.bytes(given, method, cycles);
}

}  // namespace isotherm
