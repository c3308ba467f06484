#include "solver/time/island_balance.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/core/error.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/level/unknowns/free_points.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

// Sums are computed in parts, one to a thread or a block of threads.
constexpr std::int64_t longest_row = 8192;   ///< points; enough work for a warp
constexpr std::size_t whole_parts = 1024;    ///< number of parts if one island has all points
constexpr std::size_t smallest_part = 4096;  ///< points, unless the island has fewer

/// Returns true if there may be a fixed point.
bool may_keep_values(Problem const& problem) {
  auto const keeps = [](BoundaryCondition const& of) { return of.kind == BoundaryKind::dirichlet; };
  return !problem.body.fixed.empty() || has_dirichlet_face(problem) ||
         std::ranges::any_of(problem.patches, keeps, &BoundaryPatch::condition);
}

/// Returns true if there may be more than one island, or an island without some of the points.
bool may_have_several(Problem const& problem) {
  return !problem.body.insulated.empty() || !problem.body.fixed.empty() || !problem.patches.empty();
}

/// The rows of points of each island, in the order of memory.
class RowLists {
 public:
  explicit RowLists(std::size_t islands) : rows(islands) {}

  /// Adds a row of points to an island, in pieces of up to longest_row points.
  void add(std::size_t island, Index3 first, std::int64_t count) {
    for (; count > 0; count -= longest_row, first.x += longest_row) {
      rows[island].push_back({static_cast<std::int32_t>(first.x),
                              static_cast<std::int32_t>(first.y),
                              static_cast<std::int32_t>(first.z),
                              static_cast<std::int32_t>(std::min(count, longest_row))});
    }
  }
  /// Adds the runs of equally labelled points along x.
  /// @param labels  the island of each owned point (dense, x fastest), or FreePoints::held
  /// @param n       owned points
  void add_labelled(std::vector<std::int32_t> const& labels, Extent3 n) {
    auto label = labels.begin();
    for (std::int64_t k = 0; k < n.z; ++k) {
      for (std::int64_t j = 0; j < n.y; ++j) {
        for (std::int64_t i = 0; i < n.x;) {
          std::int32_t const island = *label;
          std::int64_t const first = i;
          for (; i < n.x && *label == island; ++i) ++label;
          if (island >= 0) add(static_cast<std::size_t>(island), {first, j, k}, i - first);
        }
      }
    }
  }

  std::vector<std::vector<IslandRow>> rows;
};

}  // namespace

template <class Real, int dimension>
IslandBalance<Real, dimension>::IslandBalance(mpi::Communicator const& ranks,
                                              Problem const& problem, Subdomain const& subdomain,
                                              Queue& queue)
    : ranks_(&ranks), queue_(&queue), grid_(subdomain.whole()) {
  // The neighbour across a periodic face is a point of the grid, not the outside of a Robin face.
  for (int axis = 0; axis < 3; ++axis) {
    if (!problem.grid.periodic[axis]) continue;
    --grid_.lower[axis];
    ++grid_.upper[axis];
  }
  FreePoints const connected = find_connected_points(ranks, problem, subdomain);
  islands_ = connected.first.size();
  RowLists lists(islands_);
  if (connected.are_all()) {
    LocalBox const box = unknown_points(problem, subdomain);
    std::int64_t const width = std::max(box.upper.x - box.lower.x, std::int64_t{0});
    for (std::int64_t k = box.lower.z; k < box.upper.z; ++k)
      for (std::int64_t j = box.lower.y; j < box.upper.y; ++j)
        lists.add(0, {box.lower.x, j, k}, width);
  } else if (islands_ > 0) {
    lists.add_labelled(connected.island, subdomain.extent());
  }

  // Cut each island's rows into parts of about equal size.
  auto const owned = static_cast<std::size_t>(subdomain.owned().point_count());
  std::size_t const enough = std::max(smallest_part, owned / whole_parts);
  std::vector<IslandRow> rows;
  std::vector<IslandPart> parts;
  for (std::size_t island = 0; island < islands_; ++island) {
    std::size_t points = enough;  // in the last part; the island's first row begins a new one
    for (IslandRow const& row : lists.rows[island]) {
      if (points >= enough) {
        auto const next = static_cast<std::int32_t>(rows.size());
        parts.push_back({next, next});
        island_of_part_.push_back(island);
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
std::size_t IslandBalance<Real, dimension>::footprint(Problem const& problem,
                                                      Subdomain const& subdomain, Backend backend) {
  auto const points = static_cast<std::size_t>(subdomain.owned().point_count());
  Extent3 const n = subdomain.extent();
  auto const lines = static_cast<std::size_t>(n.y * n.z);
  std::size_t rows = lines * static_cast<std::size_t>(n.x / longest_row + 1);
  std::size_t parts = std::min(rows, whole_parts + 1);
  if (may_have_several(problem)) {  // rows in pieces of four points, islands of 64 points
    rows += points / 4;
    parts += points / 64;
  }
  return IslandPoints::footprint(backend, rows, parts);
}

template <class Real, int dimension>
bool IslandBalance<Real, dimension>::may_keep_heat(Problem const& problem) {
  return !may_keep_values(problem) || !problem.body.insulated.empty();
}

template <class Real, int dimension>
void IslandBalance<Real, dimension>::set_operator(Conductances<Real, dimension> const& of,
                                                  double shift, bool deflates) {
  of_ = of;
  shift_ = shift;
  deflates_ = deflates;
  if (capacity_.empty()) {  // the sums do not depend on σ
    capacity_ = sums({}, {.capacity = 1.0});
    faces_ = sums({}, {.faces = 1.0});
    links_ = sums({}, {.links = 1.0});
  }
  kept_.assign(islands_, false);
  for (std::size_t island = 0; island < islands_; ++island) {
    if (faces_[island] + links_[island] > 0.0) leads_out_ = true;
    kept_[island] = (deflates || links_[island] == 0.0) && capacity_[island] > 0.0;
  }
  active_ = std::ranges::find(kept_, true) != kept_.end();
}

template <class Real, int dimension>
std::vector<double> IslandBalance<Real, dimension>::sums(FieldView<Real const> field,
                                                         IslandTerms const& terms) {
  IslandTerm<Real, dimension> const term{of_, field, grid_, terms};
  std::vector<double> mine(islands_);
  std::span<double const> const of_parts = points_->sums(*queue_, term);
  for (std::size_t part = 0; part < of_parts.size(); ++part) {
    mine[island_of_part_[part]] += of_parts[part];
  }
  return ranks_->sum(std::move(mine));
}

template <class Real, int dimension>
std::vector<double> IslandBalance<Real, dimension>::held(FieldView<Real const> field,
                                                         bool from_zero) {
  // Without links to the outside, the neighbours of points need not be read.
  double const flows = leads_out_ ? 1.0 : 0.0;
  return sums(field, {.capacity = shift_, .faces = flows, .links = flows, .from_zero = from_zero});
}

template <class Real, int dimension>
void IslandBalance<Real, dimension>::add(FieldView<Real> field,
                                         std::vector<double> const& constants) {
  std::vector<double> of_parts;
  of_parts.reserve(island_of_part_.size());
  for (std::size_t const island : island_of_part_) of_parts.push_back(constants[island]);
  points_->add(*queue_, field, of_parts);
}

template <class Real, int dimension>
void IslandBalance<Real, dimension>::begin(FieldView<Real const> field, double flows) {
  if (!active_) return;
  double const less = leads_out_ ? -flows : 0.0;
  wanted_ = sums(field, {.capacity = shift_, .faces = less, .links = less});
}

template <class Real, int dimension>
void IslandBalance<Real, dimension>::add_inflow(FieldView<Real const> source) {
  if (!active_ || !source) return;
  std::vector<double> const inflow = sums(source, {.values = 1.0});
  for (std::size_t island = 0; island < islands_; ++island) wanted_[island] += inflow[island];
}

template <class Real, int dimension>
void IslandBalance<Real, dimension>::settle(DistributedField<Real>& field) {
  if (!active_) return;
  std::vector<double> constants = held(field.with_halo(), false);
  for (std::size_t island = 0; island < islands_; ++island) {
    double const absorbed = shift_ * capacity_[island] + faces_[island] + links_[island];
    double const missing = (wanted_[island] - constants[island]) / absorbed;
    constants[island] = kept_[island] ? missing : 0.0;
  }
  add(field.writable(), constants);
}

template <class Real, int dimension>
void IslandBalance<Real, dimension>::deflate(FieldView<Real> direction) {
  if (!active_ || !deflates_) return;
  std::vector<double> constants = held(direction, true);
  for (std::size_t island = 0; island < islands_; ++island) {
    double const absorbed = shift_ * capacity_[island] + faces_[island] + links_[island];
    constants[island] = kept_[island] ? -constants[island] / absorbed : 0.0;
  }
  add(direction, constants);
}

template class IslandBalance<float, 2>;
template class IslandBalance<float, 3>;
template class IslandBalance<double, 2>;
template class IslandBalance<double, 3>;

}  // namespace isotherm
