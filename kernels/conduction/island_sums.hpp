#pragma once

#include <span>
#include <vector>

#include "kernels/core/queue/memory.hpp"
#include "kernels/core/queue/queue.hpp"
#include "kernels/operators/conductances.hpp"

// Sums over islands: sets of points that flows connect with one another.

namespace isotherm {

/// Points of one island that follow one another along x: `count` of them, from (i, j, k) on.
struct IslandRow {
  std::int32_t i, j, k, count;
};

/// Rows of one island, by their numbers, that are summed up together.
struct IslandPart {
  std::int32_t first, end;
};

/// What is summed at each point p: the field's value u, and flows that it stands for, each times
/// its factor. 0 leaves a term out, and what it would read is not read.
struct IslandTerms {
  double values = 0.0;     ///< u
  double capacity = 0.0;   ///< c V u
  double faces = 0.0;      ///< g u, for each conductance g that leads out of the grid (Robin)
  double links = 0.0;      ///< g (u − u(neighbour)), for each neighbour that keeps its value
  bool from_zero = false;  ///< u(neighbour) of the links is 0, whatever the field holds there
};

/// The terms of a point.
template <class RealType, int GridDimension>
struct IslandTerm {
  using Real = RealType;
  static constexpr int dimension = GridDimension;

  Conductances<Real, dimension> of;  ///< unused unless a term asks for it
  FieldView<Real const> u;           ///< or none: 1 at each point of the islands
  LocalBox grid;  ///< the points of the grid in the fields' frame; reaches past them along periodic
                  ///< axes
  IslandTerms terms;

  [[nodiscard]] ISOTHERM_INLINE double operator()(std::int64_t i, std::int64_t j,
                                                  std::int64_t k) const {
    double const here = u ? static_cast<double>(u(i, j, k)) : 1.0;
    double sum = terms.values * here;
    bool const leads_out = terms.faces != 0.0 || terms.links != 0.0;
    if (terms.capacity == 0.0 && !leads_out) return sum;
    PointConductances<Real, dimension> const point = of.row(j, k).point(i);
    sum += terms.capacity * (here / static_cast<double>(point.per_volume));
    if (!leads_out) return sum;
    sum += out(point.west, here, i - 1, j, k) + out(point.east, here, i + 1, j, k);
    sum += out(point.south, here, i, j - 1, k) + out(point.north, here, i, j + 1, k);
    if constexpr (dimension == 3) {
      sum += out(point.below, here, i, j, k - 1) + out(point.above, here, i, j, k + 1);
    }
    return sum;
  }

 private:
  /// What leaves the island towards a neighbour.
  [[nodiscard]] ISOTHERM_INLINE double out(Real conductance, double here, std::int64_t i,
                                           std::int64_t j, std::int64_t k) const {
    if (conductance == Real{0}) return 0.0;
    auto const g = static_cast<double>(conductance);
    if (!grid.contains(i, j, k)) return terms.faces * g * here;
    if (terms.links == 0.0 || !std::signbit(of.x(i, j, k))) return 0.0;
    double const there = u && !terms.from_zero ? static_cast<double>(u(i, j, k)) : 0.0;
    return terms.links * g * (here - there);
  }
};

/// The points of some islands, in parts that a thread or a block sums up. Neither copyable nor
/// movable.
class IslandPoints {
 public:
  /// @param rows   those of an island follow one another
  /// @param parts  of the rows, each of one island
  IslandPoints(Queue& queue, std::span<IslandRow const> rows, std::span<IslandPart const> parts);
  IslandPoints(IslandPoints const&) = delete;
  IslandPoints& operator=(IslandPoints const&) = delete;

  /// See Buffer::footprint.
  static std::size_t footprint(Backend backend, std::size_t rows, std::size_t parts);

  /// The sum over the points of each part, in float64, in an order that depends on the parts alone.
  /// Waits.
  template <class Real, int dimension>
  [[nodiscard]] std::span<double const> sums(Queue& queue, IslandTerm<Real, dimension> const& term);

  /// Enqueues adding `values[part]` to the field at the points of each part. Waits for what was
  /// enqueued before.
  template <class Real>
  void add(Queue& queue, FieldView<Real> field, std::span<double const> values);

 private:
  std::size_t parts_;
  std::size_t points_ = 0;
  Buffer rows_;
  Buffer part_rows_;
  Buffer sums_;
  Buffer host_;  ///< of as many numbers
};

}  // namespace isotherm
