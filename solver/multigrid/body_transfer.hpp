#pragma once

#include <memory>
#include <optional>

#include "decomposition/field/assembly.hpp"
#include "kernels/conduction/transfer.hpp"
#include "solver/multigrid/body_level.hpp"

namespace isotherm {

/// The way from a body's level to the next coarser one and back. Its making makes the coarse
/// level's operator. Stays where it is.
template <class Real, int dimension>
class BodyTransfer {
 public:
  using Level = BodyLevel<Real, dimension>;

  /// @param ranks  of the whole run, see Transfer
  /// `fine` has its operator; both levels, `ranks` and `queue` outlive the object. Collective.
  BodyTransfer(mpi::Communicator const& ranks, Level& fine, Level& coarse, Queue& queue)
      : queue_(&queue) {
    LevelPlan const& from = fine.plan();
    LevelPlan const& to = coarse.plan();
    by_.dimension = dimension;
    by_.fine_points = from.problem.grid.points;
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
      if (assembly_) assembly_->assemble(queue, coarse.space().staging(), field.view());
    }
    coarse.flow().fill_halos(coarse.space());
  }

  /// Bytes that it takes at most, and while it is made, see Buffer::footprint.
  static std::size_t footprint(LevelPlan const& fine, LevelPlan const& /*coarse*/,
                               Backend backend) {
    Index3 const halo = FieldSpace<Real>::halo_points_of(fine.problem.grid, fine.depth);
    // Weights on all grids from the fine one on, and the operators of the two between.
    constexpr std::size_t at_most = 2 + (dimension + 1);
    return at_most * Field<Real>::footprint(backend, fine.subdomain.extent(), halo) +
           FieldSpace<Real>::footprint(backend, fine.subdomain, fine.depth,
                                       TransportKind::automatic);
  }

  /// As Transfer's.
  void restrict_to_source(DistributedField<Real> const& fine, Level& coarse, double /*scale*/) {
    FieldView<Real> const source = coarse.source().view();
    gather_flow(*queue_, by_, fine.view(), source, box_);
    if (assembly_) assembly_->assemble(*queue_, coarse.space().staging(), source);
    coarse.source().fill_halo();
  }
  void add_interpolated(Level& coarse, Level& fine) {
    coarse.correction().fill_halo();
    spread_flow(*queue_, by_, std::as_const(coarse.correction()).view(), fine.correction().view(),
                fine.unknown());
  }

 private:
  /// A grid between two levels, coarse along some axes.
  struct Between {
    Problem problem;
    Subdomain subdomain;
    std::unique_ptr<FieldSpace<Real>> space{};
    std::unique_ptr<FlowSet<Real>> flow{};
  };

  static TransportKind plainest(Queue const& queue) {
    return queue.backend() == Backend::cpu ? TransportKind::mpi : TransportKind::staged;
  }

  /// Coarsens one axis after the other, and keeps their weights.
  void make_operator(Level& fine, Level& coarse) {
    Between at{fine.plan().problem, fine.plan().subdomain};
    FlowSet<Real>* flow = &fine.flow();
    FieldSpace<Real>* space = &fine.space();
    Extent3 const wanted = coarse.plan().problem.grid.points;
    std::vector<int> axes;
    for (int axis = 0; axis < dimension; ++axis) {
      if (at.problem.grid.points[axis] != wanted[axis]) axes.push_back(axis);
    }
    for (int const axis : axes) {
      Between next = coarsened(fine, at, axis, wanted[axis]);
      AxisCoarsening by{axis,
                        dimension,
                        {at.problem.grid.points[axis], at.problem.grid.periodic[axis]},
                        at.subdomain.owned_global().lower[axis],
                        next.subdomain.owned_global().lower[axis]};
      FieldView<Real const> const weights = make_weights(by, *flow, *space, at);
      bool const is_last = axis == axes.back();
      if (is_last) {
        // The coarse level's frame may be another than that of the rank's part of its grid.
        by.coarse_first = by_.coarse_first[axis];
        box_ = coarse.plan().subdomain.to_local(next.subdomain.owned_global());
        FlowFields<Real const> const read = shifted(coarse, flow->read(), at, axis);
        coarsen_flow(*queue_, by, read, shifted(coarse, weights, at, axis), coarse.flow().view(),
                     box_);
      } else {
        next.space = std::make_unique<FieldSpace<Real>>(fine.ranks(), next.subdomain, *queue_,
                                                        halo_shape(next.problem, depth_of(next)),
                                                        plainest(*queue_));
        next.flow = std::make_unique<FlowSet<Real>>(*next.space, dimension);
        coarsen_flow(*queue_, by, flow->read(), weights, next.flow->view(), next.subdomain.owned());
        next.flow->fill_halos(*next.space);
        flow = next.flow.get();
        space = next.space.get();
      }
      queue_->wait();  // what has been read may go away
      at = std::move(next);
      by_.between_first[axis] = at.subdomain.owned_global().lower[axis];
    }
    note_coarsened(axes);
  }

  static int depth_of(Between const& of) {
    constexpr int reach = 4;
    return std::clamp(deepest_halo(of.problem, of.subdomain), 1, reach);
  }

  static Between coarsened(Level const& fine, Between const& at, int axis, std::int64_t points) {
    Problem problem = at.problem;
    problem.grid.points[axis] = points;
    if (points == 1) problem.grid.periodic[axis] = false;
    Subdomain const subdomain(problem.grid, fine.plan().subdomain.parts(),
                              fine.plan().subdomain.rank());
    return {problem, subdomain};
  }

  /// A view of a field between the levels, by the indices that the coarse level has on all axes but
  /// the one that is left.
  template <class T>
  [[nodiscard]] static FieldView<T> shifted(Level const& coarse, FieldView<T> view,
                                            Between const& at, int axis) {
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

  /// The weights of an axis' omitted points, with their halo.
  FieldView<Real const> make_weights(AxisCoarsening const& by, FlowSet<Real>& flow,
                                     FieldSpace<Real>& space, Between const& at) {
    auto& kept = weights_[static_cast<std::size_t>(by.axis)];
    kept.emplace(*queue_, at.subdomain.extent(), space.halo_points());
    set_omission_weights(*queue_, by, flow.read(), kept->view(), at.subdomain.owned());
    space.halo().forget();
    space.halo().begin(kept->view());
    space.halo().finish(kept->view());
    FieldView<Real const> const view = std::as_const(*kept).view();
    (by.axis == 0 ? by_.weights_x : by.axis == 1 ? by_.weights_y : by_.weights_z) = view;
    return view;
  }

  void note_coarsened(std::vector<int> const& axes) {
    for (int const axis : axes) {
      (axis == 0 ? by_.coarsened_x : axis == 1 ? by_.coarsened_y : by_.coarsened_z) = true;
    }
  }

  Queue* queue_;
  std::array<std::optional<Field<Real>>, 3> weights_{};
  FlowTransfer<Real> by_{};
  LocalBox box_{};  ///< the coarse points that this rank makes
  std::optional<Assembly<Real>> assembly_{};
};

}  // namespace isotherm
