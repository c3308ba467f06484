#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "decomposition/field/assembly.hpp"
#include "kernels/core/queue/memory.hpp"
#include "kernels/multigrid/transfer.hpp"
#include "solver/multigrid/levels/level_plan.hpp"
#include "solver/multigrid/uniform/correction_level.hpp"
#include "solver/multigrid/uniform/stencils.hpp"

namespace isotherm {

/// The stencils of a transfer to the points of a box in the queue's memory: one per point along
/// each axis.
template <class Stencil>
class StencilTable {
 public:
  /// Computes the stencils, copies them to the device and waits.
  /// @param known  points of the field that is read, with its ghost layers; stencils must not reach
  ///               beyond them
  /// @param stencils_of  returns the stencils of an axis
  template <class StencilsOf>
  StencilTable(Queue& queue, LocalBox box, LocalBox known, StencilsOf const& stencils_of)
      : box_(box) {
    if (box.empty()) return;
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<Stencil> const stencils = stencils_of(axis);
      for (Stencil const& stencil : stencils) {
        widest_ = std::max(widest_, stencil.points());
        // Out-of-bounds reads would be silent on a device, so each stencil is checked here.
        require(stencil.begin() >= known.lower[axis] &&
                    stencil.begin() + stencil.points() <= known.upper[axis],
                "a transfer between grids extends beyond its field (the halo is too shallow)");
      }
      std::size_t const bytes = stencils.size() * sizeof(Stencil);
      axes_[axis] = Buffer(queue, Space::device, bytes);
      copy_bytes(queue, axes_[axis].data(), stencils.data(), bytes);
    }
    queue.wait();  // the vectors go away
  }

  /// Returns an upper bound on the bytes that it allocates.
  static std::size_t footprint(Backend backend, Extent3 extent) {
    std::size_t bytes = 0;
    for (int axis = 0; axis < 3; ++axis) {
      bytes += Buffer::footprint(backend, Space::device,
                                 static_cast<std::size_t>(extent[axis]) * sizeof(Stencil));
    }
    return bytes;
  }

  /// The points that have stencils.
  [[nodiscard]] LocalBox const& box() const { return box_; }
  /// The stencils, for kernels.
  [[nodiscard]] AxisStencils<Stencil> stencils() const {
    return {axes_[0].template as<Stencil const>(), axes_[1].template as<Stencil const>(),
            axes_[2].template as<Stencil const>(), widest_};
  }

 private:
  LocalBox box_;
  PerAxis<Buffer> axes_{};  ///< stencils of the box's points along each axis
  int widest_ = 1;          ///< maximum number of points of a stencil
};

/// Restriction from a level to the next coarser one, and prolongation back, for constant
/// coefficients.
///
/// Interpolation is linear; restriction is its transpose, scaled (stencils.hpp). The full-multigrid
/// initial guess is interpolated cubically.
template <class Real>
class Transfer {
 public:
  /// Computes the stencils. Collective.
  /// @param ranks  of the whole run. If they share the fine level but each holds all of the coarse
  ///               one, they assemble the restricted values. Must outlive the object, like `queue`.
  /// @param transport  of the run's halos
  template <class Level>
  Transfer(mpi::Communicator const& ranks, Level const& fine, Level const& coarse, Queue& queue,
           TransportKind transport)
      : Transfer(ranks, fine.plan(), coarse.plan(), queue, transport) {}
  /// The same for two levels that are not made yet.
  Transfer(mpi::Communicator const& ranks, LevelPlan const& fine, LevelPlan const& coarse,
           Queue& queue, TransportKind transport)
      : queue_(&queue),
        factor_(static_cast<Real>(diagonal(fine.problem.grid, fine.problem.sigma) /
                                  diagonal(coarse.problem.grid, coarse.problem.sigma))),
        restriction_(queue, restricted_box(fine, coarse), known_points(fine),
                     [&](int axis) { return restriction_along(fine, coarse, axis); }),
        prolongation_(queue, unknown_points(fine.problem, fine.subdomain), known_points(coarse),
                      [&](int axis) {
                        auto const [lower, upper, origin] = fine_points(fine, coarse, axis);
                        return prolongation_stencils<Real>(fine.problem, coarse.problem, axis,
                                                           lower, upper, origin);
                      }),
        cubic_interpolation_(queue, prolongation_.box(), known_points(coarse), [&](int axis) {
          auto const [lower, upper, origin] = fine_points(fine, coarse, axis);
          return cubic_interpolation_stencils<Real>(fine.problem, coarse.problem, axis, lower,
                                                    upper, origin, coarse.depth);
        }) {
    // Each rank has restricted to the coarse points in its part; now every rank receives all of
    // them.
    if (coarse.replicated && !fine.replicated) {
      assembly_.emplace(ranks, restriction_.box(), unknown_points(coarse.problem, coarse.subdomain),
                        transport);
    }
  }

  /// Returns an upper bound on the bytes that it allocates.
  static std::size_t footprint(LevelPlan const& fine, LevelPlan const& coarse, Backend backend) {
    bool const assembles = coarse.replicated && !fine.replicated;
    std::size_t const assembly =
        assembles
            ? Assembly<Real>::footprint(backend, fine.subdomain.parts(), coarse.subdomain.extent())
            : 0;
    return assembly +
           StencilTable<RestrictionStencil<Real>>::footprint(backend, coarse.subdomain.extent()) +
           StencilTable<ProlongationStencil<Real>>::footprint(backend, fine.subdomain.extent()) +
           StencilTable<RestrictionStencil<Real>>::footprint(backend, fine.subdomain.extent());
  }

  /// Enqueues restricting `fine` to the source of the coarse level, multiplied by `scale`.
  /// Collective.
  template <class Level>
  void restrict_to_source(DistributedField<Real>& fine, Level& coarse, double scale = 1.0) {
    FieldView<Real> const source = coarse.source().writable();
    restrict_field(*queue_, fine.with_halo(), source, restriction_.box(), restriction_.stencils(),
                   static_cast<Real>(scale) * factor_);
    if (assembly_) assembly_->assemble(*queue_, coarse.space().staging(), source);
  }

  /// Enqueues prolongation: adds the coarse level's interpolated correction to the fine level's.
  /// Collective.
  template <class Level>
  void add_prolongated(Level& coarse, Level& fine) {
    prolongate_field(*queue_, coarse.correction().with_halo(), fine.correction().writable(),
                     prolongation_.box(), prolongation_.stencils(), ProlongationMode::add);
  }
  /// Enqueues the full-multigrid interpolation: replaces the fine level's correction by the coarse
  /// level's, interpolated cubically. The coarse values are treated as a field whose Dirichlet
  /// values are not stored with them, so they are extrapolated towards those faces. Collective.
  template <class Level>
  void replace_by_cubic_interpolation(Level& coarse, Level& fine) {
    restrict_field(*queue_, coarse.correction().with_halo(), fine.correction().writable(),
                   cubic_interpolation_.box(), cubic_interpolation_.stencils(), Real{1});
  }

 private:
  /// The points that the level's fields store, with ghost layers.
  static LocalBox known_points(LevelPlan const& level) {
    Index3 const halo = FieldSpace<Real>::halo_points_of(level.problem.grid, level.depth);
    return level.subdomain.owned().grown(halo);
  }

  /// The coarse points that this rank restricts to: its own, or if only the coarse level is held by
  /// every rank, those in its fine part.
  static LocalBox restricted_box(LevelPlan const& fine, LevelPlan const& coarse) {
    LocalBox const unknown = unknown_points(coarse.problem, coarse.subdomain);
    if (fine.replicated == coarse.replicated) return unknown;
    GlobalBox const mine =
        coarse_points_in(fine.problem, coarse.problem, fine.subdomain.owned_global());
    return intersection(unknown, coarse.subdomain.to_local(mine));
  }

  /// The stencils of an axis for those points.
  [[nodiscard]] std::vector<RestrictionStencil<Real>> restriction_along(LevelPlan const& fine,
                                                                        LevelPlan const& coarse,
                                                                        int axis) const {
    GlobalBox const points = coarse.subdomain.to_global(restricted_box(fine, coarse));
    return restriction_stencils<Real>(fine.problem, coarse.problem, axis, points.lower[axis],
                                      points.upper[axis],
                                      fine.subdomain.owned_global().lower[axis]);
  }

  /// The fine points lower … upper − 1 of an axis that have a stencil, and the global index of the
  /// coarse field's point 0.
  struct FinePoints {
    std::int64_t lower, upper, coarse_origin;
  };
  static FinePoints fine_points(LevelPlan const& fine, LevelPlan const& coarse, int axis) {
    GlobalBox const points = fine.subdomain.to_global(unknown_points(fine.problem, fine.subdomain));
    return {points.lower[axis], points.upper[axis], coarse.subdomain.owned_global().lower[axis]};
  }

  Queue* queue_;
  /// Ratio of the fine to the coarse diagonal: the source of each grid is divided by its diagonal.
  Real factor_;
  StencilTable<RestrictionStencil<Real>> restriction_;          ///< fine to coarse
  StencilTable<ProlongationStencil<Real>> prolongation_;        ///< linear, coarse to fine
  StencilTable<RestrictionStencil<Real>> cubic_interpolation_;  ///< cubic, coarse to fine
  std::optional<Assembly<Real>> assembly_{};
};

}  // namespace isotherm
