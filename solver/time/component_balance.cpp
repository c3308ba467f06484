#include "solver/time/component_balance.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/core/error.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/level/unknowns/connected_components.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

// Sums are computed in parts, one to a thread or a block of threads.
constexpr std::int64_t longest_row = 8192;   ///< points; enough work for a warp
constexpr std::size_t whole_parts = 1024;    ///< number of parts if one component has all points
constexpr std::size_t smallest_part = 4096;  ///< points, unless the component has fewer

/// Returns true if there may be a fixed point.
bool may_have_fixed_points(Problem const& problem) {
  auto const keeps = [](BoundaryCondition const& boundary_condition) {
    return boundary_condition.kind == BoundaryKind::dirichlet;
  };
  return !problem.medium.fixed.empty() || has_dirichlet_face(problem) ||
         std::ranges::any_of(problem.patches, keeps, &BoundaryPatch::condition);
}

/// Returns true if there may be more than one component, or a component without some of the points.
bool may_have_several(Problem const& problem) {
  return !problem.medium.insulated.empty() || !problem.medium.fixed.empty() ||
         !problem.patches.empty();
}

/// The rows of points of each component, in the order of memory.
class RowLists {
 public:
  explicit RowLists(std::size_t components) : rows(components) {}

  /// Adds a row of points to a component, in pieces of up to longest_row points.
  void add(std::size_t component, Index3 first, std::int64_t count) {
    for (; count > 0; count -= longest_row, first.x += longest_row) {
      rows[component].push_back({static_cast<std::int32_t>(first.x),
                                 static_cast<std::int32_t>(first.y),
                                 static_cast<std::int32_t>(first.z),
                                 static_cast<std::int32_t>(std::min(count, longest_row))});
    }
  }
  /// Adds the runs of equally labelled points along x.
  /// @param labels  the component of each owned point (dense, x fastest), or
  ///                ConnectedComponents::held
  /// @param n       extent of the owned points
  void add_labelled(std::vector<std::int32_t> const& labels, Extent3 n) {
    auto label = labels.begin();
    for (std::int64_t k = 0; k < n.z; ++k) {
      for (std::int64_t j = 0; j < n.y; ++j) {
        for (std::int64_t i = 0; i < n.x;) {
          std::int32_t const component = *label;
          std::int64_t const first = i;
          for (; i < n.x && *label == component; ++i) ++label;
          if (component >= 0) add(static_cast<std::size_t>(component), {first, j, k}, i - first);
        }
      }
    }
  }

  std::vector<std::vector<ComponentRow>> rows;
};

}  // namespace

template <class Real, int dimension>
ComponentBalance<Real, dimension>::ComponentBalance(mpi::Communicator const& ranks,
                                                    Problem const& problem,
                                                    Subdomain const& subdomain, Queue& queue)
    : ranks_(&ranks), queue_(&queue), grid_(subdomain.grid_box()) {
  // The neighbour across a periodic face is a point of the grid, not the outside of a Robin face.
  for (int axis = 0; axis < 3; ++axis) {
    if (!problem.grid.periodic[axis]) continue;
    --grid_.lower[axis];
    ++grid_.upper[axis];
  }
  // Collect the rows of points of each component.
  ConnectedComponents const connected = find_connected_components(ranks, problem, subdomain);
  components_ = connected.first.size();
  RowLists lists(components_);
  if (connected.are_all()) {
    LocalBox const box = unknown_points(problem, subdomain);
    std::int64_t const width = std::max(box.upper.x - box.lower.x, std::int64_t{0});
    for (std::int64_t k = box.lower.z; k < box.upper.z; ++k)
      for (std::int64_t j = box.lower.y; j < box.upper.y; ++j)
        lists.add(0, {box.lower.x, j, k}, width);
  } else if (components_ > 0) {
    lists.add_labelled(connected.component, subdomain.extent());
  }

  // Divide each component's rows into parts of approximately equal size.
  auto const owned = static_cast<std::size_t>(subdomain.owned().point_count());
  std::size_t const enough = std::max(smallest_part, owned / whole_parts);
  std::vector<ComponentRow> rows;
  std::vector<ComponentPart> parts;
  for (std::size_t component = 0; component < components_; ++component) {
    std::size_t points = enough;  // in the last part; the component's first row begins a new one
    for (ComponentRow const& row : lists.rows[component]) {
      if (points >= enough) {
        auto const next = static_cast<std::int32_t>(rows.size());
        parts.push_back({next, next});
        component_of_part_.push_back(component);
        points = 0;
      }
      rows.push_back(row);
      points += static_cast<std::size_t>(row.count);
      ++parts.back().end;
    }
  }
  require(rows.size() <= std::numeric_limits<std::int32_t>::max(),
          "parts separated by insulation have too many rows to count (use more ranks)");
  points_.emplace(queue, rows, parts);
}

template <class Real, int dimension>
std::size_t ComponentBalance<Real, dimension>::footprint(Problem const& problem,
                                                         Subdomain const& subdomain,
                                                         Backend backend) {
  auto const points = static_cast<std::size_t>(subdomain.owned().point_count());
  Extent3 const n = subdomain.extent();
  auto const lines = static_cast<std::size_t>(n.y * n.z);
  std::size_t rows = lines * static_cast<std::size_t>(n.x / longest_row + 1);
  std::size_t parts = std::min(rows, whole_parts + 1);
  if (may_have_several(problem)) {  // rows in pieces of four points, components of 64 points
    rows += points / 4;
    parts += points / 64;
  }
  return ComponentPoints::footprint(backend, rows, parts);
}

template <class Real, int dimension>
bool ComponentBalance<Real, dimension>::is_needed(Problem const& problem) {
  return !may_have_fixed_points(problem) || !problem.medium.insulated.empty();
}

template <class Real, int dimension>
void ComponentBalance<Real, dimension>::set_operator(
    Conductances<Real, dimension> const& conductances, double shift, bool deflates) {
  conductances_ = conductances;
  shift_ = shift;
  deflates_ = deflates;
  if (capacity_.empty()) {  // the sums do not depend on σ
    capacity_ = sums({}, {.capacity = 1.0});
    faces_ = sums({}, {.faces = 1.0});
    links_ = sums({}, {.links = 1.0});
    // A reaction term holds a component, as a fixed point does.
    if (conductances.reaction) reaction_ = sums(conductances.reaction, {.values = 1.0});
  }
  // A balance is kept if no fixed point holds the component, or if directions are deflated.
  balance_is_kept_.assign(components_, false);
  for (std::size_t component = 0; component < components_; ++component) {
    if (faces_[component] + links_[component] > 0.0) leads_out_ = true;
    bool const has_term = !reaction_.empty() && reaction_[component] > 0.0;
    balance_is_kept_[component] =
        !has_term && (deflates || links_[component] == 0.0) && capacity_[component] > 0.0;
  }
  active_ = std::ranges::find(balance_is_kept_, true) != balance_is_kept_.end();
}

template <class Real, int dimension>
std::vector<double> ComponentBalance<Real, dimension>::sums(FieldView<Real const> field,
                                                            ComponentTerms const& terms) {
  ComponentTerm<Real, dimension> const term{conductances_, field, grid_, terms};
  std::vector<double> mine(components_);
  std::span<double const> const of_parts = points_->sums(*queue_, term);
  for (std::size_t part = 0; part < of_parts.size(); ++part) {
    mine[component_of_part_[part]] += of_parts[part];
  }
  return ranks_->sum(std::move(mine));
}

template <class Real, int dimension>
std::vector<double> ComponentBalance<Real, dimension>::balance_sums(FieldView<Real const> field,
                                                                    bool from_zero) {
  // Without links to the outside, the neighbours of points need not be read.
  double const flows = leads_out_ ? 1.0 : 0.0;
  return sums(field, {.capacity = shift_, .faces = flows, .links = flows, .from_zero = from_zero});
}

template <class Real, int dimension>
void ComponentBalance<Real, dimension>::add(FieldView<Real> field,
                                            std::vector<double> const& constants) {
  std::vector<double> of_parts;
  of_parts.reserve(component_of_part_.size());
  for (std::size_t const component : component_of_part_) of_parts.push_back(constants[component]);
  points_->add(*queue_, field, of_parts);
}

template <class Real, int dimension>
void ComponentBalance<Real, dimension>::begin(FieldView<Real const> field, double flows) {
  if (!active_) return;
  double const less = leads_out_ ? -flows : 0.0;
  wanted_ = sums(field, {.capacity = shift_, .faces = less, .links = less});
}

template <class Real, int dimension>
void ComponentBalance<Real, dimension>::add_inflow(FieldView<Real const> source) {
  if (!active_ || !source) return;
  std::vector<double> const inflow = sums(source, {.values = 1.0});
  for (std::size_t component = 0; component < components_; ++component)
    wanted_[component] += inflow[component];
}

template <class Real, int dimension>
void ComponentBalance<Real, dimension>::restore_balance(DistributedField<Real>& field) {
  if (!active_) return;
  // A constant c adds c Σ a to the sum, so (Σ b − Σ a u) / Σ a restores the balance.
  std::vector<double> constants = balance_sums(field.with_halo(), false);
  for (std::size_t component = 0; component < components_; ++component) {
    double const reaction_term =
        shift_ * capacity_[component] + faces_[component] + links_[component];
    double const missing = (wanted_[component] - constants[component]) / reaction_term;
    constants[component] = balance_is_kept_[component] ? missing : 0.0;
  }
  add(field.writable(), constants);
}

template <class Real, int dimension>
void ComponentBalance<Real, dimension>::deflate(FieldView<Real> direction) {
  if (!active_ || !deflates_) return;
  // The homogeneous case: fixed points are 0, and the sum becomes 0.
  std::vector<double> constants = balance_sums(direction, true);
  for (std::size_t component = 0; component < components_; ++component) {
    double const reaction_term =
        shift_ * capacity_[component] + faces_[component] + links_[component];
    constants[component] =
        balance_is_kept_[component] ? -constants[component] / reaction_term : 0.0;
  }
  add(direction, constants);
}

template class ComponentBalance<float, 2>;
template class ComponentBalance<float, 3>;
template class ComponentBalance<double, 2>;
template class ComponentBalance<double, 3>;

}  // namespace isotherm
