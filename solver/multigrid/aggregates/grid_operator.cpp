#include "solver/multigrid/aggregates/grid_operator.hpp"

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
  [[nodiscard]] NodeAddress address(Index3 p) {
    if (!contains(0, p) && !contains(last_, p)) {
      last_ = 1;
      while (!contains(last_, p)) ++last_;
    }
    std::size_t const part = contains(0, p) ? 0 : last_;
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
  std::size_t last_ = 0;  ///< the part of the last point that another rank owns
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

/// Calls visit(local index) for a box, x fastest.
template <class Visit>
void each_point(LocalBox const& box, Visit const& visit) {
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k)
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j)
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) visit(Index3{i, j, k});
}

/// What the rows of a rank's points refer to.
struct Neighbours {
  std::vector<NodeAddress> ghosts{};  ///< points of other ranks, with repetitions
  std::size_t links = 0;              ///< to all points
};

/// Finds the neighbours of a rank's points.
/// @param self  the rank's number in addresses
template <class Real>
Neighbours neighbours_of(LocalBox const& owned, GridRows<Real> const& rows, PointOwners& owners,
                         std::int32_t self) {
  Neighbours result;
  each_point(owned, [&](Index3 p) {
    (void)rows.visit(p, [&](Index3 q, Real) {
      NodeAddress const address = owners.address(q);
      if (address.rank != self) result.ghosts.push_back(address);
      ++result.links;
    });
  });
  return result;
}

/// Appends the row of a point (local index), without its id.
template <class Real>
void append_row(Index3 p, GridRows<Real> const& rows, PointOwners& owners,
                NodeOperator<Real>& result) {
  SparseRows<Real>& links = result.links;
  double diagonal = 0.0;
  std::size_t const begin = links.column.size();
  Real const hold = rows.visit(p, [&](Index3 q, Real g) {
    diagonal += static_cast<double>(g);
    auto const number = static_cast<std::int32_t>(result.nodes.number(owners.address(q)));
    // Two points of a periodic axis are linked on both sides.
    for (std::size_t at = begin; at < links.column.size(); ++at) {
      if (links.column[at] != number) continue;
      links.value[at] -= g;
      return;
    }
    links.column.push_back(number);
    links.value.push_back(-g);
  });
  links.first.push_back(static_cast<std::int64_t>(links.column.size()));
  result.hold.push_back(hold);
  result.stiffness.push_back(diagonal + static_cast<double>(hold));
}

}  // namespace

template <class Real>
NodeOperator<Real> grid_operator(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                 OperatorFields<Real const> const& fields) {
  LocalBox const owned = subdomain.owned();
  require(owned.point_count() < std::numeric_limits<std::int32_t>::max(),
          "a hierarchy of aggregates takes fewer than 2^31 points of a rank");
  auto const count = static_cast<std::size_t>(owned.point_count());
  GridRows<Real> const rows(subdomain, fields);
  PointOwners owners(ranks, subdomain);
  std::int32_t const self = ranks.size() > 1 ? subdomain.rank() : 0;
  Neighbours neighbours = neighbours_of(owned, rows, owners, self);

  NodeOperator<Real> result;
  result.nodes = GhostNodes(ranks, count, std::move(neighbours.ghosts));
  result.links.first.reserve(count + 1);
  result.links.column.reserve(neighbours.links);
  result.links.value.reserve(neighbours.links);
  result.hold.reserve(count);
  result.stiffness.reserve(count);
  result.id.reserve(result.nodes.total());
  Extent3 const n = subdomain.grid().points;
  each_point(owned, [&](Index3 p) {
    append_row(p, rows, owners, result);
    Index3 const global = subdomain.to_global(p);
    result.id.push_back((global.z * n.y + global.y) * n.x + global.x);
  });
  result.id.resize(result.nodes.total());
  result.nodes.fill(result.id);
  return result;
}

template NodeOperator<float> grid_operator(mpi::Communicator const&, Subdomain const&,
                                           OperatorFields<float const> const&);
template NodeOperator<double> grid_operator(mpi::Communicator const&, Subdomain const&,
                                            OperatorFields<double const> const&);

}  // namespace isotherm
