#include "solver/multigrid/medium/dense_solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/core/connections.hpp"

namespace isotherm {

namespace {

/// A dense square matrix, row-major.
class Matrix {
 public:
  explicit Matrix(std::size_t size) : size_(size), values_(size * size) {}
  [[nodiscard]] std::size_t size() const { return size_; }
  double& operator()(std::size_t row, std::size_t column) { return values_[row * size_ + column]; }
  [[nodiscard]] std::vector<double>& values() { return values_; }

 private:
  std::size_t size_;
  std::vector<double> values_;
};

/// Inverts a matrix in place by Gauss–Jordan elimination without pivoting, which a positive
/// definite matrix does not need. Each pivot is at least the rounding error of its diagonal entry,
/// even if cancellation has left less.
void invert(Matrix& a) {
  constexpr double rounding = 1e-14;
  std::size_t const n = a.size();
  std::vector<double> minimum;
  for (std::size_t p = 0; p < n; ++p) minimum.push_back(rounding * a(p, p));
  for (std::size_t p = 0; p < n; ++p) {
    double const pivot = 1.0 / std::max(a(p, p), minimum[p]);
    a(p, p) = 1.0;
    for (std::size_t c = 0; c < n; ++c) a(p, c) *= pivot;
    for (std::size_t r = 0; r < n; ++r) {
      double const factor = a(r, p);
      if (r == p || factor == 0.0) continue;
      a(r, p) = 0.0;
      for (std::size_t c = 0; c < n; ++c) a(r, c) -= factor * a(p, c);
    }
  }
}

/// The heterogeneous operator as a dense matrix. Fixed points, and points with a zero row, get a
/// row of the identity matrix.
class OperatorMatrix {
 public:
  /// Assembles the matrix and makes it regular.
  /// @param g, reaction_term, weak  as in inverse_of_operator()
  OperatorMatrix(Grid const& grid, PerAxis<std::vector<double>> const& g,
                 std::vector<double> const& reaction_term, double weak)
      : grid_(&grid),
        matrix_(reaction_term.size()),
        components_(reaction_term.size()),
        marked_(reaction_term.size()) {
    for (std::size_t p = 0; p < reaction_term.size(); ++p) {
      marked_[p] = std::signbit(g[0][p]);
      if (!marked_[p]) matrix_(p, p) += reaction_term[p];
    }
    // The sign bit of the conductances along x marks fixed points. All other points have the
    // reaction term and their conductances on the diagonal.
    each([&](Index3 p) {
      for (int axis = 0; axis < grid.dimension; ++axis) connect(p, axis, g[axis]);
    });
    hold_components(reaction_term, weak);
    for (std::size_t p = 0; p < reaction_term.size(); ++p) {
      bool const alone = matrix_(p, p) == 0.0;
      if (alone) marked_[p] = true;
      if (marked_[p]) matrix_(p, p) = 1.0;
    }
  }

  /// Returns the inverse, with zero rows for fixed and isolated points.
  OperatorInverse inverse() && {
    invert(matrix_);
    for (std::size_t p = 0; p < marked_.size(); ++p) {
      if (marked_[p]) matrix_(p, p) = 0.0;
    }
    return {std::move(matrix_.values()), has_floating_components_};
  }

 private:
  /// Calls `visit` for each point, x fastest.
  template <class Visit>
  void each(Visit const& visit) const {
    Extent3 const n = grid_->points;
    for (std::int64_t k = 0; k < n.z; ++k)
      for (std::int64_t j = 0; j < n.y; ++j)
        for (std::int64_t i = 0; i < n.x; ++i) visit(Index3{i, j, k});
  }
  /// Returns the row of a point.
  [[nodiscard]] std::size_t number(Index3 p) const {
    return static_cast<std::size_t>((p.z * grid_->points.y + p.y) * grid_->points.x + p.x);
  }

  /// Adds the conductance from point p to the next one along an axis to the matrix.
  void connect(Index3 p, int axis, std::vector<double> const& g) {
    Index3 next = p;
    ++next[axis];
    std::int64_t const n = grid_->points[axis];
    if (next[axis] == n && !grid_->periodic[axis]) return;
    next[axis] %= n;
    std::size_t const a = number(p);
    std::size_t const b = number(next);
    double const conductance = std::abs(g[a]);  // the sign is a mark
    if (a == b || conductance == 0.0) return;
    if (!marked_[a]) matrix_(a, a) += conductance;
    if (!marked_[b]) matrix_(b, b) += conductance;
    if (marked_[a] != marked_[b]) held_.emplace_back(marked_[a] ? b : a, conductance);
    if (marked_[a] || marked_[b]) return;
    matrix_(a, b) -= conductance;
    matrix_(b, a) -= conductance;
    components_.join(a, b);
  }

  /// The strength with which a component is held to zero, and its diagonal for comparison.
  struct Hold {
    double sum = 0.0;       ///< of the reaction term and of the conductances to fixed points
    double diagonal = 0.0;  ///< sum of the diagonal entries
    double smallest = std::numeric_limits<double>::infinity();  ///< smallest diagonal entry
    std::vector<std::size_t> points{};                          ///< rows of the component
  };
  /// Returns the hold of each component, at the index of its representative point.
  [[nodiscard]] std::vector<Hold> holds(std::vector<double> const& reaction_term) {
    std::vector<Hold> of(reaction_term.size());
    for (auto const& [p, conductance] : held_) of[components_(p)].sum += conductance;
    for (std::size_t p = 0; p < reaction_term.size(); ++p) {
      if (marked_[p]) continue;
      Hold& hold = of[components_(p)];
      hold.sum += reaction_term[p];
      hold.diagonal += matrix_(p, p);
      hold.smallest = std::min(hold.smallest, matrix_(p, p));
      hold.points.push_back(p);
    }
    return of;
  }

  /// Makes the matrix regular on components that are held weakly or not at all. A constant is added
  /// to all entries of the component (a multiple of 1 1ᵀ). The solution then has mean zero if the
  /// source sums to zero, and satisfies the unchanged equations. For a component of a
  /// single point, whose diagonal is its hold, the comparison is with the largest diagonal entry of
  /// all points.
  void hold_components(std::vector<double> const& reaction_term, double weak) {
    double largest = 0.0;
    for (std::size_t p = 0; p < reaction_term.size(); ++p)
      largest = std::max(largest, matrix_(p, p));
    for (Hold const& hold : holds(reaction_term)) {
      bool const single = hold.points.size() == 1;
      if (hold.sum > weak * (single ? largest : hold.diagonal) || hold.diagonal == 0.0) continue;
      has_floating_components_ = true;
      double const term =
          single ? largest : hold.smallest / static_cast<double>(hold.points.size());
      for (std::size_t const p : hold.points)
        for (std::size_t const q : hold.points) matrix_(p, q) += term;
    }
  }

  Grid const* grid_;
  Matrix matrix_;
  Connections components_;    ///< connected components of the unknowns
  std::vector<bool> marked_;  ///< points without an unknown: fixed, or not connected
  /// Points next to a fixed one, and the conductance between the two.
  std::vector<std::pair<std::size_t, double>> held_{};
  bool has_floating_components_ = false;
};

}  // namespace

OperatorInverse inverse_of_operator(Grid const& grid, PerAxis<std::vector<double>> const& g,
                                    std::vector<double> const& reaction_term, double weak) {
  return OperatorMatrix(grid, g, reaction_term, weak).inverse();
}

}  // namespace isotherm
