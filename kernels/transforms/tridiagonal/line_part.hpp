#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/field.hpp"
#include "kernels/core/queue/memory.hpp"
#include "kernels/transforms/spectrum.hpp"
#include "kernels/transforms/tridiagonal/separators.hpp"
#include "kernels/transforms/tridiagonal/tridiagonal_rows.hpp"
#include "kernels/transforms/tridiagonal/tridiagonal_solve.hpp"

namespace isotherm {

/// One of the parts of lines with tridiagonal systems. Parts on different ranks exchange two values
/// for each line.
///
/// The first point of each part but the first one is a separator. The inner points of a part, T,
/// depend on other parts through separators only. If f are the right-hand sides, and g_a and g_b
/// the links to the part's own separator S and to the next one S', the values e of inner points are
///
///   y = T⁻¹ f,   e = T⁻¹ (f + g_a S at the first point + g_b S' at the last point)
///
/// The separators of a line form a smaller chain. It has the right-hand sides f_S + g_a y_first +
/// g_b y_last, the latter from the part before. Its conductances follow from two solutions with
/// positive terms, so nothing cancels even if the line is almost singular. With the conductances
/// c + μ w from the points to the ground, without the links that are cut,
///
///   to the next separator:  k = g_a (T⁻¹ g_b at the last point)_first
///   to the ground:          (c + μ w)_S + g_a z_first + g_b z_last,   z = T⁻¹ (c + μ w)
///
/// Source: H. Wang, A parallel method for tridiagonal equations, ACM TOMS 7 (1981).
///
///   LinePart<double> const part(queue, rows, begin, end);
///   part.reduce(queue, modes, scratch, planes, box, 2, spectrum);
///   // bring the planes of all parts together, solve_chain(), take them back
///   part.substitute(queue, planes, modes, box, 2, spectrum);
template <class Real>
class LinePart {
 public:
  /// Copies the rows begin … end − 1 to the memory of the queue's backend. Waits for the queue.
  /// @param rows  of the whole lines, none of which is singular
  /// @throws Error  if the part has fewer than three points, or the rows are invalid
  LinePart(Queue& queue, TridiagonalRows const& rows, std::int64_t begin, std::int64_t end);

  /// Enqueues writing the part's contributions to the conductances from separators to the ground.
  /// Like the other functions, it processes the lines of `box` along `axis`; the box has the part's
  /// points, and nothing outside of it is written.
  /// @param scratch  is overwritten in the box
  void write_grounds(Queue& queue, FieldView<Real> scratch, FieldView<Real> planes, LocalBox box,
                     int axis, Spectrum<Real> const& spectrum) const;
  /// Enqueues writing the conductances between the two separators of the part, to index 0.
  void write_links(Queue& queue, FieldView<Real> scratch, FieldView<Real> planes, LocalBox box,
                   int axis, Spectrum<Real> const& spectrum) const;
  /// Enqueues writing the part's contributions to the right-hand sides of separators.
  /// @param sources  the right-hand sides; do not overlap `scratch`
  void reduce(Queue& queue, FieldView<Real const> sources, FieldView<Real> scratch,
              FieldView<Real> planes, LocalBox box, int axis, Spectrum<Real> const& spectrum) const;
  /// Enqueues solving the part's points for known separators.
  /// @param planes  the values of both separators
  /// @param field   the right-hand sides, which become the solution
  void substitute(Queue& queue, FieldView<Real const> planes, FieldView<Real> field, LocalBox box,
                  int axis, Spectrum<Real> const& spectrum) const;

  /// Returns an upper bound on the memory of a part of `count` points; see
  /// TridiagonalSolve::footprint.
  static std::size_t footprint(Backend backend, std::int64_t count);

 private:
  /// Returns the box without separators.
  [[nodiscard]] LocalBox inner(LocalBox box, int axis) const;

  std::int64_t count_;
  SeparatorLinks<Real> links_;
  TridiagonalSolve<Real> solve_;  ///< of the inner points, while the separators are 0
  Buffer excess_;  ///< c and w of all points of the part, divided by factors of right-hand sides
};

}  // namespace isotherm
