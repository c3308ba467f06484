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
  /// @throws Error  if no axis has a transform, or there is not enough memory
  SeparableSolve(Queue& queue, Axes axes, double shift, bool drop_constant);

  /// Enqueues solving A result = source at the points of `box`. The source is not changed.
  /// @throws Error  if the extent of the box differs from extent(), a field does not contain the
  ///   box, or both fields are the same one
  void operator()(Queue& queue, FieldView<Real const> source, FieldView<Real> result, LocalBox box);

  /// Returns the numbers of unknown points.
  [[nodiscard]] Extent3 extent() const;
  /// Returns the kinds of the transforms, such as "dense x dense x dense".
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
  void plan_steps();
  [[nodiscard]] Spectrum<Real> spectrum() const;
  [[nodiscard]] FieldView<Real> work_at(LocalBox const& box);
  void run(Queue& queue, Step const& step, FieldView<Real const> from, FieldView<Real> to,
           LocalBox const& box) const;

  Axes axes_;
  Real shift_;
  bool drop_constant_;
  std::vector<Step> steps_;
  PerAxis<Buffer> eigenvalues_;
  std::optional<Field<Real>> work_;
};

}  // namespace isotherm
