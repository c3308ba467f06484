#include "solver/multigrid/aggregates/grid_operator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// Finds the owners of points of the grid.
class PointOwners {
 public:
  explicit PointOwners(mpi::Communicator const& ranks, Subdomain const& mine) {
    boxes_.push_back(mine.owned_global());
    ranks_.push_back(ranks.size() > 1 ? mine.rank() : 0);
    if (ranks.size() == 1) return;
    for (int rank = 0; rank < ranks.size(); ++rank) {
      if (rank == mine.rank()) continue;
      boxes_.push_back(mine.of_rank(rank).owned_global());
      ranks_.push_back(rank);
    }
  }
  /// Returns the address of a point. @pre  It lies in the grid.
  [[nodiscard]] NodeAddress address(Index3 p) const {
    std::size_t part = 0;
    while (!contains(part, p)) ++part;
    Index3 const from = p - boxes_[part].lower;
    Extent3 const n = boxes_[part].extent();
    return {ranks_[part], static_cast<std::int32_t>((from.z * n.y + from.y) * n.x + from.x)};
  }

 private:
  [[nodiscard]] bool contains(std::size_t part, Index3 p) const {
    GlobalBox const& box = boxes_[part];
    for (int axis = 0; axis < 3; ++axis) {
      if (p[axis] < box.lower[axis] || p[axis] >= box.upper[axis]) return false;
    }
    return true;
  }
  std::vector<GlobalBox> boxes_{};  ///< this rank's first
  std::vector<std::int32_t> ranks_{};
};

/// Makes the rows of a rank's points.
template <class Real>
class GridRows {
 public:
  GridRows(Subdomain const& subdomain, OperatorFields<Real const> const& fields)
      : subdomain_(&subdomain), fields_(&fields), along_{fields.x, fields.y, fields.z} {}

  /// Calls link(neighbour, conductance) for the neighbours of a point that are unknowns, and adds
  /// up what holds the point.
  /// @param p  local index
  template <class Link>
  [[nodiscard]] Real visit(Index3 p, Link const& link) const {
    if (is_marked(p)) return Real{0};
    Grid const& grid = subdomain_->grid();
    Real hold = fields_->reaction(p.x, p.y, p.z);
    for (int axis = 0; axis < grid.dimension; ++axis) {
      if (grid.points[axis] == 1) continue;
      for (int const step : {-1, 1}) {
        Index3 q = p;
        q[axis] += step;
        Index3 global = subdomain_->to_global(q);
        if (!enter(global, axis)) continue;
        Real const g = conductance(axis, step < 0 ? q : p);
        if (g == Real{0}) continue;
        if (is_marked(q)) {
          hold += g;
        } else {
          link(global, g);
        }
      }
    }
    return hold;
  }
  [[nodiscard]] bool is_marked(Index3 p) const { return std::signbit(along_[0](p.x, p.y, p.z)); }

 private:
  [[nodiscard]] Real conductance(int axis, Index3 p) const {
    return std::abs(along_[static_cast<std::size_t>(axis)](p.x, p.y, p.z));
  }
  /// Wraps a global index on a periodic axis. Returns false if it lies beyond the grid.
  [[nodiscard]] bool enter(Index3& global, int axis) const {
    Grid const& grid = subdomain_->grid();
    std::int64_t const n = grid.points[axis];
    if (global[axis] >= 0 && global[axis] < n) return true;
    if (!grid.periodic[axis]) return false;
    global[axis] = (global[axis] + n) % n;
    return true;
  }

  Subdomain const* subdomain_;
  OperatorFields<Real const> const* fields_;
  std::array<FieldView<Real const>, 3> along_;
};

/// Returns the point of a box with this number, x fastest.
Index3 point_of(LocalBox const& box, std::size_t number) {
  auto const at = static_cast<std::int64_t>(number);
  Extent3 const n = box.extent();
  return box.lower + Index3{at % n.x, at / n.x % n.y, at / n.x / n.y};
}

/// Returns the points of other ranks that the rows of a rank's points refer to, with repetitions.
/// @param self  the rank's number in addresses
template <class Real>
std::vector<NodeAddress> ghosts_of(LocalBox const& owned, GridRows<Real> const& rows,
                                   PointOwners const& owners, std::int32_t self) {
  auto const count = static_cast<std::size_t>(owned.point_count());
  std::vector<std::vector<NodeAddress>> parts((count + numbers_of_part - 1) / numbers_of_part);
  for_each_number(count, [&](std::size_t number) {
    (void)rows.visit(point_of(owned, number), [&](Index3 q, Real) {
      NodeAddress const address = owners.address(q);
      if (address.rank != self) parts[number / numbers_of_part].push_back(address);
    });
  });
  std::vector<NodeAddress> all;
  for (auto const& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// The links of a point.
template <class Real>
struct PointLinks {
  std::array<std::size_t, 6> node{};
  std::array<Real, 6> value{};
  std::size_t count = 0;

  void add(std::size_t to, Real conductance) {
    // Two points of a periodic axis are linked on both sides.
    std::size_t at = 0;
    while (at < count && node[at] != to) ++at;
    node[at] = to;
    value[at] -= conductance;
    count = std::max(count, at + 1);
  }
};

}  // namespace

template <class Real>
NodeOperator<Real> grid_operator(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                 OperatorFields<Real const> const& fields) {
  LocalBox const owned = subdomain.owned();
  bool const are_too_many = owned.point_count() >= std::numeric_limits<std::int32_t>::max();
  require(
      !ranks.any(are_too_many),
      "a hierarchy of aggregates takes fewer than 2^31 - 1 points of a rank (use more ranks, or "
      "hierarchy = \"grids\")");
  auto const count = static_cast<std::size_t>(owned.point_count());
  GridRows<Real> const rows(subdomain, fields);
  PointOwners const owners(ranks, subdomain);
  std::int32_t const self = ranks.size() > 1 ? subdomain.rank() : 0;

  NodeOperator<Real> result;
  result.nodes = GhostNodes(ranks, count, ghosts_of(owned, rows, owners, self));
  result.hold.resize(count);
  result.stiffness.resize(count);
  result.id.resize(result.nodes.total());
  Extent3 const n = subdomain.grid().points;
  result.links = made_by_rows<Real>(count, [&](std::size_t number, auto const& visit) {
    Index3 const p = point_of(owned, number);
    PointLinks<Real> links;
    double diagonal = 0.0;
    Real const hold = rows.visit(p, [&](Index3 q, Real g) {
      diagonal += static_cast<double>(g);
      links.add(result.nodes.number(owners.address(q)), g);
    });
    for (std::size_t at = 0; at < links.count; ++at) visit(links.node[at], links.value[at]);
    result.hold[number] = hold;
    result.stiffness[number] = diagonal + static_cast<double>(hold);
    Index3 const global = subdomain.to_global(p);
    result.id[number] = (global.z * n.y + global.y) * n.x + global.x;
  });
  result.nodes.fill(result.id);
  return result;
}

template NodeOperator<float> grid_operator(mpi::Communicator const&, Subdomain const&,
                                           OperatorFields<float const> const&);
template NodeOperator<double> grid_operator(mpi::Communicator const&, Subdomain const&,
                                            OperatorFields<double const> const&);

}  // namespace isotherm
