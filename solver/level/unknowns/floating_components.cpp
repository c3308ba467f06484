#include "solver/level/unknowns/floating_components.hpp"

#include <algorithm>
#include <cmath>

#include "decomposition/grid/point_name.hpp"
#include "kernels/multigrid/mean.hpp"
#include "solver/discretise/shapes/open_shares.hpp"
#include "solver/level/unknowns/compatibility.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Number of points that are copied to the host in one piece.
constexpr std::int64_t points_at_once = std::int64_t{1} << 20;

}  // namespace

template <class Real>
FloatingComponents<Real>::FloatingComponents(mpi::Communicator const& ranks, Problem const& problem,
                                             Subdomain const& subdomain, Queue& queue)
    : ranks_(&ranks),
      problem_(&problem),
      subdomain_(&subdomain),
      queue_(&queue),
      units_(medium_units(problem)),
      components_(find_floating_components(ranks, problem, subdomain)),
      gives_mean_(!has_given_values(problem)),
      widths_(volume_widths(problem.grid, units_, subdomain.owned_global())),
      staging_(queue, subdomain.extent()) {
  // With one component and a uniform grid, the mean is computed on the device.
  if (gives_mean_ && components_.are_all() && !problem.grid.is_graded()) {
    meter_.emplace(ranks, queue, subdomain);
  }
}

template <class Real>
std::size_t FloatingComponents<Real>::footprint(Problem const& problem, Subdomain const& subdomain,
                                                Backend backend) {
  if (!may_have_null_space(problem)) return 0;
  return HostStaging<Real>::footprint(backend, subdomain.extent()) + FieldSums::footprint(backend);
}

template <class Real>
template <class Visit>
void FloatingComponents<Real>::each_floating(LocalBox chunk, Visit const& visit) const {
  Extent3 const n = subdomain_->extent();
  auto const width = [&](int axis, std::int64_t p) {
    return widths_[axis][static_cast<std::size_t>(p)];
  };
  // A chunk is dense in the staging buffer, so the index counts its points.
  std::size_t index = 0;
  for (std::int64_t k = chunk.lower.z; k < chunk.upper.z; ++k) {
    for (std::int64_t j = chunk.lower.y; j < chunk.upper.y; ++j) {
      double const area = width(1, j) * width(2, k);
      for (std::int64_t i = chunk.lower.x; i < chunk.upper.x; ++i, ++index) {
        std::int32_t const component = components_.of((k * n.y + j) * n.x + i);
        if (component == ConnectedComponents::held) continue;
        double const open = open_share_of_volume(*problem_, subdomain_->to_global(Index3{i, j, k}));
        visit(static_cast<std::size_t>(component), area * width(0, i) * open, index);
      }
    }
  }
}

template <class Real>
std::vector<typename FloatingComponents<Real>::Sums> FloatingComponents<Real>::sums(
    FieldView<Real const> field, bool by_volume) {
  std::vector<Sums> mine(components_.first.size());
  std::vector<Real> values;
  // Values reach the host chunk by chunk, which bounds the memory.
  for (LocalBox const chunk : chunks(subdomain_->owned(), points_at_once)) {
    values.resize(static_cast<std::size_t>(chunk.point_count()));
    staging_.read(*queue_, field, chunk, values.data());
    each_floating(chunk, [&](std::size_t component, double volume, std::size_t index) {
      double const value = static_cast<double>(values[index]) * (by_volume ? volume : 1.0);
      mine[component].signed_sum += value;
      mine[component].absolute_sum += std::abs(value);
      mine[component].volume += volume;
    });
  }
  // Every rank adds the same numbers in the same order, so all have identical sums.
  std::vector<double> numbers;
  for (Sums const& total : mine) {
    numbers.insert(numbers.end(), {total.signed_sum, total.absolute_sum, total.volume});
  }
  std::vector<double> all;
  auto const count = static_cast<std::int64_t>(numbers.size());
  ranks_->all_gather(
      numbers, std::vector<std::int64_t>(static_cast<std::size_t>(ranks_->size()), count), all);
  std::vector<Sums> total(mine.size());
  // Three numbers per component and rank, in the order of ranks.
  for (std::size_t n = 0; n < all.size(); n += 3) {
    Sums& of_component = total[n / 3 % total.size()];
    of_component.signed_sum += all[n];
    of_component.absolute_sum += all[n + 1];
    of_component.volume += all[n + 2];
  }
  return total;
}

template <class Real>
void FloatingComponents<Real>::add(FieldView<Real> field, std::vector<double> const& values,
                                   bool by_volume) {
  // Values are read, changed on the host, and written back.
  staging_.change(*queue_, field, subdomain_->owned(), [&](LocalBox chunk, Real* dense) {
    each_floating(chunk, [&](std::size_t component, double volume, std::size_t index) {
      double const more = values[component] * (by_volume ? volume : 1.0);
      dense[index] = static_cast<Real>(static_cast<double>(dense[index]) + more);
    });
  });
}

template <class Real>
std::string FloatingComponents<Real>::where(std::size_t component) const {
  if (components_.are_all()) return "over the grid";
  return "over the points around " + point_name(problem_->grid, components_.first[component]) +
         " that insulation separates from the others";
}

template <class Real>
std::string FloatingComponents<Real>::make_compatible(FieldView<Real> inflow, double factor) {
  // A flow that is this small relative to its terms is rounding.
  constexpr double rounding = sizeof(Real) == sizeof(float) ? 1e-6 : 1e-12;
  if (components_.first.empty()) return {};
  std::vector<Sums> const totals = sums(inflow, false);
  // Converts a flow in units to one in the case's units.
  double const to_inflow = factor * std::pow(units_.length, problem_->grid.dimension);
  std::string remark;
  std::int64_t projected = 0;
  std::vector<double> taken;
  for (std::size_t component = 0; component < totals.size(); ++component) {
    auto const [sum, absolute_sum, volume] = totals[component];
    // The flow to subtract per volume, even if it is mere rounding.
    taken.push_back(-sum / volume);
    if (std::abs(sum) <= rounding * absolute_sum) continue;
    ++projected;
    // The message describes the first component; the others are counted.
    if (projected > 1) continue;
    remark = remark_on_compatibility(*problem_, sum * to_inflow, sum / volume * factor,
                                     where(component));
  }
  if (projected > 1) {
    remark += "; the same applies to " + std::to_string(projected - 1) + " more separated parts";
  }
  // A pass over memory is saved if nothing has to be subtracted.
  if (std::ranges::any_of(taken, [](double value) { return value != 0.0; })) {
    add(inflow, taken, true);
    // A subtraction may leave rounding alone, whose solution would be noise.
    std::vector<Sums> const left = sums(inflow, false);
    staging_.change(*queue_, inflow, subdomain_->owned(), [&](LocalBox chunk, Real* dense) {
      each_floating(chunk, [&](std::size_t component, double, std::size_t index) {
        double const before = totals[component].absolute_sum;
        if (left[component].absolute_sum <= rounding * before) dense[index] = Real{0};
      });
    });
  }
  return remark;
}

template <class Real>
void FloatingComponents<Real>::set_mean(FieldView<Real> field, double mean) {
  if (!gives_mean_ || components_.first.empty()) return;
  // With a single component the constant is added on the device.
  if (components_.are_all()) {
    return add_constant(*queue_, field, subdomain_->owned(), mean - this->mean(field));
  }
  // Each component has a constant of its own.
  std::vector<double> missing;
  for (Sums const& total : sums(field, true))
    missing.push_back(mean - total.signed_sum / total.volume);
  add(field, missing, false);
}

template <class Real>
double FloatingComponents<Real>::mean(FieldView<Real> field) {
  if (meter_) return meter_->mean(field);
  Sums const total = sums(field, true).front();
  return total.signed_sum / total.volume;
}

template class FloatingComponents<float>;
template class FloatingComponents<double>;

}  // namespace isotherm
