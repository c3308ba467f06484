#include "solver/floating_steps.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "decomposition/field/distributed_field.hpp"
#include "decomposition/ranks/exact_totals.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/exact_sum.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/finite_volumes.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/methods.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/solver.hpp"

namespace isotherm {

namespace {

/// The method that the equations of conductors are derived for.
constexpr char const* only_method = "backward_euler";

/// Returns the settings of single steps from 0.
MethodSettings settings_of_responses(HierarchyKind hierarchy, double step_s) {
  MethodSettings method;
  method.name = only_method;
  method.iterations = 1;
  method.time_step_s = step_s;
  method.check_every = 0;
  method.step_tolerance = 1e-11;
  method.multigrid.hierarchy = hierarchy;
  return method;
}

/// Returns a value as a field of this precision stores it, so that a resumed run finds the same.
double stored(double value, Precision precision) {
  return precision == Precision::float32 ? static_cast<double>(static_cast<float>(value)) : value;
}

/// Returns Σ c V and Σ c V u over the points of each conductor, one after the other.
/// @param field  this rank's points, x fastest
template <class Real>
std::vector<ExactSum> heat_of(Problem const& problem, Subdomain const& subdomain,
                              std::vector<std::size_t> const& numbers,
                              std::span<Real const> field) {
  std::vector<ExactSum> sums(2 * numbers.size());
  Extent3 const n = subdomain.extent();
  std::vector<int> constraints(static_cast<std::size_t>(n.x));
  auto value = field.begin();
  for (Index3 local; local.z < n.z; ++local.z) {
    for (local.y = 0; local.y < n.y; ++local.y) {
      Index3 global = subdomain.to_global(local);
      find_constraints(problem, global, constraints);
      for (int const constraint : constraints) {
        auto const u = static_cast<double>(*value++);
        auto const found = std::ranges::find(
            numbers, static_cast<std::size_t>(std::max(constraint - constraint::first_region, -1)));
        if (found != numbers.end()) {
          double const heat = value_at(problem.medium.capacity, problem.grid, global) *
                              volume(problem.grid, MediumUnits{}, global);
          auto const i = static_cast<std::size_t>(found - numbers.begin());
          sums[2 * i].add(heat);
          sums[2 * i + 1].add(heat * u);
        }
        ++global.x;
      }
    }
  }
  return sums;
}

}  // namespace

FloatingSteps::FloatingSteps(mpi::Communicator const& ranks, Problem problem, MethodSettings method,
                             SolverPlan const& plan)
    : ranks_(ranks.get()),
      problem_(std::move(problem)),
      method_(std::move(method)),
      where_(of_auxiliary_cycles(plan.execution)),
      steps_(time_steps_of(method_)),
      regions_(ranks_, problem_, plan.subdomain),
      values_(regions_.size(), 0.0) {
  SolverPlan shared = plan;
  shared.execution = with_half_of_spare(plan.execution);
  solver_ = make_solver(ranks_, with_floating_values(problem_), method_, shared);
  std::vector<double> const initial = initial_field();
  begin_with_means(std::span(initial));
}

std::vector<double> FloatingSteps::initial_field() {
  FieldSpace<double> space(ranks_, subdomain(), queue(), {}, TransportKind::automatic);
  DistributedField<double> field(space);
  set_initial_values(problem_, queue(), field);
  std::vector<double> values(static_cast<std::size_t>(subdomain().owned().point_count()));
  field.read(std::span(values));
  return values;
}

void FloatingSteps::begin_with_means(ConstValues field) {
  std::vector<double> const totals = exact_totals(
      ranks_, std::visit(
                  [&]<class Real>(std::span<Real const> values) {
                    return heat_of<Real>(problem_, subdomain(), regions_.numbers(), values);
                  },
                  field));
  capacities_.clear();
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    capacities_.push_back(totals[2 * i]);
    values_[i] = stored(totals[2 * i + 1] / totals[2 * i], problem_.precision);
  }
  solver_->set_region_values(regions_.paired(values_));
}

void FloatingSteps::advance_to(std::int64_t iteration) {
  while (solver_->iteration() < iteration) {
    std::int64_t const next = solver_->iteration() + 1;
    solver_->advance_to(next);
    if (solver_->iteration() < next) return;
    correct(steps_.step_to(next));
  }
  // Checks the corrected field, if it is due.
  solver_->advance_to(iteration);
}

void FloatingSteps::correct(double step_s) {
  if (!responses_ || responses_->step_s != step_s) {
    responses_.reset();
    responses_.emplace(respond(step_s));
  }
  HeatFlows const flows = measure();
  // The values have not changed in this step yet, nor has the heat that conductors store.
  std::vector<double> missing;
  for (std::size_t const number : regions_.numbers()) {
    missing.push_back(*problem_.medium.fixed[number].floating_flux - flows.fixed[number]);
  }
  std::vector<double> const changes = responses_->matrix.solve(missing);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    values_[i] = stored(values_[i] + changes[i], problem_.precision);
  }
  add_responses(changes);
}

void FloatingSteps::add_responses(std::vector<double> const& changes) {
  keep_earlier_residuals();
  auto const count = static_cast<std::size_t>(subdomain().owned().point_count());
  HostValues field(problem_.precision, count);
  solver_->read_field(field.view());
  std::visit(
      [&]<class Real>(std::span<Real> values) {
        for (std::size_t p = 0; p < count; ++p) {
          auto sum = static_cast<double>(values[p]);
          for (std::size_t i = 0; i < changes.size(); ++i) {
            sum += changes[i] * responses_->fields[i][p];
          }
          values[p] = static_cast<Real>(sum);
        }
      },
      field.view());
  solver_->restore(std::as_const(field).view(), solver_->state());
  solver_->set_region_values(regions_.paired(values_));
}

FloatingSteps::Responses FloatingSteps::respond(double step_s) {
  Problem const zero = without_given_values(problem_);
  // Also when a run resumes, w has the bits that the hierarchy of the steps gives it.
  MethodSettings const method = settings_of_responses(solver_->state().hierarchy, step_s);
  auto const solver = make_solver(ranks_, zero, method, where_);
  auto const count = static_cast<std::size_t>(solver->subdomain().owned().point_count());
  HeatFlowMeter<double> meter(ranks_, solver->queue(), solver->subdomain(), zero);
  std::size_t const size = regions_.size();
  std::vector<double> entries(size * size), unit(size, 0.0);
  std::vector<std::vector<double>> fields(size, std::vector<double>(count, 0.0));
  for (std::size_t j = 0; j < size; ++j) {
    solver->set_initial(std::span<double const>(fields[j]));
    unit[j] = 1.0;
    solver->set_region_values(regions_.paired(unit));
    unit[j] = 0.0;
    solver->advance_to(1);
    solver->read_field(std::span<double>(fields[j]));
    HeatFlows const flows =
        meter.read(std::get<FieldView<double const>>(solver->field_view()), solver->time_s());
    for (std::size_t i = 0; i < size; ++i) {
      entries[i * size + j] = flows.fixed[regions_.numbers()[i]];
    }
    entries[j * size + j] += capacities_[j] / step_s;
  }
  return {step_s, std::move(fields), CapacitanceMatrix(std::move(entries))};
}

/// Measures the flows of the present field. The meter is kept for the next call.
HeatFlows FloatingSteps::measure() {
  if (!meter_) {
    meter_ = std::visit(
        [&]<class Real>(FieldView<Real const>) {
          auto meter =
              std::make_shared<HeatFlowMeter<Real>>(ranks_, queue(), subdomain(), problem_);
          return std::function<HeatFlows()>([meter, this] {
            return meter->read(std::get<FieldView<Real const>>(solver_->field_view()), time_s());
          });
        },
        solver_->field_view());
  }
  return meter_();
}

void FloatingSteps::restore(ConstValues values, SolverState const& state) {
  values_ = regions_.values_in(ranks_, values);
  solver_->set_region_values(regions_.paired(values_));
  earlier_.clear();
  solver_->restore(values, state);
}

void FloatingSteps::set_initial(ConstValues values) {
  solver_->set_initial(values);
  earlier_.clear();
  begin_with_means(values);
}

std::vector<FloatingConductor> FloatingSteps::floating_conductors() {
  HeatFlows const flows = measure();
  return regions_.conductors(problem_, values_, flows.fixed);
}

void check_floating_steps(Problem const& problem, MethodSettings const& method) {
  if (method.name != only_method) {
    throw SettingError("name", "is \"" + method.name +
                                   "\", but time steps with a floating conductor need \"" +
                                   only_method + '"');
  }
  if (method.adaptive.tolerance > 0.0) {
    throw SettingError("time_tolerance",
                       "does not apply to time steps with a floating conductor (give time_step)");
  }
  if (has_tolerance(method)) {
    throw SettingError("tolerance",
                       "does not apply to time steps with a floating conductor (give end_time or "
                       "steps)");
  }
  if (is_nonlinear(problem)) {
    throw InputError(
        "time steps with a floating conductor need coefficients that do not depend on u or t (in "
        "place of the conductor, give its region a material of high conductivity)");
  }
}

std::size_t floating_steps_bytes(Problem const& problem, MethodSettings const& given,
                                 SolverPlan const& plan) {
  Problem const zero = without_given_values(problem);
  MethodSettings const method =
      settings_of_responses(given.multigrid.hierarchy, step_lengths(given).second);
  Method const& row = method_named(method.name);
  Execution const where = of_auxiliary_cycles(plan.execution);
  mpi::Communicator const alone = mpi::Communicator::self();
  SolverPlan const steps{row.scheme(zero, method), plan.subdomain,
                         row.passes(alone, zero, method, plan.subdomain, where), where};
  std::size_t const bytes = row.bytes(zero, method, steps);
  if (where.backend != Backend::cpu) return bytes;
  // The fields w, and a copy of the field.
  std::size_t const fields = floating_numbers(problem).size() + 1;
  auto const points = static_cast<std::size_t>(plan.subdomain.owned().point_count());
  return sum_of_bytes(bytes, product_of_bytes(fields * sizeof(double), points));
}

}  // namespace isotherm
