#pragma once

#include <span>
#include <vector>

#include "kernels/core/queue/memory.hpp"
#include "kernels/core/queue/queue.hpp"
#include "kernels/operators/conductances.hpp"

// Sums over components: connected components of the unknowns of a heterogeneous medium.
// Conductances connect the points of a component with one another, but not with those of other
// components.

namespace isotherm {

/// Points of one component that are adjacent in x: `count` points, the first of which is (i, j, k).
/// Indices are local.
struct ComponentRow {
  std::int32_t i, j, k, count;
};

/// Rows of one component that are summed together, as a range of their numbers.
struct ComponentPart {
  std::int32_t first, end;
};

/// Factors of the terms that are summed at each point. A term with factor 0 is omitted, and its
/// values are not read.
///
/// Σ c V u is the heat of a component. The terms of faces and links are heat flows.
struct ComponentTerms {
  double values = 0.0;    ///< of u
  double capacity = 0.0;  ///< of c V u
  double faces = 0.0;     ///< of g u, for each conductance g through a face of the grid (Robin)
  double links = 0.0;  ///< of g (u − u(neighbour)), for each neighbour that is fixed (Dirichlet)
  bool from_zero = false;  ///< take 0 for u(neighbour) in the links, whatever the field holds there
};

/// Evaluates the terms at a point, in float64.
template <class RealType, int GridDimension>
struct ComponentTerm {
  using Real = RealType;
  static constexpr int dimension = GridDimension;

  Conductances<Real, dimension> conductances;  ///< used only if a term needs it
  FieldView<Real const> u;                     ///< none: 1 at each point of the components
  LocalBox grid;  ///< points of the grid in the fields' frame; extends beyond them on periodic axes
  ComponentTerms terms;

  /// Returns the sum of the terms at point (i, j, k).
  [[nodiscard]] ISOTHERM_INLINE double operator()(std::int64_t i, std::int64_t j,
                                                  std::int64_t k) const {
    double const here = u ? static_cast<double>(u(i, j, k)) : 1.0;
    double sum = terms.values * here;
    bool const leads_out = terms.faces != 0.0 || terms.links != 0.0;
    if (terms.capacity == 0.0 && !leads_out) return sum;
    PointConductances<Real, dimension> const point = conductances.row(j, k).point(i);
    sum += terms.capacity * (here / static_cast<double>(point.inverse_heat_capacity));
    if (!leads_out) return sum;
    sum += out(point.west, here, i - 1, j, k) + out(point.east, here, i + 1, j, k);
    sum += out(point.south, here, i, j - 1, k) + out(point.north, here, i, j + 1, k);
    if constexpr (dimension == 3) {
      sum += out(point.below, here, i, j, k - 1) + out(point.above, here, i, j, k + 1);
    }
    return sum;
  }

 private:
  /// Returns the term of the heat that flows to neighbour (i, j, k), if that is outside the grid or
  /// fixed; otherwise 0.
  [[nodiscard]] ISOTHERM_INLINE double out(Real conductance, double here, std::int64_t i,
                                           std::int64_t j, std::int64_t k) const {
    if (conductance == Real{0}) return 0.0;
    auto const g = static_cast<double>(conductance);
    if (!grid.contains(i, j, k)) return terms.faces * g * here;
    if (terms.links == 0.0 || !std::signbit(conductances.x(i, j, k))) return 0.0;
    double const there = u && !terms.from_zero ? static_cast<double>(u(i, j, k)) : 0.0;
    return terms.links * g * (here - there);
  }
};

/// The points of some components, in the memory of a queue's backend. They are divided into parts,
/// each of which a CPU thread or a CUDA block sums. Neither copyable nor movable.
///
///   ComponentPoints points(queue, rows, parts);
///   std::span<double const> const sums =
///       points.sums(queue, ComponentTerm<double, 3>{conductances, u, grid, {.capacity = 1.0}});
class ComponentPoints {
 public:
  /// Copies the lists, and waits for the queue.
  /// @param rows   rows of points; those of a component are contiguous
  /// @param parts  ranges of rows, each within one component
  ComponentPoints(Queue& queue, std::span<ComponentRow const> rows,
                  std::span<ComponentPart const> parts);
  ComponentPoints(ComponentPoints const&) = delete;
  ComponentPoints& operator=(ComponentPoints const&) = delete;

  /// Returns an upper bound on the memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend, std::size_t rows, std::size_t parts);

  /// Returns the sum over the points of each part, and waits for the queue. The result is valid
  /// until the next call.
  ///
  /// Sums are computed in float64. Their order depends on the parts and the backend alone, so
  /// results are reproducible bit for bit. The call does not communicate; the caller adds the sums
  /// of other ranks.
  template <class Real, int dimension>
  [[nodiscard]] std::span<double const> sums(Queue& queue,
                                             ComponentTerm<Real, dimension> const& term);

  /// Enqueues adding `values[part]` to the field at the points of each part. On CUDA the call waits
  /// for the work that was enqueued before.
  /// @throws Error  if the number of values is not that of the parts
  template <class Real>
  void add(Queue& queue, FieldView<Real> field, std::span<double const> values);

 private:
  std::size_t parts_;       ///< number of parts
  std::size_t points_ = 0;  ///< number of points of all parts
  Buffer rows_;             ///< the rows of all components
  Buffer part_rows_;        ///< the range of rows of each part
  Buffer sums_;             ///< a number for each part
  Buffer host_;             ///< the same numbers, on the host
};

}  // namespace isotherm
