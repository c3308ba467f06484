#include "solver/multigrid/medium/dense_solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/core/connections.hpp"

namespace isotherm {

namespace {

/// A symmetric matrix, row by row.
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

/// Gauss' and Jordan's elimination without pivots, which a positive definite matrix does not need.
/// What rounding has left of a pivot counts for no less than rounding.
void invert(Matrix& a) {
  constexpr double rounding = 1e-14;
  std::size_t const n = a.size();
  std::vector<double> least;
  for (std::size_t p = 0; p < n; ++p) least.push_back(rounding * a(p, p));
  for (std::size_t p = 0; p < n; ++p) {
    double const pivot = 1.0 / std::max(a(p, p), least[p]);
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

/// An operator of flows as a matrix. The rows of points that stay zero, or are connected with
/// nothing, are those of 1.
class FlowMatrix {
 public:
  FlowMatrix(Grid const& grid, PerAxis<std::vector<double>> const& g,
             std::vector<double> const& absorbed, double weak)
      : grid_(&grid),
        matrix_(absorbed.size()),
        islands_(absorbed.size()),
        marked_(absorbed.size()) {
    for (std::size_t p = 0; p < absorbed.size(); ++p) {
      marked_[p] = std::signbit(g[0][p]);
      if (!marked_[p]) matrix_(p, p) += absorbed[p];
    }
    each([&](Index3 p) {
      for (int axis = 0; axis < grid.dimension; ++axis) connect(p, axis, g[axis]);
    });
    hold_islands(absorbed, weak);
    for (std::size_t p = 0; p < absorbed.size(); ++p) {
      bool const alone = matrix_(p, p) == 0.0;
      if (alone) marked_[p] = true;
      if (marked_[p]) matrix_(p, p) = 1.0;
    }
  }

  FlowInverse inverse() && {
    invert(matrix_);
    for (std::size_t p = 0; p < marked_.size(); ++p) {
      if (marked_[p]) matrix_(p, p) = 0.0;
    }
    return {std::move(matrix_.values()), has_free_islands_};
  }

 private:
  template <class Visit>
  void each(Visit const& visit) const {
    Extent3 const n = grid_->points;
    for (std::int64_t k = 0; k < n.z; ++k)
      for (std::int64_t j = 0; j < n.y; ++j)
        for (std::int64_t i = 0; i < n.x; ++i) visit(Index3{i, j, k});
  }
  [[nodiscard]] std::size_t number(Index3 p) const {
    return static_cast<std::size_t>((p.z * grid_->points.y + p.y) * grid_->points.x + p.x);
  }

  void connect(Index3 p, int axis, std::vector<double> const& g) {
    Index3 next = p;
    ++next[axis];
    std::int64_t const n = grid_->points[axis];
    if (next[axis] == n && !grid_->periodic[axis]) return;
    next[axis] %= n;
    std::size_t const a = number(p);
    std::size_t const b = number(next);
    double const conductance = std::abs(g[a]);
    if (a == b || conductance == 0.0) return;
    if (!marked_[a]) matrix_(a, a) += conductance;
    if (!marked_[b]) matrix_(b, b) += conductance;
    if (marked_[a] != marked_[b]) held_.emplace_back(marked_[a] ? b : a, conductance);
    if (marked_[a] || marked_[b]) return;
    matrix_(a, b) -= conductance;
    matrix_(b, a) -= conductance;
    islands_.join(a, b);
  }

  /// How an island of points, which are connected with each other, is held to zero: by what it
  /// absorbs, and by what leads to points that stay zero. The sum of that, and of the diagonal.
  struct Hold {
    double sum = 0.0;
    double diagonal = 0.0;
    double smallest = std::numeric_limits<double>::infinity();  ///< of the diagonal
    std::vector<std::size_t> points{};
  };
  [[nodiscard]] std::vector<Hold> holds(std::vector<double> const& absorbed) {
    std::vector<Hold> of(absorbed.size());
    for (auto const& [p, conductance] : held_) of[islands_(p)].sum += conductance;
    for (std::size_t p = 0; p < absorbed.size(); ++p) {
      if (marked_[p]) continue;
      Hold& hold = of[islands_(p)];
      hold.sum += absorbed[p];
      hold.diagonal += matrix_(p, p);
      hold.smallest = std::min(hold.smallest, matrix_(p, p));
      hold.points.push_back(p);
    }
    return of;
  }

  /// If nothing holds an island, or hardly anything, the mean of its solution is held to zero: by a
  /// term that a source whose sum is zero does not see. A single point has nothing to compare what
  /// holds it with but other points' diagonals.
  void hold_islands(std::vector<double> const& absorbed, double weak) {
    double largest = 0.0;
    for (std::size_t p = 0; p < absorbed.size(); ++p) largest = std::max(largest, matrix_(p, p));
    for (Hold const& hold : holds(absorbed)) {
      bool const single = hold.points.size() == 1;
      if (hold.sum > weak * (single ? largest : hold.diagonal) || hold.diagonal == 0.0) continue;
      has_free_islands_ = true;
      double const term =
          single ? largest : hold.smallest / static_cast<double>(hold.points.size());
      for (std::size_t const p : hold.points)
        for (std::size_t const q : hold.points) matrix_(p, q) += term;
    }
  }

  Grid const* grid_;
  Matrix matrix_;
  Connections islands_;
  std::vector<bool> marked_;
  /// Points next to one that stays zero, and the conductance between the two.
  std::vector<std::pair<std::size_t, double>> held_{};
  bool has_free_islands_ = false;
};

}  // namespace

FlowInverse inverse_of_flow(Grid const& grid, PerAxis<std::vector<double>> const& g,
                            std::vector<double> const& absorbed, double weak) {
  return FlowMatrix(grid, g, absorbed, weak).inverse();
}

}  // namespace isotherm
