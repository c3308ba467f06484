#pragma once

#include <cstddef>
#include <vector>

#include "kernels/core/field.hpp"
#include "kernels/core/queue/memory.hpp"
#include "kernels/transforms/dense/dense_tables.hpp"
#include "kernels/transforms/dense/mode_matrices.hpp"

namespace isotherm {

/// A transform of lines between values at points and amplitudes of modes, by products with dense
/// matrices. It serves any operator along an axis, also on a graded axis.
///
/// The cost per line is n² multiplications and additions for n points, or n²/2 if the axis is its
/// own mirror image (see ModeBlocks). Results do not depend on the number of threads.
///
///   DenseTransform<double> const x(queue, closed_form_modes(AxisEnds::dirichlet, 128));
///   x.to_modes(queue, values, modes, box, 0);   // box.extent().x == x.count() == 127
///   x.to_points(queue, modes, values, box, 0);
template <class Real>
class DenseTransform {
 public:
  /// Copies the matrices to the memory of the queue's backend.
  /// @throws Error  if the arrays of `modes` do not fit their count, the count is not between 1 and
  ///   max_dense_points, an eigenvalue is not finite, or there is not enough memory
  DenseTransform(Queue& queue, ModeMatrices const& modes);

  /// Returns the number of points of a line, which is that of its modes.
  [[nodiscard]] int count() const { return tables_.count; }
  /// Returns the eigenvalues of the modes, in the order in which modes are stored: from the largest
  /// to the smallest, even modes before odd ones if the axis is its own mirror image.
  [[nodiscard]] std::vector<double> const& eigenvalues() const { return eigenvalues_; }
  /// Returns true if `from` and `to` may be the same field. solve() always allows it.
  [[nodiscard]] bool works_in_place() const { return works_in_place_; }
  /// Returns true if each mode is even or odd, so half of the operations suffice.
  [[nodiscard]] bool is_mirrored() const { return tables_.is_mirrored; }
  /// Returns the allocated bytes.
  [[nodiscard]] std::size_t bytes() const { return matrices_.bytes(); }
  /// Returns the name of this kind of transform.
  static constexpr char const* name() { return "dense"; }

  /// Enqueues transforming the lines of `box` along `axis` (0: x, 1: y, 2: z) to modes. Mode m is
  /// stored at point m of the line.
  /// @throws Error  if the lines do not have count() points, a field does not contain the box, or
  ///   both fields are the same one and works_in_place() is false
  void to_modes(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box,
                int axis) const;
  /// Enqueues the inverse of to_modes().
  void to_points(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box,
                 int axis) const;
  /// Enqueues to_modes(), the multiplication by spectrum.inverse() and to_points() in one pass. The
  /// other axes have been transformed to modes. Mode (i, j, k) lies at box.lower + (i, j, k).
  void solve(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box, int axis,
             Spectrum<Real> const& spectrum) const;

  /// Returns an upper bound on the memory in bytes of a transform of `count` points and of its
  /// passes; see Buffer::footprint.
  static std::size_t footprint(Backend backend, int count);

 private:
  void run(Queue& queue, DensePass<Real>& pass, FieldView<Real const> from, FieldView<Real> to,
           LocalBox box, int axis) const;

  std::vector<double> eigenvalues_;
  Buffer matrices_;
  DenseTables<Real> tables_;
  bool works_in_place_;
};

}  // namespace isotherm
