#include "solver/multigrid/uniform/stencils.hpp"

#include <algorithm>

#include "kernels/core/error.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// The positions of two grids' points relative to each other along an axis. Fine point i has the
/// coarse coordinate i · coarse / fine; coarse point j has the fine coordinate j · fine / coarse.
struct Ratio {
  std::int64_t fine;    ///< intervals
  std::int64_t coarse;  ///< intervals
  bool periodic;
};

/// Returns the numbers of intervals of the two grids.
Ratio ratio_of(Problem const& fine, Problem const& coarse, int axis) {
  std::int64_t const ends = fine.grid.periodic[axis] ? 0 : 1;
  return {fine.grid.points[axis] - ends, coarse.grid.points[axis] - ends, fine.grid.periodic[axis]};
}

/// True if the axis is not coarsened.
bool is_same(Problem const& fine, Problem const& coarse, int axis) {
  return fine.grid.points[axis] == coarse.grid.points[axis];
}
/// True if the axis collapses to one point.
bool is_collapsed(Problem const& fine, Problem const& coarse, int axis) {
  return coarse.grid.points[axis] == 1 && !is_same(fine, coarse, axis);
}

/// Returns the volume of a point along an axis, in cells. A point on a physical face has half a
/// cell.
double volume(Problem const& fine, int axis, std::int64_t i) {
  bool const at_end = i == 0 || i == fine.grid.points[axis] - 1;
  return at_end && !fine.grid.periodic[axis] && fine.grid.points[axis] > 1 ? 0.5 : 1.0;
}

/// Returns ⌈a / b⌉ for b > 0.
std::int64_t divided_up(std::int64_t a, std::int64_t b) {
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

/// Makes a stencil of weights / sum, beginning at fine point `first`.
template <class Real>
RestrictionStencil<Real> stencil_of(std::int64_t first, std::vector<double> const& weights,
                                    double sum) {
  require(!weights.empty() && weights.size() <= RestrictionStencil<Real>::maximum,
          "the restriction stencil of a coarse point is too large");
  RestrictionStencil<Real> stencil;
  stencil.first = first;
  stencil.count = static_cast<std::int32_t>(weights.size());
  for (std::size_t n = 0; n < weights.size(); ++n) {
    stencil.weights[n] = static_cast<Real>(weights[n] / sum);
  }
  return stencil;
}

/// Returns the restriction to coarse point j: at the fine points less than a coarse spacing away,
/// the hat function of j times the point's volume, divided by the volume of j.
template <class Real>
RestrictionStencil<Real> full_weighting(Problem const& fine, Problem const& coarse,
                                        Ratio const& ratio, int axis, std::int64_t j) {
  // All fine points i with |i · coarse / fine − j| < 1.
  std::int64_t first = divided_up((j - 1) * ratio.fine + 1, ratio.coarse);
  std::int64_t last = divided_up((j + 1) * ratio.fine, ratio.coarse) - 1;
  // Stencils end at faces; on a periodic axis they continue into the halo.
  if (!ratio.periodic) {
    first = std::max<std::int64_t>(first, 0);
    last = std::min(last, ratio.fine);
  }
  std::vector<double> weights;
  for (std::int64_t i = first; i <= last; ++i) {
    // The hat function is 1 at the coarse point and 0 at its neighbours.
    auto const distance = static_cast<double>(std::abs(i * ratio.coarse - j * ratio.fine));
    double const share = 1.0 - distance / static_cast<double>(ratio.fine);
    weights.push_back(share * (ratio.periodic ? 1.0 : volume(fine, axis, i)));
  }
  // The weights are divided by the coarse volume in fine cells, which makes sums means.
  double const volume_of_j = volume(coarse, axis, j);
  return stencil_of<Real>(
      first, weights,
      volume_of_j * static_cast<double>(ratio.fine) / static_cast<double>(ratio.coarse));
}

/// Returns the restriction to the only coarse point: the volume-weighted mean of all fine points.
template <class Real>
RestrictionStencil<Real> average(Problem const& fine, int axis) {
  std::vector<double> weights;
  double sum = 0.0;
  for (std::int64_t i = 0; i < fine.grid.points[axis]; ++i) {
    weights.push_back(volume(fine, axis, i));
    sum += weights.back();
  }
  return stencil_of<Real>(0, weights, sum);
}

/// Returns the Lagrange weights at `x` of values at the integers first … first + count − 1 (J. L.
/// Lagrange, 1795).
std::vector<double> lagrange_weights(std::int64_t first, std::int64_t count, double x) {
  std::vector<double> weights;
  for (std::int64_t n = first; n < first + count; ++n) {
    double weight = 1.0;
    for (std::int64_t m = first; m < first + count; ++m) {
      if (m != n) weight *= (x - static_cast<double>(m)) / static_cast<double>(n - m);
    }
    weights.push_back(weight);
  }
  return weights;
}

/// The coarse points that may be interpolated from, both ends included.
struct Range {
  std::int64_t first;
  std::int64_t last;
};

/// Returns the coarse points off the Dirichlet faces, with ghost points if the axis is periodic.
Range not_on_dirichlet_faces(Problem const& coarse, Ratio const& ratio, int axis,
                             std::int64_t halo) {
  if (ratio.periodic) return {-halo, ratio.coarse - 1 + halo};  // wrapped around
  bool const lower = is(coarse, {axis, false}, BoundaryKind::dirichlet);
  bool const upper = is(coarse, {axis, true}, BoundaryKind::dirichlet);
  return {lower ? 1 : 0, ratio.coarse - (upper ? 1 : 0)};
}

/// Returns the weights of the cubic polynomial through the four coarse points nearest to fine point
/// i. Near an end, the four points are shifted inwards. If the axis has fewer than four, the degree
/// is lower.
template <class Real>
RestrictionStencil<Real> cubic_interpolating(Problem const& coarse, Ratio const& ratio, int axis,
                                             std::int64_t halo, std::int64_t i) {
  // A correction is zero on Dirichlet faces; its neighbours there would bias the polynomial.
  Range const points = not_on_dirichlet_faces(coarse, ratio, axis, halo);
  std::int64_t const count = std::min<std::int64_t>(4, points.last - points.first + 1);
  std::int64_t const below = i * ratio.coarse / ratio.fine;
  // Two points on each side, shifted inwards near an end.
  std::int64_t const first = std::clamp(below - 1, points.first, points.last - count + 1);
  double const x = static_cast<double>(i * ratio.coarse) / static_cast<double>(ratio.fine);
  return stencil_of<Real>(first, lagrange_weights(first, count, x), 1.0);
}

}  // namespace

template <class Real>
std::vector<RestrictionStencil<Real>> restriction_stencils(Problem const& fine,
                                                           Problem const& coarse, int axis,
                                                           std::int64_t lower, std::int64_t upper,
                                                           std::int64_t fine_origin) {
  Ratio const ratio = ratio_of(fine, coarse, axis);
  std::vector<RestrictionStencil<Real>> stencils;
  for (std::int64_t j = lower; j < upper; ++j) {
    // An axis is unchanged, collapsed to one point, or coarsened.
    RestrictionStencil<Real> stencil = is_same(fine, coarse, axis) ? stencil_of<Real>(j, {1.0}, 1.0)
                                       : is_collapsed(fine, coarse, axis)
                                           ? average<Real>(fine, axis)
                                           : full_weighting<Real>(fine, coarse, ratio, axis, j);
    // From global indices to those of the rank's fine field.
    stencil.first -= fine_origin;
    stencils.push_back(stencil);
  }
  return stencils;
}

template <class Real>
std::vector<ProlongationStencil<Real>> prolongation_stencils(Problem const& fine,
                                                             Problem const& coarse, int axis,
                                                             std::int64_t lower, std::int64_t upper,
                                                             std::int64_t coarse_origin) {
  Ratio const ratio = ratio_of(fine, coarse, axis);
  std::vector<ProlongationStencil<Real>> stencils;
  for (std::int64_t i = lower; i < upper; ++i) {
    if (is_same(fine, coarse, axis)) {
      stencils.push_back({i - coarse_origin, Real{0}});
    } else if (is_collapsed(fine, coarse, axis)) {
      stencils.push_back({-coarse_origin, Real{0}});
    } else {
      std::int64_t const before = i * ratio.coarse / ratio.fine;
      // Fine point i lies between coarse points `before` and `before` + 1.
      auto const beyond = static_cast<double>(i * ratio.coarse - before * ratio.fine);
      stencils.push_back(
          {before - coarse_origin, static_cast<Real>(beyond / static_cast<double>(ratio.fine))});
    }
  }
  return stencils;
}

template <class Real>
std::vector<RestrictionStencil<Real>> cubic_interpolation_stencils(
    Problem const& fine, Problem const& coarse, int axis, std::int64_t lower, std::int64_t upper,
    std::int64_t coarse_origin, std::int64_t halo) {
  Ratio const ratio = ratio_of(fine, coarse, axis);
  std::vector<RestrictionStencil<Real>> stencils;
  for (std::int64_t i = lower; i < upper; ++i) {
    RestrictionStencil<Real> stencil =
        is_same(fine, coarse, axis) ? stencil_of<Real>(i, {1.0}, 1.0)
        : is_collapsed(fine, coarse, axis)
            ? stencil_of<Real>(0, {1.0}, 1.0)
            : cubic_interpolating<Real>(coarse, ratio, axis, halo, i);
    stencil.first -= coarse_origin;
    stencils.push_back(stencil);
  }
  return stencils;
}

GlobalBox coarse_points_in(Problem const& fine, Problem const& coarse, GlobalBox share) {
  GlobalBox points = share;
  for (int axis = 0; axis < 3; ++axis) {
    if (is_same(fine, coarse, axis)) continue;
    // A single coarse point belongs to the share that begins at fine index 0.
    if (is_collapsed(fine, coarse, axis)) {
      points.upper[axis] = share.lower[axis] == 0 ? 1 : 0;
      points.lower[axis] = 0;
      continue;
    }
    Ratio const ratio = ratio_of(fine, coarse, axis);
    // Coarse point j has the fine coordinate j · fine / coarse: at least lower, less than upper.
    points.lower[axis] = divided_up(share.lower[axis] * ratio.coarse, ratio.fine);
    points.upper[axis] = divided_up(share.upper[axis] * ratio.coarse, ratio.fine);
  }
  return points;
}

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define ISOTHERM_INSTANTIATE(Real)                                                    \
  template std::vector<RestrictionStencil<Real>> restriction_stencils(                \
      Problem const&, Problem const&, int, std::int64_t, std::int64_t, std::int64_t); \
  template std::vector<RestrictionStencil<Real>> cubic_interpolation_stencils(        \
      Problem const&, Problem const&, int, std::int64_t, std::int64_t, std::int64_t,  \
      std::int64_t);                                                                  \
  template std::vector<ProlongationStencil<Real>> prolongation_stencils(              \
      Problem const&, Problem const&, int, std::int64_t, std::int64_t, std::int64_t);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace isotherm
