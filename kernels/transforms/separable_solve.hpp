#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/core/field.hpp"
#include "kernels/transforms/axis_transform.hpp"

namespace isotherm {

/// Direct solution of A u = f for A = A_x ⊕ A_y ⊕ A_z + shift, by fast diagonalisation.
///
/// The field is transformed to modes along all axes, divided by the eigenvalues, and transformed
/// back. The last axis does both transforms in one pass, so a problem in d dimensions takes 2 d − 1
/// passes:
///
///   u = V Λ⁻¹ V⁻¹ f,   V = V_x ⊗ V_y ⊗ V_z,   Λ = λ_x + λ_y + λ_z + shift
///
/// One axis may have tridiagonal systems instead of a transform. It is then the last one, whatever
/// its direction. For each pair of modes of the other axes the solution along it is that of
/// A_z + λ_x + λ_y + shift.
///
/// Source: R. Lynch, J. Rice and D. Thomas, Direct solution of partial difference equations by
/// tensor product methods, Numer. Math. 6 (1964).
///
///   auto const axis = [&] {
///     return SeparableAxis<double>{
///         DenseTransform<double>(queue, closed_form_modes(AxisEnds::dirichlet, 128)), weight};
///   };
///   SeparableSolve<double> solve(queue, {{axis(), axis(), axis()}}, 0.0, false);
///   solve(queue, source, result, box);  // box.extent() == {127, 127, 127}
template <class Real>
class SeparableSolve {
 public:
  /// The axes of a problem. Axes of one point that do not contribute have no transform, such as z
  /// in two dimensions.
  using Axes = PerAxis<std::optional<SeparableAxis<Real>>>;

  /// Allocates the eigenvalues, and a field if a transform needs one.
  /// @param shift  reaction term
  /// @param drop_constant  the constant mode, if all of its eigenvalues are exactly 0, is set to 0:
  ///   the solution then has the mean 0, and the mean of f is ignored
  /// @throws Error  if no axis has a transform, several axes are tridiagonal, or there is not
  /// enough
  ///   memory
  /// @param whole  the object will solve whole boxes; false: only in parts, without a field of its
  ///   own
  SeparableSolve(Queue& queue, Axes axes, double shift, bool drop_constant, bool whole = true);

  /// Enqueues solving A result = source at the points of `box`. The source is not changed.
  /// @throws Error  if the extent of the box differs from extent(), a field does not contain the
  ///   box, or both fields are the same one
  void operator()(Queue& queue, FieldView<Real const> source, FieldView<Real> result, LocalBox box);

  /// Replaces the factors of the axes' eigenvalues (SeparableAxis::weight) and the reaction term.
  /// The transforms remain. Waits for the queue.
  /// @param weights  those of axes without a transform are ignored
  void set_operator(Queue& queue, PerAxis<double> const& weights, double shift);
  /// Replaces the systems of the tridiagonal axis. Waits for the queue.
  /// @throws Error  if no axis is tridiagonal, or the number of points differs
  void set_systems(Queue& queue, TridiagonalRows const& rows);

  /// The three parts of a solution whose points are distributed among ranks. Each part needs all
  /// points along the axes that it transforms; between them, values move to other ranks:
  ///
  ///   FieldView<Real> const modes = solve.to_modes(queue, source, field, other, slab);
  ///   // move the values of `modes` to boxes with all points along solve.last_axis()
  ///   solve.divide(queue, lines, box, first);
  ///   // move them back
  ///   solve.to_points(queue, field, other, result, slab);
  ///
  /// to_modes() enqueues transforming `source` along all axes but the last one. It returns the
  /// field that holds the modes: `field`, or `other` if transforms cannot work in place. `source`
  /// may be `field`; otherwise it is not changed. `other` may be empty if needs_work() is false.
  FieldView<Real> to_modes(Queue& queue, FieldView<Real const> source, FieldView<Real> field,
                           FieldView<Real> other, LocalBox box) const;
  /// Enqueues transforming `field` back along all axes but the last one, into `result`. If that is
  /// empty, into `field` or `other`. Returns the field that holds the values.
  FieldView<Real> to_points(Queue& queue, FieldView<Real> field, FieldView<Real> other,
                            FieldView<Real> result, LocalBox box) const;
  /// Enqueues the transform along the last axis, the division by eigenvalues and the transform
  /// back.
  /// @param first  indices of the mode at box.lower, counted from the first unknown point
  void divide(Queue& queue, FieldView<Real> field, LocalBox box, Index3 first) const;
  /// Returns the eigenvalues along the axes. They are valid as long as the object exists; those
  /// of a tridiagonal axis are 0.
  /// @param first  indices of the mode to begin with
  [[nodiscard]] Spectrum<Real> spectrum(Index3 first = {}) const;
  /// Returns the axis that is transformed last.
  [[nodiscard]] int last_axis() const { return last_axis_; }
  /// Returns true if a transform along another axis cannot work in place.
  [[nodiscard]] bool needs_work() const;

  /// Returns the numbers of unknown points.
  [[nodiscard]] Extent3 extent() const;
  /// Returns the kinds of the transforms, such as "fft x dense x tridiagonal".
  [[nodiscard]] std::string name() const;

  /// Returns an upper bound on the memory in bytes that the solution needs in addition to its
  /// transforms; see Buffer::footprint.
  /// @param work_in_place  all transforms work in place
  static std::size_t footprint(Backend backend, Extent3 extent, bool work_in_place);

 private:
  /// A pass over the lines of an axis.
  struct Step {
    int axis;
    LineTask task;
    bool to_work;  ///< the pass writes to the working field
  };
  void find_last_axis();
  /// Returns the axes that are transformed before the last one.
  [[nodiscard]] std::vector<int> other_axes() const;
  void plan_steps();
  void copy_eigenvalues(Queue& queue);
  [[nodiscard]] FieldView<Real> work_at(LocalBox const& box);
  void run(Queue& queue, Step const& step, FieldView<Real const> from, FieldView<Real> to,
           LocalBox const& box, Index3 first = {}) const;

  Axes axes_;
  int last_axis_ = 0;
  Real shift_;
  bool drop_constant_;
  std::vector<Step> steps_;
  PerAxis<Buffer> eigenvalues_;
  std::optional<Field<Real>> work_;
};

}  // namespace isotherm
