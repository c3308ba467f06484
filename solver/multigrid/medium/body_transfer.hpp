#pragma once

#include <memory>
#include <optional>

#include "decomposition/field/assembly.hpp"
#include "decomposition/field/regrid/redistribution.hpp"
#include "kernels/conduction/omission_table.hpp"
#include "kernels/conduction/transfer.hpp"
#include "solver/multigrid/levels/coarsening.hpp"
#include "solver/multigrid/medium/body_level.hpp"

namespace isotherm {

/// Restriction from a heterogeneous level to the next coarser one, and prolongation back.
///
/// The constructor also computes the coarse level's operator. One axis is coarsened at a time. F
/// points are absent from the coarse grid. The value at an F point is the mean of its two C
/// neighbours, weighted by the conductances to them. Restriction is the transpose
/// (kernels/conduction/coarsening.hpp). Neither copyable nor movable.
///
/// Ranks keep the coarse points among their own fine points. If the coarse level is divided
/// differently, a bridge redistributes them; if every rank holds it, the parts are assembled.
template <class Real, int dimension>
class BodyTransfer {
 public:
  using Level = BodyLevel<Real, dimension>;

  /// Computes the interpolation weights and the coarse operator. Collective; waits.
  /// @param ranks  of the whole run, see Transfer
  /// @pre  `fine` has its complete operator. Both levels, `ranks` and `queue` outlive the object.
  BodyTransfer(mpi::Communicator const& ranks, Level& fine, Level& coarse, Queue& queue)
      : queue_(&queue) {
    LevelPlan const& from = fine.plan();
    LevelPlan const& to = coarse.plan();
    by_.dimension = dimension;
    by_.fine_points = from.problem.grid.points;
    by_.coarse_points = to.problem.grid.points;
    PerAxis<bool> const& periodic = from.problem.grid.periodic;
    by_.periodic_x = periodic[0];
    by_.periodic_y = periodic[1];
    by_.periodic_z = periodic[2];
    by_.fine_first = from.subdomain.owned_global().lower;
    by_.coarse_first = to.subdomain.owned_global().lower;
    by_.between_first = by_.fine_first;
    make_operator(fine, coarse);
    if (to.everywhere && !from.everywhere) assembly_.emplace(ranks, box_, to.subdomain.owned());
    for (DistributedField<Real>& field : coarse.flow().fields()) {
      if (assembly_) assembly_->assemble(queue, coarse.space().staging(), field.writable());
    }
    coarse.complete_flow();
  }

  /// Returns an upper bound on the bytes that the object and its construction allocate, see
  /// Buffer::footprint.
  static std::size_t footprint(LevelPlan const& fine, LevelPlan const& coarse, Backend backend) {
    Grid const& to = coarse.problem.grid;
    Between at{fine.problem, fine.subdomain};
    int depth = fine.depth;
    std::size_t bytes = 0;
    std::vector<int> const axes = coarsened_axes(fine, coarse);
    for (int const axis : axes) {
      Index3 const halo = FieldSpace<Real>::halo_points_of(to, depth);
      bytes += Field<Real>::footprint(backend, at.subdomain.extent(), halo);  // weights
      if (at.problem.grid.is_graded(axis)) {
        bytes += OmissionLists::footprint(backend, at.problem.grid.points[axis], to.points[axis]);
      }
      // The same sequence of intermediate grids as in make_operator().
      at = coarsened(at, to, axis);
      bool const is_last = axis == axes.back();
      bool const crosses = is_last && is_shared_anew(at, coarse);
      if (is_last && !crosses) break;
      depth = depth_of(at);
      std::size_t const fields = dimension + 1 + (crosses ? 1 : 0);
      bytes += fields * Field<Real>::footprint(backend, at.subdomain.extent(),
                                               FieldSpace<Real>::halo_points_of(to, depth)) +
               FieldSpace<Real>::footprint(backend, at.subdomain, depth, TransportKind::automatic);
      if (crosses) {
        bytes += Redistribution<Real>::footprint(backend, at.subdomain, coarse.subdomain);
      }
    }
    return bytes;
  }

  /// Enqueues restricting a residual to the coarse level's source. Collective.
  void restrict_to_source(DistributedField<Real>& fine, Level& coarse) {
    FieldView<Real> const source = coarse.source().writable();
    gather_flow(*queue_, by_, fine.with_halo(), bridge_ ? bridge_->field.writable() : source, box_);
    if (bridge_) bridge_->cross(bridge_->field, coarse.source());
    if (assembly_) assembly_->assemble(*queue_, coarse.space().staging(), source);
  }
  /// Enqueues adding the prolongated correction of the coarse level to the fine level's.
  /// Collective.
  void add_interpolated(Level& coarse, Level& fine) {
    if (bridge_) bridge_->cross_back(coarse.correction());
    DistributedField<Real>& correction = bridge_ ? bridge_->field : coarse.correction();
    spread_flow(*queue_, by_, correction.with_halo(), fine.correction().writable(), fine.unknown());
  }

 private:
  /// An intermediate grid between two levels, already coarse along some axes.
  struct Between {
    Problem problem;
    Subdomain subdomain;
    std::unique_ptr<FieldSpace<Real>> space{};
    std::unique_ptr<FlowSet<Real>> flow{};
  };

  /// The coarse grid divided like the fine level, and the redistribution between it and the coarse
  /// level. It is needed if the coarse level is divided differently.
  struct Bridge {
    Bridge(mpi::Communicator const& ranks, Between const& at, Subdomain const& level, Queue& queue)
        : space(ranks, at.subdomain, queue, halo_shape(at.problem, depth_of(at)), plainest(queue)),
          field(space),
          way(ranks, at.subdomain, level) {}
    /// Enqueues moving a field from the fine level's division to the coarse level's. Collective.
    void cross(DistributedField<Real> const& from, DistributedField<Real>& to) {
      way.move(space.queue(), space.staging(), from.view(), to.writable());
    }
    /// Enqueues moving a correction back into `field`. Collective.
    void cross_back(DistributedField<Real> const& from) {
      way.move_back(space.queue(), space.staging(), from.view(), field.writable());
    }
    FieldSpace<Real> space;
    DistributedField<Real> field;
    Redistribution<Real> way;
  };

  /// The transport with the least set-up; intermediate grids exchange few halos.
  static TransportKind plainest(Queue const& queue) {
    return queue.backend() == Backend::cpu ? TransportKind::mpi : TransportKind::staged;
  }

  /// Computes the coarse operator one axis at a time, and keeps each axis's interpolation weights.
  void make_operator(Level& fine, Level& coarse) {
    Between at{fine.plan().problem, fine.plan().subdomain};
    FlowSet<Real>* flow = &fine.flow();
    FieldSpace<Real>* space = &fine.space();
    std::vector<int> const axes = coarsened_axes(fine.plan(), coarse.plan());
    for (int const axis : axes) {
      Between next = coarsened(at, coarse.plan().problem.grid, axis);
      AxisCoarsening by{
          axis, dimension, omission(at.problem.grid, coarse.plan().problem.grid, axis),
          at.subdomain.owned_global().lower[axis], next.subdomain.owned_global().lower[axis]};
      // Interpolation along this axis reads the operator of the grid that is still fine along it.
      FieldView<Real const> const weights = make_weights(by, *flow, *space, at);
      bool const is_last = axis == axes.back();
      if (is_last && is_shared_anew(next, coarse.plan())) {
        bridge_.emplace(fine.ranks(), next, coarse.plan().subdomain, *queue_);
        make_across_bridge(by, flow->with_halo(), weights, coarse);
      } else if (is_last) {
        // The coarse level may be indexed differently from the rank's part of its grid.
        by.coarse_first = by_.coarse_first[axis];
        box_ = coarse.plan().subdomain.to_local(next.subdomain.owned_global());
        FlowFields<Real const> const read = shifted(coarse, flow->with_halo(), at, axis);
        coarsen_flow(*queue_, by, read, shifted(coarse, weights, at, axis),
                     coarse.flow().writable(), box_);
      } else {
        next.space = std::make_unique<FieldSpace<Real>>(fine.ranks(), next.subdomain, *queue_,
                                                        halo_shape(next.problem, depth_of(next)),
                                                        plainest(*queue_));
        next.flow = std::make_unique<FlowSet<Real>>(*next.space, dimension);
        coarsen_flow(*queue_, by, flow->with_halo(), weights, next.flow->writable(),
                     next.subdomain.owned());
        flow = next.flow.get();
        space = next.space.get();
      }
      queue_->wait();  // the fields that were read may be freed now
      at = std::move(next);
      // Weights of later axes lie on a grid that is coarse along this one.
      by_.between_first[axis] = at.subdomain.owned_global().lower[axis];
    }
    note_coarsened(axes);
  }

  /// Computes the coarse operator at the points of the bridge's division, and moves it to the
  /// coarse level's.
  void make_across_bridge(AxisCoarsening const& by, FlowFields<Real const> const& fine,
                          FieldView<Real const> weights, Level& coarse) {
    Subdomain const& part = bridge_->space.subdomain();
    box_ = part.owned();
    by_.coarse_first = part.owned_global().lower;
    FlowSet<Real> made(bridge_->space, dimension);
    coarsen_flow(*queue_, by, fine, weights, made.writable(), box_);
    for (std::size_t n = 0; n < made.fields().size(); ++n) {
      bridge_->cross(made.fields()[n], coarse.flow().fields()[n]);
    }
  }

  /// True if the coarse level is shared, but divided otherwise than the fine level.
  static bool is_shared_anew(Between const& followed, LevelPlan const& coarse) {
    return !coarse.everywhere && !followed.subdomain.is_shared_like(coarse.subdomain);
  }

  /// The depth of an intermediate grid's halo.
  static int depth_of(Between const& of) {
    constexpr int reach = 4;
    return std::clamp(deepest_halo(of.problem, of.subdomain), 1, reach);
  }

  /// Returns the axes along which the two levels have different numbers of points.
  static std::vector<int> coarsened_axes(LevelPlan const& fine, LevelPlan const& coarse) {
    std::vector<int> axes;
    for (int axis = 0; axis < dimension; ++axis) {
      bool const alike = fine.problem.grid.points[axis] == coarse.problem.grid.points[axis];
      if (!alike) axes.push_back(axis);
    }
    return axes;
  }
  /// Returns the grid with an axis's points replaced by those of the coarse grid, divided
  /// accordingly.
  static Between coarsened(Between const& at, Grid const& coarse, int axis) {
    Problem problem = at.problem;
    problem.grid.points[axis] = coarse.points[axis];
    problem.grid.periodic[axis] = coarse.periodic[axis];
    problem.grid.lower[axis] = coarse.lower[axis];
    problem.grid.spacing[axis] = coarse.spacing[axis];
    problem.grid.graded[axis] = coarse.graded[axis];
    return {problem, part_of_coarser(at.subdomain, problem.grid)};
  }

  /// Returns the C points of an axis. For a graded axis the lists are stored in the queue's memory.
  Omission omission(Grid const& fine, Grid const& coarse, int axis) {
    Omission result{fine.points[axis], fine.periodic[axis]};
    if (!fine.is_graded(axis)) return result;
    lists_[axis] = OmissionLists(*queue_, fine.points[axis], remaining_points(fine, coarse, axis));
    result.table = lists_[axis].table();
    (axis == 0 ? by_.table_x : axis == 1 ? by_.table_y : by_.table_z) = result.table;
    return result;
  }

  /// Returns a view of a field on an intermediate grid, reindexed like the coarse level on all axes
  /// except the last one, which is still fine.
  template <class T>
  [[nodiscard]] static FieldView<T> shifted(Level const& coarse, FieldView<T> view,
                                            Between const& at, int axis) {
    // Indices along axes that are already coarse differ by the offset of the two frames.
    Index3 by = coarse.plan().subdomain.owned_global().lower - at.subdomain.owned_global().lower;
    by[axis] = 0;
    if (!view) return view;
    view.origin = &view(by.x, by.y, by.z);
    view.box = {view.box.lower - by, view.box.upper - by};
    return view;
  }
  [[nodiscard]] static FlowFields<Real const> shifted(Level const& coarse,
                                                      FlowFields<Real const> const& of,
                                                      Between const& at, int axis) {
    return {shifted(coarse, of.x, at, axis), shifted(coarse, of.y, at, axis),
            shifted(coarse, of.z, at, axis), shifted(coarse, of.absorption, at, axis)};
  }

  /// Computes the interpolation weights of an axis's F points, with their ghost layers.
  FieldView<Real const> make_weights(AxisCoarsening const& by, FlowSet<Real>& flow,
                                     FieldSpace<Real>& space, Between const& at) {
    // The weights' halo is needed because prolongation reads neighbours in other parts.
    auto& own = weights_[static_cast<std::size_t>(by.axis)];
    own.emplace(*queue_, at.subdomain.extent(), space.halo_points());
    set_omission_weights(*queue_, by, flow.with_halo(), own->view(), at.subdomain.owned());
    space.halo().begin(own->view());
    space.halo().finish(own->view());
    FieldView<Real const> const view = std::as_const(*own).view();
    (by.axis == 0 ? by_.weights_x : by.axis == 1 ? by_.weights_y : by_.weights_z) = view;
    return view;
  }

  /// Notes in the transfer which axes were coarsened.
  void note_coarsened(std::vector<int> const& axes) {
    for (int const axis : axes) {
      (axis == 0 ? by_.coarsened_x : axis == 1 ? by_.coarsened_y : by_.coarsened_z) = true;
    }
  }

  Queue* queue_;
  std::array<std::optional<Field<Real>>, 3> weights_{};  ///< of each axis's F points
  PerAxis<OmissionLists> lists_{};                       ///< C points of graded axes
  FlowTransfer<Real> by_{};
  LocalBox box_{};                            ///< the coarse points that this rank computes
  std::optional<Bridge> bridge_{};            ///< if the coarse level is divided differently
  std::optional<Assembly<Real>> assembly_{};  ///< if only the coarse level is held by every rank
};

}  // namespace isotherm
