#pragma once

#include <memory>
#include <optional>

#include "decomposition/field/assembly.hpp"
#include "decomposition/field/regrid/redistribution.hpp"
#include "kernels/conduction/coarse_point_table.hpp"
#include "kernels/conduction/transfer.hpp"
#include "solver/multigrid/levels/coarsening.hpp"
#include "solver/multigrid/medium/medium_level.hpp"

namespace isotherm {

/// Restriction from a heterogeneous level to the next coarser one, and prolongation back.
///
/// The constructor also computes the coarse level's operator. One axis is coarsened at a time. F
/// points are absent from the coarse grid. The value at an F point is the mean of its two C
/// neighbours, weighted by the conductances to them. Restriction is the transpose
/// (kernels/conduction/coarsening.hpp), as in R. E. Alcouffe, A. Brandt, J. E. Dendy and J. W.
/// Painter, 1981. Neither copyable nor movable.
///
/// Each rank computes the coarse points among its own fine points. If the coarse level is divided
/// differently, a bridge redistributes them. If every rank holds the coarse level, the parts are
/// assembled. All members expect the two levels of the constructor.
template <class Real, int dimension>
class MediumTransfer {
 public:
  using Level = MediumLevel<Real, dimension>;

  /// Computes the interpolation weights and the coarse operator. Collective; waits.
  /// @param ranks, transport  of the whole run, see Transfer
  /// @pre  `fine` has its complete operator. Both levels, `ranks` and `queue` outlive the object.
  MediumTransfer(mpi::Communicator const& ranks, Level& fine, Level& coarse, Queue& queue,
                 TransportKind transport)
      : queue_(&queue) {
    LevelPlan const& from = fine.plan();
    LevelPlan const& to = coarse.plan();
    // Describe the two grids for the kernels. make_operator() adds the weights of each axis.
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
    // If only the coarse level is replicated, every rank receives the parts of the others.
    if (to.replicated && !from.replicated) {
      assembly_.emplace(ranks, box_, to.subdomain.owned(), transport);
    }
    for (DistributedField<Real>& field : coarse.operator_fields().fields()) {
      if (assembly_) assembly_->assemble(queue, coarse.space().staging(), field.writable());
    }
    coarse.complete_operator();
  }

  /// Returns an upper bound on the bytes that the object and its construction allocate, see
  /// Buffer::footprint.
  static std::size_t footprint(LevelPlan const& fine, LevelPlan const& coarse, Backend backend) {
    Grid const& to = coarse.problem.grid;
    IntermediateGrid at{fine.problem, fine.subdomain};
    int depth = fine.depth;
    std::size_t bytes = 0;
    if (coarse.replicated && !fine.replicated) {
      bytes += Assembly<Real>::footprint(backend, fine.subdomain.parts(), to.points);
    }
    std::vector<int> const axes = coarsened_axes(fine, coarse);
    for (int const axis : axes) {
      Index3 const halo = FieldSpace<Real>::halo_points_of(to, depth);
      bytes += Field<Real>::footprint(backend, at.subdomain.extent(), halo);  // weights
      if (at.problem.grid.is_graded(axis)) {
        bytes += CoarsePointTableMemory::footprint(backend, at.problem.grid.points[axis],
                                                   to.points[axis]);
      }
      // The same sequence of intermediate grids as in make_operator().
      at = coarsened(at, to, axis);
      bool const is_last = axis == axes.back();
      bool const crosses = is_last && is_redistributed(at, coarse);
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
    restrict_residual(*queue_, by_, fine.with_halo(), bridge_ ? bridge_->field.writable() : source,
                      box_);
    if (bridge_) bridge_->cross(bridge_->field, coarse.source());
    if (assembly_) assembly_->assemble(*queue_, coarse.space().staging(), source);
  }
  /// Enqueues adding the prolongated correction of the coarse level to the fine level's.
  /// Collective.
  void add_prolongated(Level& coarse, Level& fine) {
    if (bridge_) bridge_->cross_back(coarse.correction());
    DistributedField<Real>& correction = bridge_ ? bridge_->field : coarse.correction();
    prolongate_correction(*queue_, by_, correction.with_halo(), fine.correction().writable(),
                          fine.unknown());
  }

 private:
  /// An intermediate grid between two levels, already coarse along some axes.
  struct IntermediateGrid {
    Problem problem;
    Subdomain subdomain;
    std::unique_ptr<FieldSpace<Real>> space{};  ///< null for the two levels, which have their own
    std::unique_ptr<OperatorFieldSet<Real>> operator_fields{};  ///< null likewise
  };

  /// The coarse grid divided like the fine level, and the redistribution between it and the coarse
  /// level. It is needed if the coarse level is divided differently.
  struct Bridge {
    Bridge(mpi::Communicator const& ranks, IntermediateGrid const& at, Subdomain const& level,
           Queue& queue)
        : space(ranks, at.subdomain, queue, halo_shape(at.problem, depth_of(at)),
                simplest_transport(queue)),
          field(space),
          redistribution(ranks, at.subdomain, level) {}
    /// Enqueues moving a field from the fine level's division to the coarse level's. Collective.
    void cross(DistributedField<Real> const& from, DistributedField<Real>& to) {
      redistribution.move(space.queue(), space.staging(), from.view(), to.writable());
    }
    /// Enqueues moving a correction back into `field`. Collective.
    void cross_back(DistributedField<Real> const& from) {
      redistribution.move_back(space.queue(), space.staging(), from.view(), field.writable());
    }
    FieldSpace<Real> space;
    DistributedField<Real> field;  ///< a coarse residual or correction in the fine level's division
    Redistribution<Real> redistribution;  ///< from the fine level's division to the coarse level's
  };

  /// The transport with the least set-up; intermediate grids exchange few halos.
  static TransportKind simplest_transport(Queue const& queue) {
    return queue.backend() == Backend::cpu ? TransportKind::mpi : TransportKind::staged;
  }

  /// Computes the coarse operator one axis at a time, and keeps each axis's interpolation weights.
  void make_operator(Level& fine, Level& coarse) {
    IntermediateGrid at{fine.plan().problem, fine.plan().subdomain};
    OperatorFieldSet<Real>* operator_fields = &fine.operator_fields();
    FieldSpace<Real>* space = &fine.space();
    std::vector<int> const axes = coarsened_axes(fine.plan(), coarse.plan());
    for (int const axis : axes) {
      IntermediateGrid next = coarsened(at, coarse.plan().problem.grid, axis);
      AxisCoarsening by{
          axis, dimension, splitting(at.problem.grid, coarse.plan().problem.grid, axis),
          at.subdomain.owned_global().lower[axis], next.subdomain.owned_global().lower[axis]};
      // Interpolation along this axis reads the operator of the grid that is still fine along it.
      FieldView<Real const> const weights = make_weights(by, *operator_fields, *space, at);
      bool const is_last = axis == axes.back();
      // The last axis leads to the coarse level, others to an intermediate grid.
      if (is_last && is_redistributed(next, coarse.plan())) {
        bridge_.emplace(fine.ranks(), next, coarse.plan().subdomain, *queue_);
        make_across_bridge(by, operator_fields->with_halo(), weights, coarse);
      } else if (is_last) {
        // The coarse level may be indexed differently from the rank's part of its grid.
        by.coarse_first = by_.coarse_first[axis];
        box_ = coarse.plan().subdomain.to_local(next.subdomain.owned_global());
        OperatorFields<Real const> const read =
            shifted(coarse, operator_fields->with_halo(), at, axis);
        coarsen_operator(*queue_, by, read, shifted(coarse, weights, at, axis),
                         coarse.operator_fields().writable(), box_);
      } else {
        next.space = std::make_unique<FieldSpace<Real>>(fine.ranks(), next.subdomain, *queue_,
                                                        halo_shape(next.problem, depth_of(next)),
                                                        simplest_transport(*queue_));
        next.operator_fields = std::make_unique<OperatorFieldSet<Real>>(*next.space, dimension);
        coarsen_operator(*queue_, by, operator_fields->with_halo(), weights,
                         next.operator_fields->writable(), next.subdomain.owned());
        operator_fields = next.operator_fields.get();
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
  void make_across_bridge(AxisCoarsening const& by, OperatorFields<Real const> const& fine,
                          FieldView<Real const> weights, Level& coarse) {
    Subdomain const& part = bridge_->space.subdomain();
    box_ = part.owned();
    by_.coarse_first = part.owned_global().lower;
    OperatorFieldSet<Real> made(bridge_->space, dimension);
    coarsen_operator(*queue_, by, fine, weights, made.writable(), box_);
    for (std::size_t n = 0; n < made.fields().size(); ++n) {
      bridge_->cross(made.fields()[n], coarse.operator_fields().fields()[n]);
    }
  }

  /// True if the coarse level is shared, but divided otherwise than the fine level.
  static bool is_redistributed(IntermediateGrid const& followed, LevelPlan const& coarse) {
    return !coarse.replicated && !followed.subdomain.is_shared_like(coarse.subdomain);
  }

  /// Returns the depth of an intermediate grid's halo: the reach of transfers, if parts allow it.
  static int depth_of(IntermediateGrid const& grid) {
    constexpr int reach = 4;
    return std::clamp(deepest_halo(grid.problem, grid.subdomain), 1, reach);
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
  static IntermediateGrid coarsened(IntermediateGrid const& at, Grid const& coarse, int axis) {
    Problem problem = at.problem;
    problem.grid.points[axis] = coarse.points[axis];
    problem.grid.periodic[axis] = coarse.periodic[axis];
    problem.grid.lower[axis] = coarse.lower[axis];
    problem.grid.spacing[axis] = coarse.spacing[axis];
    problem.grid.graded[axis] = coarse.graded[axis];
    return {problem, part_of_coarser(at.subdomain, problem.grid)};
  }

  /// Returns the C points of an axis. For a graded axis the lists are stored in the queue's memory.
  CoarseFineSplitting splitting(Grid const& fine, Grid const& coarse, int axis) {
    CoarseFineSplitting result{fine.points[axis], fine.periodic[axis]};
    if (!fine.is_graded(axis)) return result;
    lists_[axis] = CoarsePointTableMemory(*queue_, fine.points[axis], c_points(fine, coarse, axis));
    result.table = lists_[axis].table();
    (axis == 0 ? by_.table_x : axis == 1 ? by_.table_y : by_.table_z) = result.table;
    return result;
  }

  /// Returns a view of a field on an intermediate grid, reindexed like the coarse level on all axes
  /// except `axis`, which is still fine.
  template <class T>
  [[nodiscard]] static FieldView<T> shifted(Level const& coarse, FieldView<T> view,
                                            IntermediateGrid const& at, int axis) {
    // Indices along axes that are already coarse differ by the offset of the two frames.
    Index3 by = coarse.plan().subdomain.owned_global().lower - at.subdomain.owned_global().lower;
    by[axis] = 0;
    if (!view) return view;
    view.origin = &view(by.x, by.y, by.z);
    view.box = {view.box.lower - by, view.box.upper - by};
    return view;
  }
  [[nodiscard]] static OperatorFields<Real const> shifted(Level const& coarse,
                                                          OperatorFields<Real const> const& fields,
                                                          IntermediateGrid const& at, int axis) {
    return {shifted(coarse, fields.x, at, axis), shifted(coarse, fields.y, at, axis),
            shifted(coarse, fields.z, at, axis), shifted(coarse, fields.reaction, at, axis)};
  }

  /// Computes the interpolation weights of an axis's F points, with their ghost layers.
  FieldView<Real const> make_weights(AxisCoarsening const& by,
                                     OperatorFieldSet<Real>& operator_fields,
                                     FieldSpace<Real>& space, IntermediateGrid const& at) {
    // The weights' halo is needed because prolongation reads neighbours in other parts.
    auto& own = weights_[static_cast<std::size_t>(by.axis)];
    own.emplace(*queue_, at.subdomain.extent(), space.halo_points());
    set_interpolation_weights(*queue_, by, operator_fields.with_halo(), own->view(),
                              at.subdomain.owned());
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
  PerAxis<CoarsePointTableMemory> lists_{};              ///< C points of graded axes
  HeterogeneousTransfer<Real> by_{};          ///< grids, weights and C points, for kernels
  LocalBox box_{};                            ///< the coarse points that this rank computes
  std::optional<Bridge> bridge_{};            ///< if the coarse level is divided differently
  std::optional<Assembly<Real>> assembly_{};  ///< if only the coarse level is held by every rank
};

}  // namespace isotherm
