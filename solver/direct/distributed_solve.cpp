#include "solver/direct/distributed_solve.hpp"

#include <utility>

#include "solver/direct/axis_operator.hpp"
#include "solver/discretise/boundary.hpp"

namespace isotherm {

namespace {

/// Returns the part of a grid that is cut across one axis.
Subdomain slab(Grid const& grid, int axis, int ranks, int rank) {
  Extent3 parts{1, 1, 1};
  parts[axis] = ranks;
  return {grid, parts, rank};
}

/// Returns the first unknown point of the grid.
Index3 first_unknown(Problem const& problem) {
  return unknown_points(problem, Subdomain(problem.grid, {1, 1, 1}, 0)).lower;
}

}  // namespace

template <class Real>
typename DistributedSolve<Real>::Slabs DistributedSolve<Real>::slabs_of(Problem const& problem,
                                                                        int last, int ranks,
                                                                        int rank) {
  return {slab(problem.grid, last, ranks, rank),
          slab(problem.grid, axis_before(problem.grid, last), ranks, rank)};
}

template <class Real>
DistributedSolve<Real>::DistributedSolve(mpi::Communicator const& ranks, Problem const& problem,
                                         Subdomain const& finest, Queue& queue,
                                         SeparableSolve<Real> const& solve, TransportKind transport,
                                         std::optional<TridiagonalRows> const& rows)
    : DistributedSolve(ranks, problem, finest, queue, solve, transport, rows,
                       slabs_of(problem, solve.last_axis(), ranks.size(), ranks.rank())) {}

template <class Real>
DistributedSolve<Real>::DistributedSolve(mpi::Communicator const& ranks, Problem const& problem,
                                         Subdomain const& finest, Queue& queue,
                                         SeparableSolve<Real> const& solve, TransportKind transport,
                                         std::optional<TridiagonalRows> const& rows,
                                         Slabs const& slabs)
    : queue_(&queue),
      solve_(&solve),
      slab_unknowns_(unknown_points(problem, slabs.across_last)),
      line_unknowns_(unknown_points(problem, slabs.across_other)),
      first_mode_(slabs.across_other.to_global(line_unknowns_.lower) - first_unknown(problem)) {
  if (rows) {
    cut_lines_.emplace(ranks, problem, solve.last_axis(), slabs.across_last, slabs.across_other,
                       queue, transport);
  } else {
    to_lines_.emplace(ranks, slabs.across_last, slabs.across_other, queue, transport);
    lines_.emplace(queue, slabs.across_other.extent(), Index3{0, 0, 0});
  }
  Extent3 const slab = slabs.across_last.extent();
  bool const has_slabs = finest.is_shared_like(slabs.across_last);
  if (!has_slabs) to_slabs_.emplace(ranks, finest, slabs.across_last, queue, transport);
  if (!has_slabs || solve.needs_work()) slab_.emplace(queue, slab, Index3{0, 0, 0});
  if (rows || solve.needs_work()) other_slab_.emplace(queue, slab, Index3{0, 0, 0});
  if (rows) set_systems(*rows);
}

template <class Real>
void DistributedSolve<Real>::set_systems(TridiagonalRows const& rows) {
  cut_lines_->set_systems(rows, solve_->spectrum(), other_slab_->view());
}

template <class Real>
void DistributedSolve<Real>::solve_into(FieldView<Real const> source, FieldView<Real> work,
                                        FieldView<Real> field) {
  FieldView<Real> const slab = slab_ ? slab_->view() : work;
  FieldView<Real> const modes = to_modes(source, slab);
  to_points(solve_last_axis(modes, slab), field);
}

/// Solves the last axis. Returns the slab that holds the result.
template <class Real>
FieldView<Real> DistributedSolve<Real>::solve_last_axis(FieldView<Real> modes,
                                                        FieldView<Real> slab) {
  if (cut_lines_) {
    cut_lines_->solve(modes, scratch_for(modes), solve_->spectrum());
    return modes;
  }
  to_lines_->move(modes, lines_->view());
  if (!line_unknowns_.empty()) {
    solve_->divide(*queue_, lines_->view(), line_unknowns_, first_mode_);
  }
  to_lines_->move_back(std::as_const(*lines_).view(), slab);
  return slab;
}

/// Transforms the source's lines to modes, in `slab`. Returns the slab that holds them.
template <class Real>
FieldView<Real> DistributedSolve<Real>::to_modes(FieldView<Real const> source,
                                                 FieldView<Real> slab) {
  if (to_slabs_) {
    to_slabs_->move(source, slab);
    source = slab;
  }
  // A rank may hold nothing but a Dirichlet face.
  if (slab_unknowns_.empty()) return slab;
  FieldView<Real> const other = other_slab_ ? other_slab_->view() : FieldView<Real>{};
  return solve_->to_modes(*queue_, source, slab, other, slab_unknowns_);
}

/// Transforms the lines of the slab, which holds modes, to the points of a field of the caller.
template <class Real>
void DistributedSolve<Real>::to_points(FieldView<Real> slab, FieldView<Real> result) {
  FieldView<Real> values = slab;
  if (!slab_unknowns_.empty()) {
    values = solve_->to_points(*queue_, slab, scratch_for(slab),
                               to_slabs_ ? FieldView<Real>{} : result, slab_unknowns_);
  }
  if (to_slabs_) to_slabs_->move_back(values, result);
}

/// Returns the slab that does not hold the modes; none if there is one slab only.
template <class Real>
FieldView<Real> DistributedSolve<Real>::scratch_for(FieldView<Real> modes) {
  if (!other_slab_) return {};
  FieldView<Real> const other = other_slab_->view();
  return modes.origin == other.origin ? slab_->view() : other;
}

template <class Real>
std::size_t DistributedSolve<Real>::footprint(Problem const& problem, int last, bool cuts_lines,
                                              Subdomain const& finest, Backend backend, int ranks,
                                              bool in_place, TransportKind transport) {
  // The first part of a division is one of the largest.
  Slabs const slabs = slabs_of(problem, last, ranks, 0);
  Subdomain const first = finest.of_rank(0);
  bool const has_slabs = first.is_shared_like(slabs.across_last);
  std::size_t const slab_count =
      (has_slabs && in_place ? 0 : 1) + (cuts_lines || !in_place ? 1 : 0);
  std::size_t const slab_bytes =
      slab_count * Field<Real>::footprint(backend, slabs.across_last.extent(), {0, 0, 0});
  std::size_t const messages =
      has_slabs ? 0 : Transposition<Real>::footprint(backend, first, slabs.across_last, transport);
  if (cuts_lines) {
    return slab_bytes + messages +
           DistributedLines<Real>::footprint(problem, last, slabs.across_last, slabs.across_other,
                                             backend, transport);
  }
  return slab_bytes + messages +
         Field<Real>::footprint(backend, slabs.across_other.extent(), {0, 0, 0}) +
         Transposition<Real>::footprint(backend, slabs.across_last, slabs.across_other, transport);
}

template class DistributedSolve<float>;
template class DistributedSolve<double>;

}  // namespace isotherm
