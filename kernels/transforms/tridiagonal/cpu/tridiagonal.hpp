#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <omp.h>

#include "kernels/core/cpu/rows.hpp"
#include "kernels/core/cpu/scratch.hpp"
#include "kernels/core/queue/queue.hpp"
#include "kernels/transforms/tridiagonal/tridiagonal_tables.hpp"

namespace isotherm::cpu {

/// Adjacent lines that are solved together, so vectors run across them. The arithmetic of a line
/// does not depend on the others.
///
/// Elimination from the first point to the last leaves at point p the conductance s_p to the ground
/// and the source f_p. The next point gets the shares g_p / (s_p + g_p) of both. Then
/// e_p = (f_p + g_p e_p+1) / (s_p + g_p), from the last point to the first.
template <class Real>
class TridiagonalStrip {
 public:
  static constexpr int width = 128 / sizeof(Real);  ///< lines of a strip

  /// Returns the number of elements that a strip needs.
  static std::int64_t elements(int count) { return 2 * std::int64_t{count} * width; }

  /// @param memory  elements() elements, aligned to 64 bytes
  /// @param first  number of the first line
  TridiagonalStrip(TridiagonalPass<Real> const& pass, Real* memory, std::int64_t first)
      : pass_(pass),
        values_(memory),
        inverses_(memory + std::int64_t{pass.tables.count} * width),
        first_(first),
        lanes_(static_cast<int>(std::min<std::int64_t>(width, pass.lines - first))),
        reads_rows_(are_adjacent(pass.from)),
        writes_rows_(are_adjacent(pass.to) && !pass.ends_only) {
    for (int lane = 0; lane < width; ++lane) {
      // Lanes without a line repeat the last one.
      auto const line = pass.line(first + std::min(lane, lanes_ - 1));
      mu_[at(lane)] = line.mu;
      pin_[at(lane)] = line.is_singular ? pass.tables.pin : Real{0};
      has_singular_ = has_singular_ || line.is_singular;
    }
  }

  void solve() {
    if (!reads_rows_) gather();
    eliminate();
    substitute();
    if (has_singular_) remove_constant();
    if (pass_.ends_only) return scatter_ends();
    if (!writes_rows_ || has_singular_) scatter();
  }

 private:
  using Lanes = std::array<Real, width>;

  static std::size_t at(int lane) { return static_cast<std::size_t>(lane); }
  /// Returns true if there is a line in each lane, and their points are adjacent in memory.
  template <class T>
  bool are_adjacent(LineSet<T> const& lines) const {
    return lanes_ == width && lines.stride_a == 1 && lines.a(first_) + width <= lines.width;
  }
  [[nodiscard]] Real* row(std::int64_t p) const { return values_ + p * width; }
  [[nodiscard]] Real const* source_row(std::int64_t p) const {
    return reads_rows_ ? pass_.from.first_of(first_) + p * pass_.from.step : row(p);
  }

  void eliminate() {
    constexpr int ahead = 12;  // rows lie far apart, so the processor does not fetch them itself
    TridiagonalTables<Real> const& tables = pass_.tables;
    int const last = tables.count - 1;
    Lanes s;  // NOLINT(*-member-init): filled below
    Lanes f;  // NOLINT(*-member-init): filled below
    start(s, f);
    for (int p = 0; p < last; ++p) {
      Real const g = tables.conductance[p];
      Real const ground = tables.ground[p + 1];
      Real const weight = tables.weight[p + 1];
      Real const factor = tables.factor(p + 1);
      Real const* const next = source_row(p + 1);
      if (reads_rows_) __builtin_prefetch(source_row(std::min(p + ahead, last)), 0, 2);
      if (reads_rows_) __builtin_prefetch(source_row(std::min(p + ahead, last)) + width / 2, 0, 2);
      Real* const value = row(p);
      Real* const inverse = inverses_ + std::int64_t{p} * width;
#pragma omp simd
      for (int lane = 0; lane < width; ++lane) {
        std::size_t const n = at(lane);
        Real const inverted = Real{1} / (s[n] + g);
        Real const share = g * inverted;
        // Without rows of its own, a strip has its sources where the values go.
        Real const source = next[lane] * factor;
        inverse[lane] = inverted;
        value[lane] = f[n];
        s[n] = (ground + mu_[n] * weight) + share * s[n];
        f[n] = source + share * f[n];
      }
    }
    Real* const value = row(last);
#pragma omp simd
    for (int lane = 0; lane < width; ++lane) {
      value[lane] = f[at(lane)] / (s[at(lane)] + pin_[at(lane)]);
    }
  }
  void start(Lanes& s, Lanes& f) const {
    TridiagonalTables<Real> const& tables = pass_.tables;
    Real const* const source = source_row(0);
    for (int lane = 0; lane < width; ++lane) {
      s[at(lane)] = tables.excess(0, mu_[at(lane)]);
      f[at(lane)] = source[lane] * tables.factor(0);
    }
  }
  void substitute() {
    bool const writes = writes_rows_ && !has_singular_;
    int const last = pass_.tables.count - 1;
    auto const target = [&](std::int64_t p) {
      return writes ? pass_.to.first_of(first_) + p * pass_.to.step : row(p);
    };
    Lanes e;  // NOLINT(*-member-init): filled next
    std::copy_n(row(last), width, e.begin());
    std::copy_n(e.begin(), width, target(last));
    for (int p = last - 1; p >= 0; --p) {
      Real const g = pass_.tables.conductance[p];
      Real const* const value = row(p);
      Real const* const inverse = inverses_ + std::int64_t{p} * width;
      Real* const to = target(p);
#pragma omp simd
      for (int lane = 0; lane < width; ++lane) {
        e[at(lane)] = (value[lane] + g * e[at(lane)]) * inverse[lane];
        to[lane] = e[at(lane)];
      }
    }
  }
  /// Completes the solutions of singular lines; see singular_line_factors().
  void remove_constant() {
    int const last = pass_.tables.count - 1;
    for (int lane = 0; lane < lanes_; ++lane) {
      if (!pass_.line(first_ + lane).is_singular) continue;
      Real const end = row(last)[lane];
      for (int p = 0; p <= last; ++p) row(p)[lane] -= pass_.tables.singular[p] * end;
    }
  }

  /// The points of a line that are copied at a time.
  static constexpr int chunk = 64 / sizeof(Real);

  void gather() {
    int const count = pass_.tables.count;
    for (int begin = 0; begin < count; begin += chunk) {
      int const end = std::min(begin + chunk, count);
      for (int lane = 0; lane < width; ++lane) {
        Real const* const line = pass_.from.first_of(first_ + std::min(lane, lanes_ - 1));
        for (int p = begin; p < end; ++p) row(p)[lane] = line[p * pass_.from.step];
      }
    }
  }
  void scatter() const {
    int const count = pass_.tables.count;
    for (int begin = 0; begin < count; begin += chunk) {
      int const end = std::min(begin + chunk, count);
      for (int lane = 0; lane < lanes_; ++lane) {
        Real* const line = pass_.to.first_of(first_ + lane);
        for (int p = begin; p < end; ++p) line[p * pass_.to.step] = row(p)[lane];
      }
    }
  }

  void scatter_ends() const {
    std::int64_t const last = pass_.tables.count - 1;
    for (int lane = 0; lane < lanes_; ++lane) {
      Real* const line = pass_.to.first_of(first_ + lane);
      line[0] = row(0)[lane];
      line[last * pass_.to.step] = row(last)[lane];
    }
  }

  TridiagonalPass<Real> const& pass_;
  Real* values_;    ///< sources, then f, then e
  Real* inverses_;  ///< 1 / (s + g)
  std::int64_t first_;
  int lanes_;
  bool reads_rows_;
  bool writes_rows_;
  bool has_singular_ = false;
  Lanes mu_{};
  Lanes pin_{};
};

/// Solves the lines of a pass, strip by strip. See
/// kernels/transforms/tridiagonal/tridiagonal_solve.hpp.
template <class Real>
void solve_lines(Queue& queue, TridiagonalPass<Real> const& pass) {
  using Strip = TridiagonalStrip<Real>;
  int const count = pass.tables.count;
  std::int64_t const strips = (pass.lines + Strip::width - 1) / Strip::width;
  Scratch& scratch = queue.scratch();
  scratch.make_room_for(cpu_threads());
#pragma omp parallel for schedule(static) if (pass.lines * count >= smallest_parallel_work)
  for (std::int64_t n = 0; n < strips; ++n) {
    Real* const memory = scratch.of_thread<Real>(omp_get_thread_num(), Scratch::Place::lines,
                                                 Strip::elements(count));
    Strip(pass, memory, n * Strip::width).solve();
  }
}

}  // namespace isotherm::cpu
