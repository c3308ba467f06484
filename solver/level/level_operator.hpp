#pragma once

#include "decomposition/field/field_space.hpp"
#include "kernels/operators/conductances.hpp"
#include "solver/level/medium/conductance_fields.hpp"
#include "solver/level/medium/separable_conductance_rows.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

/// The operator of a level, and the memory that it refers to. The primary template is that for
/// constant coefficients, which need no memory. The specialisations compute the coefficients of a
/// heterogeneous medium. Neither copyable nor movable.
template <class Operator>
class LevelOperator {
 public:
  /// Stores the coefficients; problem and space are not needed.
  LevelOperator(Operator const& op, Problem const& /*problem*/,
                FieldSpace<typename Operator::Real>& /*space*/)
      : operator_(op) {}

  /// The operator, for rules and residuals.
  [[nodiscard]] Operator const& get() const { return operator_; }
  /// Sets the operator for steps of another length.
  void set(Operator const& op) { operator_ = op; }

 private:
  Operator operator_;
};

/// A heterogeneous operator. Its conductances belong to the problem's medium and do not depend on
/// the step length.
template <class Real, int dimension>
class LevelOperator<Conductances<Real, dimension>> {
 public:
  /// Computes the conductances of the problem's medium; the argument only selects the type.
  /// Collective.
  LevelOperator(Conductances<Real, dimension> const& /*of*/, Problem const& problem,
                FieldSpace<Real>& space)
      : fields_(problem, space), operator_(fields_.view()) {}

  [[nodiscard]] Conductances<Real, dimension> const& get() const { return operator_; }
  /// The operator does not depend on the step length.
  void set(Conductances<Real, dimension> const& /*of*/) {}

 private:
  ConductanceFields<Real, dimension> fields_;
  Conductances<Real, dimension> operator_;
};

/// A heterogeneous operator with separable coefficients: conductances are products of numbers along
/// the axes. They do not depend on the step length either.
template <class Real, int dimension>
class LevelOperator<SeparableConductances<Real, dimension>> {
 public:
  /// Computes the rows of the problem's medium; the argument only selects the type.
  LevelOperator(SeparableConductances<Real, dimension> const& /*of*/, Problem const& problem,
                FieldSpace<Real>& space)
      : rows_(problem, space), operator_(rows_.view()) {}

  [[nodiscard]] SeparableConductances<Real, dimension> const& get() const { return operator_; }
  /// The operator does not depend on the step length.
  void set(SeparableConductances<Real, dimension> const& /*of*/) {}

 private:
  SeparableConductanceRows<Real, dimension> rows_;
  SeparableConductances<Real, dimension> operator_;
};

/// Returns an upper bound on the bytes that the operator of a problem's sweeps allocates, see
/// Buffer::footprint.
template <class Real>
std::size_t operator_footprint(Problem const& problem, Backend backend, Extent3 owned,
                               Index3 halo) {
  if (!is_heterogeneous(problem)) return 0;
  if (is_separable(problem)) {
    return SeparableConductanceRows<Real, 3>::footprint(backend, owned, halo);
  }
  return problem.grid.dimension == 2
             ? ConductanceFields<Real, 2>::footprint(problem, backend, owned, halo)
             : ConductanceFields<Real, 3>::footprint(problem, backend, owned, halo);
}

}  // namespace isotherm
