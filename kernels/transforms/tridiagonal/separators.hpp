#pragma once

#include <cstdint>

#include "kernels/core/field.hpp"
#include "kernels/core/queue/queue.hpp"
#include "kernels/transforms/spectrum.hpp"

// Operations on the separators of lines that are cut into parts; see LinePart. All lines of a box
// along `axis` (0: x, 1: y, 2: z) are processed at once.
//
// The planes of a part are two values for each line: at index 0 that of the part's own separator,
// at index 1 that of the next one. The chain of a line has the planes of all parts, so part r has
// the indices 2 r and 2 r + 1 along `axis`. Index 0 and the last one are not used. Planes have the
// indices of the lines along the other axes.

namespace isotherm {

/// The conductances of the links between the inner points of a part and its separators.
template <class Real>
struct SeparatorLinks {
  Real before = 0;  ///< from the own separator to the first inner point; 0 without a separator
  Real after = 0;   ///< from the last inner point to the next separator; 0 after the last part
};

/// Enqueues writing c + μ w at the points of `box`: the conductances to the ground.
/// @param ground, weight  c and w, one for each point along `axis`, in the queue's memory
template <class Real>
void write_excess(Queue& queue, FieldView<Real> to, LocalBox box, int axis, Real const* ground,
                  Real const* weight, Spectrum<Real> const& spectrum);

/// Enqueues writing `value` at the last points along `axis` of `box`, and 0 at its other points.
template <class Real>
void write_at_end(Queue& queue, FieldView<Real> to, LocalBox box, int axis, Real value);

/// Enqueues writing the planes of a part: what its points add to the right-hand sides of both
/// separators.
/// @param sources  the right-hand sides, of which the separator's is read
/// @param inner    the solution of the inner points while the separators are 0
/// @param box      the part of the lines, from the separator on if there is one
template <class Real>
void write_planes(Queue& queue, FieldView<Real const> sources, FieldView<Real const> inner,
                  FieldView<Real> planes, LocalBox box, int axis,
                  SeparatorLinks<Real> const& links);

/// Enqueues the reverse: sets the values of the part's own separator, and adds the flows from both
/// separators to the right-hand sides of the first and the last inner point.
/// @param planes  the values of both separators
template <class Real>
void add_flows(Queue& queue, FieldView<Real const> planes, FieldView<Real> field, LocalBox box,
               int axis, SeparatorLinks<Real> const& links);

/// Enqueues eliminating the chain of separators of each line, without subtractions.
/// @param chain  conductances to the ground, as write_planes() gives them for c + μ w; becomes the
///   factors for solve_chain()
/// @param links  conductances of the links to the next separators, at index 2 r of separator r
/// @param lines  the lines; its range along `axis` is not read
/// @param parts  of each line, at least 2
template <class Real>
void eliminate_chain(Queue& queue, FieldView<Real> chain, FieldView<Real const> links,
                     LocalBox lines, int axis, std::int64_t parts);

/// Enqueues solving the chain of each line.
/// @param planes  the right-hand sides from write_planes(); become the values for add_flows()
/// @param chain   from eliminate_chain()
template <class Real>
void solve_chain(Queue& queue, FieldView<Real const> chain, FieldView<Real> planes, LocalBox lines,
                 int axis, std::int64_t parts);

}  // namespace isotherm
