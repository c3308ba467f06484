#include "solver/direct/separable_correction.hpp"

#include <cmath>
#include <utility>

#include "kernels/core/timeline/timeline.hpp"
#include "kernels/faces/faces.hpp"
#include "solver/direct/axis_modes_of_pencil.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/level/halo_shape.hpp"
#include "solver/multigrid/levels/coarsening.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns the part of a rank that holds the whole grid.
Subdomain whole(Problem const& problem) { return {problem.grid, {1, 1, 1}, 0}; }

/// Returns the number of ranks that share a grid.
int ranks_of(Subdomain const& part) {
  Extent3 const parts = part.parts();
  return static_cast<int>(parts.x * parts.y * parts.z);
}

/// Returns √2 for each axis with a Neumann face, multiplied.
double half_cell_factor(Problem const& problem) {
  double squared = 1.0;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    if (problem.grid.points[axis] == 1) continue;
    bool const has_neumann = is(problem, {axis, false}, BoundaryKind::neumann) ||
                             is(problem, {axis, true}, BoundaryKind::neumann);
    if (has_neumann) squared *= 2.0;
  }
  return std::sqrt(squared);
}

/// All that depends on σ.
struct Scaling {
  double scale = 1.0;                        ///< factor of the operator
  double sigma = 0.0;                        ///< reaction term, without that factor
  PerAxis<double> weights{{1.0, 1.0, 1.0}};  ///< factors of the eigenvalues along the axes
  double shift = 0.0;                        ///< reaction term of the division by eigenvalues
};

/// Returns the scaling of the eigenvalues.
Scaling scaling_of(Problem const& problem, SeparableOperator const& op) {
  Scaling scaling;
  for (int axis = 0; axis < 3; ++axis) {
    AxisOperator const& along = op.along[axis];
    // Transforms in closed form assume cells of width 1. Heat flows contain the cell's volume.
    bool const is_transformed = axis != op.tridiagonal;
    if (is_transformed && along.integration == Integration::integrated) {
      scaling.scale *= along.width;
    }
  }
  for (int axis = 0; axis < 3; ++axis) {
    AxisOperator const& along = op.along[axis];
    scaling.weights[axis] = along.ends ? scaling.scale * along.weight : scaling.scale;
  }
  scaling.sigma = is_heterogeneous(problem)
                      ? problem.sigma * problem.diffusivity * medium_units(problem).time()
                      : relaxation_shift(problem.grid, problem.sigma);
  // Tridiagonal systems contain the reaction term.
  scaling.shift = op.tridiagonal >= 0 ? 0.0 : scaling.scale * scaling.sigma;
  return scaling;
}

/// Returns the systems of the tridiagonal axis.
TridiagonalRows rows_of(SeparableOperator const& op, Scaling const& scaling) {
  return tridiagonal_rows(op.along[op.tridiagonal], scaling.scale, scaling.sigma);
}

/// Returns the systems whose lines remain cut; none if lines are moved.
std::optional<TridiagonalRows> cut_rows(Problem const& problem, SeparableOperator const& op,
                                        int ranks) {
  if (!cuts_lines(problem, op, ranks)) return std::nullopt;
  return rows_of(op, scaling_of(problem, op));
}

/// Makes the transform of an axis; none if nothing varies along it.
/// @param modes  of its pencil, if it has no closed form
/// @param weight  factor of its eigenvalues
template <class Real>
std::optional<SeparableAxis<Real>> transform_of(Queue& queue, AxisOperator const& along,
                                                ModeMatrices const& modes, double weight) {
  if (!along.varies) return std::nullopt;
  if (!along.ends) {
    return SeparableAxis<Real>{DenseTransform<Real>(queue, modes), weight};
  }
  if (is_by_fft(queue.backend(), along)) {
    return SeparableAxis<Real>{
        FftTransform<Real>(queue, *along.ends, along.intervals, along.integration), weight};
  }
  ModeMatrices const closed = closed_form_modes(*along.ends, along.intervals, along.integration);
  return SeparableAxis<Real>{DenseTransform<Real>(queue, closed), weight};
}

/// Makes the solver of the grid's unknowns; none if there are no unknowns.
/// @param is_distributed  no rank holds all of them
template <class Real>
std::optional<SeparableSolve<Real>> solve_of(Queue& queue, Problem const& problem,
                                             SeparableOperator const& op, bool is_distributed) {
  bool is_any = false;
  for (AxisOperator const& along : op.along) {
    if (along.count == 0) return std::nullopt;
    is_any = is_any || along.varies;
  }
  if (!is_any) return std::nullopt;
  Scaling const scaling = scaling_of(problem, op);
  PerAxis<ModeMatrices> const modes = modes_of_pencils(op);
  typename SeparableSolve<Real>::Axes axes;
  for (int axis = 0; axis < 3; ++axis) {
    if (axis == op.tridiagonal) {
      axes[axis] = SeparableAxis<Real>{TridiagonalSolve<Real>(queue, rows_of(op, scaling))};
    } else {
      axes[axis] = transform_of<Real>(queue, op.along[axis], modes[axis], scaling.weights[axis]);
    }
  }
  // The caller sets the mean if nothing gives values. (In a time step σ is not a reaction term.) In
  // time steps of a heterogeneous medium the constant mode has the eigenvalue σ.
  bool const is_step = problem.equation == Equation::diffusion;
  bool const is_steady = problem.sigma == 0.0;
  bool const drop_constant = is_heterogeneous(problem)
                                 ? is_steady
                                 : !has_dirichlet_face(problem) && (is_step || is_steady);
  return SeparableSolve<Real>(queue, std::move(axes), scaling.shift, drop_constant,
                              !is_distributed);
}

}  // namespace

template <class Real>
SeparableCorrection<Real>::SeparableCorrection(
    mpi::Communicator const& ranks, Problem const& problem, Subdomain const& finest,
    MultigridSettings const& /*settings*/, Execution const& execution, Queue& queue,
    std::function<void(OperatorFields<Real> const&)> const& /*make_operator_fields*/,
    bool /*mean_free*/)
    : SeparableCorrection(ranks, problem, finest, execution, queue,
                          separable_operator(problem, queue.backend(), ranks.size())) {}

template <class Real>
SeparableCorrection<Real>::SeparableCorrection(mpi::Communicator const& ranks,
                                               Problem const& problem, Subdomain const& finest,
                                               Execution const& execution, Queue& queue,
                                               SeparableOperator const& op)
    : queue_(&queue),
      rank_count_(ranks.size()),
      is_distributed_(is_worth_distributing(problem, op.last_axis(), ranks.size())),
      offset_(is_distributed_ ? Index3{} : finest.owned_global().lower),
      space_(is_distributed_ ? ranks : alone_, is_distributed_ ? finest : whole(problem), queue,
             halo_shape(problem, 1),
             is_distributed_ ? execution.transport : TransportKind::automatic),
      source_(space_),
      correction_(space_),
      unknown_(unknown_points(problem, space_.subdomain())),
      solve_(solve_of<Real>(queue, problem, op, is_distributed_)) {
  for (DistributedField<Real>* field : {&source_, &correction_}) {
    FieldView<Real> const view = field->writable();
    fill(queue, view, view.box, Real{0});
  }
  if (!is_heterogeneous(problem)) {
    smallest_eigenvalue_ = smallest_eigenvalue(problem);
    half_cells_ = half_cell_factor(problem);
  }
  if (is_distributed_) {
    if (solve_) {
      distributed_.emplace(ranks, problem, finest, queue, *solve_, execution.transport,
                           cut_rows(problem, op, ranks.size()));
    }
  } else if (ranks.size() > 1) {
    Subdomain const all = whole(problem);
    assembly_.emplace(ranks, all.to_local(finest.owned_global()), all.grid_box(),
                      execution.transport);
  }
}

template <class Real>
std::size_t SeparableCorrection<Real>::footprint(Problem const& problem, Subdomain const& finest,
                                                 MultigridSettings const& /*settings*/,
                                                 Backend backend, TransportKind transport) {
  int const ranks = ranks_of(finest);
  SeparableOperator const op = separable_operator(problem, backend, ranks);
  int const last = op.last_axis();
  bool const is_distributed = is_worth_distributing(problem, last, ranks);
  Subdomain const held = is_distributed ? finest : whole(problem);
  Index3 const halo = FieldSpace<Real>::halo_points_of(problem.grid, 1);
  std::size_t bytes = 2 * Field<Real>::footprint(backend, held.extent(), halo) +
                      FieldSpace<Real>::footprint(backend, held, 1, transport);
  Extent3 unknowns{1, 1, 1};
  bool in_place = true;
  for (int axis = 0; axis < 3; ++axis) {
    AxisOperator const& along = op.along[axis];
    if (!along.varies) continue;
    unknowns[axis] = along.count;
    if (axis == op.tridiagonal) {
      bytes += TridiagonalSolve<Real>::footprint(backend, along.count);
    } else if (is_by_fft(backend, along)) {
      bytes += FftTransform<Real>::footprint(backend, *along.ends, along.intervals);
    } else if (along.count > 0) {
      bytes += DenseTransform<Real>::footprint(backend, static_cast<int>(along.count));
      in_place = in_place && backend == Backend::cpu;  // on devices, short lines only
    }
  }
  if (!is_distributed && ranks > 1) {
    bytes += Assembly<Real>::footprint(backend, finest.parts(), problem.grid.points);
  }
  if (is_distributed) {
    bytes += DistributedSolve<Real>::footprint(problem, last, cuts_lines(problem, op, ranks),
                                               finest, backend, ranks, in_place, transport);
  }
  return bytes + SeparableSolve<Real>::footprint(backend, unknowns, in_place || is_distributed);
}

template <class Real>
void SeparableCorrection<Real>::set_sigma(Problem const& problem) {
  if (!solve_) return;
  SeparableOperator const op = separable_operator(problem, queue_->backend(), rank_count_);
  Scaling const scaling = scaling_of(problem, op);
  solve_->set_operator(*queue_, scaling.weights, scaling.shift);
  if (op.tridiagonal < 0) return;
  TridiagonalRows const rows = rows_of(op, scaling);
  solve_->set_systems(*queue_, rows);
  if (distributed_ && cuts_lines(problem, op, rank_count_)) distributed_->set_systems(rows);
}

template <class Real>
std::optional<double> SeparableCorrection<Real>::error_bound(Norm norm) const {
  if (norm != Norm::l2 || !smallest_eigenvalue_) return std::nullopt;
  return half_cells_ / *smallest_eigenvalue_;
}

template <class Real>
void SeparableCorrection<Real>::cycle() {
  if (assembly_) assembly_->assemble(*queue_, space_.staging(), source_.writable());
  // The points of Dirichlet faces of the correction are 0, and keep that value.
  solve_into(correction_.writable());
}

template <class Real>
void SeparableCorrection<Real>::solve_into(FieldView<Real> field) {
  TimelineScope const scope("direct", *queue_);
  if (distributed_) {
    distributed_->solve_into(source_.view(), correction_.writable(), field);
  } else if (solve_) {
    (*solve_)(*queue_, source_.view(), field, unknown_);
  }
}

template class SeparableCorrection<float>;
template class SeparableCorrection<double>;

}  // namespace isotherm
