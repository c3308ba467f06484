#include "solver/direct/distributed_lines.hpp"

#include <utility>

#include "decomposition/ranks/collective_errors.hpp"
#include "solver/discretise/boundary.hpp"

namespace isotherm {

namespace {

/// Returns the divisions of the separators.
template <class Planes>
Planes planes_of(Problem const& problem, int axis, Subdomain const& slab, Subdomain const& chains) {
  Grid const& grid = problem.grid;
  Extent3 points = grid.points;
  points[axis] = 2 * slab.parts()[axis];
  Grid const planes = make_grid(grid.dimension, points, {0, 0, 0}, {1, 1, 1}, {});
  return {Subdomain(planes, slab.parts(), slab.rank()),
          Subdomain(planes, chains.parts(), chains.rank())};
}

/// Returns the number of the slab's first unknown point along an axis, among those of the grid.
std::int64_t first_row_of(Problem const& problem, int axis, Subdomain const& slab) {
  Subdomain const whole(problem.grid, {1, 1, 1}, 0);
  return slab.to_global(unknown_points(problem, slab).lower)[axis] -
         unknown_points(problem, whole).lower[axis];
}

}  // namespace

template <class Real>
DistributedLines<Real>::DistributedLines(mpi::Communicator const& ranks, Problem const& problem,
                                         int axis, Subdomain const& slab, Subdomain const& chains,
                                         Queue& queue, TransportKind transport)
    : DistributedLines(ranks, problem, axis, slab, chains,
                       planes_of<Planes>(problem, axis, slab, chains), queue, transport) {}

template <class Real>
DistributedLines<Real>::DistributedLines(mpi::Communicator const& ranks, Problem const& problem,
                                         int axis, Subdomain const& slab, Subdomain const& chains,
                                         Planes const& planes, Queue& queue,
                                         TransportKind transport)
    : ranks_(&ranks),
      queue_(&queue),
      axis_(axis),
      parts_(slab.parts()[axis]),
      slab_unknowns_(unknown_points(problem, slab)),
      chain_unknowns_(unknown_points(problem, chains)),
      first_row_(first_row_of(problem, axis, slab)),
      exchange_(ranks, planes.of_slabs, planes.of_chains, queue, transport),
      planes_(queue, planes.of_slabs.extent(), Index3{0, 0, 0}),
      sources_(queue, planes.of_chains.extent(), Index3{0, 0, 0}),
      chains_(queue, planes.of_chains.extent(), Index3{0, 0, 0}) {}

template <class Real>
void DistributedLines<Real>::set_systems(TridiagonalRows const& rows,
                                         Spectrum<Real> const& spectrum, FieldView<Real> scratch) {
  queue_->wait();  // the old systems end here
  std::int64_t const end = first_row_ + slab_unknowns_.extent()[axis_];
  rethrow_on_all_ranks(*ranks_, [&] { part_.emplace(*queue_, rows, first_row_, end); });
  part_->write_grounds(*queue_, scratch, planes_.view(), slab_unknowns_, axis_, spectrum);
  exchange_.move(planes_.view(), chains_.view());
  part_->write_links(*queue_, scratch, planes_.view(), slab_unknowns_, axis_, spectrum);
  exchange_.move(planes_.view(), sources_.view());
  eliminate_chain<Real>(*queue_, chains_.view(), sources_.view(), chain_unknowns_, axis_, parts_);
}

template <class Real>
void DistributedLines<Real>::solve(FieldView<Real> field, FieldView<Real> scratch,
                                   Spectrum<Real> const& spectrum) {
  part_->reduce(*queue_, field, scratch, planes_.view(), slab_unknowns_, axis_, spectrum);
  exchange_.move(planes_.view(), sources_.view());
  solve_chain<Real>(*queue_, chains_.view(), sources_.view(), chain_unknowns_, axis_, parts_);
  exchange_.move_back(sources_.view(), planes_.view());
  part_->substitute(*queue_, planes_.view(), field, slab_unknowns_, axis_, spectrum);
}

template <class Real>
std::size_t DistributedLines<Real>::footprint(Problem const& problem, int axis,
                                              Subdomain const& slab, Subdomain const& chains,
                                              Backend backend, TransportKind transport) {
  auto const planes = planes_of<Planes>(problem, axis, slab, chains);
  return LinePart<Real>::footprint(backend, slab.extent()[axis]) +
         Field<Real>::footprint(backend, planes.of_slabs.extent(), {0, 0, 0}) +
         2 * Field<Real>::footprint(backend, planes.of_chains.extent(), {0, 0, 0}) +
         Transposition<Real>::footprint(backend, planes.of_slabs, planes.of_chains, transport);
}

template class DistributedLines<float>;
template class DistributedLines<double>;

}  // namespace isotherm
