#include "solver/direct/distributed_solve.hpp"

#include <utility>

#include "solver/discretise/boundary.hpp"

namespace isotherm {

namespace {

/// Returns the last axis of the grid other than the one that is solved last; −1 if there is none.
int other_axis(Grid const& grid, int last) {
  int axis = grid.dimension - 1;
  while (axis >= 0 && (axis == last || grid.points[axis] == 1)) --axis;
  return axis;
}

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
bool DistributedSolve<Real>::is_worthwhile(Problem const& problem, int last, int ranks) {
  constexpr std::int64_t few_points = 1 << 15;
  int const other = other_axis(problem.grid, last);
  return ranks > 1 && last >= 0 && other >= 0 && problem.grid.points[last] >= ranks &&
         problem.grid.points[other] >= ranks && problem.grid.point_count() >= few_points;
}

template <class Real>
typename DistributedSolve<Real>::Slabs DistributedSolve<Real>::slabs_of(Problem const& problem,
                                                                        int last, int ranks,
                                                                        int rank) {
  return {slab(problem.grid, last, ranks, rank),
          slab(problem.grid, other_axis(problem.grid, last), ranks, rank)};
}

template <class Real>
DistributedSolve<Real>::DistributedSolve(mpi::Communicator const& ranks, Problem const& problem,
                                         Subdomain const& finest, Queue& queue,
                                         SeparableSolve<Real> const& solve, TransportKind transport)
    : DistributedSolve(ranks, problem, finest, queue, solve, transport,
                       slabs_of(problem, solve.last_axis(), ranks.size(), ranks.rank())) {}

template <class Real>
DistributedSolve<Real>::DistributedSolve(mpi::Communicator const& ranks, Problem const& problem,
                                         Subdomain const& finest, Queue& queue,
                                         SeparableSolve<Real> const& solve, TransportKind transport,
                                         Slabs const& slabs)
    : queue_(&queue),
      solve_(&solve),
      to_lines_(ranks, slabs.across_last, slabs.across_other, queue, transport),
      slab_unknowns_(unknown_points(problem, slabs.across_last)),
      line_unknowns_(unknown_points(problem, slabs.across_other)),
      first_mode_(slabs.across_other.to_global(line_unknowns_.lower) - first_unknown(problem)),
      lines_(queue, slabs.across_other.extent(), Index3{0, 0, 0}) {
  Extent3 const slab = slabs.across_last.extent();
  bool const has_slabs = finest.is_shared_like(slabs.across_last);
  if (!has_slabs) to_slabs_.emplace(ranks, finest, slabs.across_last, queue, transport);
  if (!has_slabs || solve.needs_work()) slab_.emplace(queue, slab, Index3{0, 0, 0});
  if (solve.needs_work()) other_slab_.emplace(queue, slab, Index3{0, 0, 0});
}

template <class Real>
void DistributedSolve<Real>::operator()(FieldView<Real const> source, FieldView<Real> correction) {
  // The points of Dirichlet faces of the correction are 0, and keep that value.
  FieldView<Real> const slab = slab_ ? slab_->view() : correction;
  FieldView<Real> const modes = to_modes(source, slab);
  to_lines_.move(modes, lines_.view());
  if (!line_unknowns_.empty()) {
    solve_->divide(*queue_, lines_.view(), line_unknowns_, first_mode_);
  }
  to_lines_.move_back(std::as_const(lines_).view(), slab);
  to_points(slab, correction);
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

/// Transforms the slab's lines to points.
template <class Real>
void DistributedSolve<Real>::to_points(FieldView<Real> slab, FieldView<Real> correction) {
  FieldView<Real> const other = other_slab_ ? other_slab_->view() : FieldView<Real>{};
  FieldView<Real> result = slab;
  if (!slab_unknowns_.empty()) {
    result = solve_->to_points(*queue_, slab, other, to_slabs_ ? FieldView<Real>{} : correction,
                               slab_unknowns_);
  }
  if (to_slabs_) to_slabs_->move_back(result, correction);
}

template <class Real>
std::size_t DistributedSolve<Real>::footprint(Problem const& problem, int last,
                                              Subdomain const& finest, Backend backend, int ranks,
                                              bool in_place, TransportKind transport) {
  // The first part of a division is one of the largest.
  Slabs const slabs = slabs_of(problem, last, ranks, 0);
  Subdomain const first = finest.of_rank(0);
  bool const has_slabs = first.is_shared_like(slabs.across_last);
  std::size_t const slab_count = in_place ? (has_slabs ? 0 : 1) : 2;
  std::size_t const fields =
      slab_count * Field<Real>::footprint(backend, slabs.across_last.extent(), {0, 0, 0}) +
      Field<Real>::footprint(backend, slabs.across_other.extent(), {0, 0, 0});
  std::size_t messages =
      Transposition<Real>::footprint(backend, slabs.across_last, slabs.across_other, transport);
  if (!has_slabs) {
    messages += Transposition<Real>::footprint(backend, first, slabs.across_last, transport);
  }
  return fields + messages;
}

template class DistributedSolve<float>;
template class DistributedSolve<double>;

}  // namespace isotherm
