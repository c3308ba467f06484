#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "decomposition/field/staging/host_staging.hpp"
#include "kernels/core/timeline/timeline.hpp"
#include "kernels/faces/faces.hpp"
#include "kernels/multigrid/residual.hpp"
#include "solver/iteration/solver_interface.hpp"
#include "solver/multigrid/aggregates/aggregate_hierarchy.hpp"
#include "solver/multigrid/aggregates/grid_operator.hpp"
#include "solver/multigrid/aggregates/lists/host_operator.hpp"
#include "solver/multigrid/levels/coarsening.hpp"
#include "solver/multigrid/levels/level_plan.hpp"
#include "solver/multigrid/medium/dense_solve.hpp"
#include "solver/multigrid/medium/medium_transfer.hpp"
#include "solver/multigrid/smoother.hpp"
#include "solver/multigrid/uniform/coarsest.hpp"
#include "solver/multigrid/uniform/correction_level.hpp"
#include "solver/multigrid/uniform/transfer.hpp"

namespace isotherm {

/// The building blocks of a hierarchy for constant coefficients.
template <class RealType, int dimension>
struct UniformGrids {
  using Real = RealType;
  using Level = CorrectionLevel<Real, dimension>;
  using LevelTransfer = Transfer<Real>;
  using Coarsest = CoarsestSolve<Real>;
  static constexpr bool heterogeneous = false;
  static constexpr bool by_conjugate_gradients = false;
  static constexpr bool is_exact = false;
  /// Factor on the residual that the finest level restricts. The operator of the next grid is
  /// stiffer than the Galerkin product of prolongation and restriction, so its correction is
  /// slightly too small. With 1.02, four cycles leave a third of the error that they leave with 1
  /// (3D, 128³). On further levels the effect would accumulate.
  static constexpr double over_correction = 1.02;
};

/// The building blocks of a hierarchy for a heterogeneous medium.
template <class RealType, int dimension>
struct HeterogeneousGrids {
  using Real = RealType;
  using Level = MediumLevel<Real, dimension>;
  using LevelTransfer = MediumTransfer<Real, dimension>;
  using Coarsest = DenseSolve<Real, dimension>;
  static constexpr bool heterogeneous = true;
  /// Corrections precondition conjugate gradients.
  static constexpr bool by_conjugate_gradients = true;
  static constexpr bool is_exact = false;
};

/// The grids of the correction equation A e = r, and the multigrid cycles through them.
///
/// A cycle solves A e = r approximately. On each level it smooths e, restricts the residual to the
/// next coarser level, solves there recursively, adds the prolongated correction, and smooths
/// again. The coarsest level is solved exactly. Full multigrid works upwards from the coarsest
/// level: the solution of each level, interpolated, is the initial guess of the next finer one.
///
/// Cost, if each level halves every axis: all levels together have 8/7 (2D: 4/3) of the finest
/// level's points. That bounds the work of a V-cycle; that of a W-cycle is 4/3 (2D: 2) of the
/// finest level's. Semi-coarsening needs more levels. For the cycles and full multigrid see A.
/// Brandt, 1977.
///
/// In a heterogeneous medium, aggregates may replace the coarser grids: use_aggregates().
///
/// The ranks may share a level, or each rank may hold all of it (LevelPlan::replicated). Neither
/// copyable nor movable.
template <class Grids>
class Hierarchy {
 public:
  using Real = typename Grids::Real;
  using Level = typename Grids::Level;
  using LevelTransfer = typename Grids::LevelTransfer;
  using Coarsest = typename Grids::Coarsest;

  /// Makes all levels, transfers and the exact solver of the coarsest level. Collective.
  /// @param ranks  of the run; must outlive the hierarchy, like `queue`
  /// @param finest  this rank's part of the problem's grid
  /// @param make_operator_fields  heterogeneous media only: enqueues making the finest operator at
  ///                              this rank's points, indexed as in its part of the grid
  /// @param mean_free  see DenseSolve
  Hierarchy(mpi::Communicator const& ranks, Problem const& problem, Subdomain const& finest,
            MultigridSettings const& settings, Execution const& execution, Queue& queue,
            std::function<void(OperatorFields<Real> const&)> const& make_operator_fields = {},
            bool mean_free = false)
      : queue_(&queue),
        transport_(execution.transport),
        settings_(settings),
        mean_free_(mean_free),
        before_(weights_of(settings, settings.pre)),
        after_(weights_of(settings, settings.post)) {
    // The weights after the coarse grid mirror those before it, so the cycle is symmetric and can
    // precondition conjugate gradients.
    std::ranges::reverse(after_);
    int const maximum = std::max(settings.pre, settings.post);
    // All levels are allocated before any operator is computed.
    for (LevelPlan const& plan : planned_levels(problem, finest, settings, queue.backend())) {
      levels_.push_back(std::make_unique<Level>(
          plan.replicated ? alone_ : ranks, plan,
          smoothing_plans_of(plan, precision_of<Real>, execution, maximum), queue,
          plan.replicated ? TransportKind::automatic : execution.transport));
    }
    // Ranks share the problem's grid, but each works on all of the finest level: their parts of the
    // source are assembled first.
    if (levels_.front()->plan().replicated && ranks.size() > 1) {
      GlobalBox const mine = finest.owned_global();
      LevelPlan const& plan = levels_.front()->plan();
      // The hierarchy works on the frame of the level; callers index their own part.
      assembly_.emplace(ranks, plan.subdomain.to_local(mine), plan.subdomain.grid_box(),
                        transport_);
    }
    offset_ = levels_.front()->plan().replicated ? finest.owned_global().lower : Index3{};
    // Each transfer computes the operator of the next coarser level from the finer one's, so the
    // finest operator comes first and the exact solver last.
    if constexpr (Grids::heterogeneous) {
      coarsens_by_aggregates_ = starts_with_aggregates(problem, settings);
      set_operator(ranks, make_operator_fields, mean_free);
    } else {
      make_transfers(ranks);
      coarsest_.emplace(queue, *levels_.back());
    }
  }

  /// Makes the operators of all levels, also anew if the finest operator has changed. Collective.
  /// @param ranks, make_operator_fields, mean_free  as for the constructor
  void set_operator(mpi::Communicator const& ranks,
                    std::function<void(OperatorFields<Real> const&)> const& make_operator_fields,
                    bool mean_free = false) requires(Grids::heterogeneous) {
    queue_->wait();  // nothing reads the old ones
    transfers_.clear();
    make_finest_operator(make_operator_fields);
    if (coarsens_by_aggregates_) return make_aggregates();
    make_transfers(ranks);
    coarsest_.emplace(*queue_, *levels_.back(), mean_free);
  }

  /// Returns an upper bound on the bytes that the hierarchy allocates, see Buffer::footprint.
  static std::size_t footprint(Problem const& problem, Subdomain const& finest,
                               MultigridSettings const& settings, Backend backend,
                               TransportKind transport) {
    std::vector<LevelPlan> const levels = planned_levels(problem, finest, settings, backend);
    std::size_t bytes = 0;
    if (levels.front().replicated && finest.parts() != Extent3{1, 1, 1}) {
      bytes += Assembly<Real>::footprint(backend, finest.parts(), finest.grid().points);
    }
    for (std::size_t n = 0; n < levels.size(); ++n) {
      bytes += Level::footprint(levels[n], backend, transport);
      if (n > 0) bytes += LevelTransfer::footprint(levels[n - 1], levels[n], backend);
    }
    if (starts_with_aggregates(problem, settings)) {
      return sum_of_bytes(bytes, aggregate_bytes(levels.front().subdomain, backend));
    }
    return bytes + Coarsest::footprint(backend, levels.back().problem);
  }

  /// True if the hierarchy has a single level, so each correction is exact.
  [[nodiscard]] bool is_exact() const { return levels_.size() == 1 && !aggregates_; }

  /// True if corrections leave the means of some weakly held components to the caller, see
  /// DenseSolve.
  [[nodiscard]] bool is_mean_free() const requires(Grids::heterogeneous) {
    return aggregates_ ? aggregates_->has_floating_components()
                       : coarsest_->has_floating_components();
  }

  /// Returns the bytes of host memory that the aggregates of a hierarchy on a device take while
  /// they are made. Returns 0 on the CPU, where footprint() includes them, and without aggregates.
  static std::size_t host_footprint(Problem const& problem, Subdomain const& finest,
                                    MultigridSettings const& settings, Backend backend) {
    if (backend == Backend::cpu || !starts_with_aggregates(problem, settings)) return 0;
    return aggregate_host_bytes(problem, finest, settings, backend);
  }

  /// Returns the bytes that use_aggregates() may allocate on this rank, in the memory of the host.
  [[nodiscard]] static std::size_t aggregate_host_bytes(Problem const& problem,
                                                        Subdomain const& finest,
                                                        MultigridSettings const& settings,
                                                        Backend backend) {
    auto const levels = planned_levels(problem, finest, settings, backend);
    return aggregate_host_bytes(levels.front().subdomain);
  }
  /// The same in the memory of a backend.
  [[nodiscard]] static std::size_t aggregate_bytes(Problem const& problem, Subdomain const& finest,
                                                   MultigridSettings const& settings,
                                                   Backend backend) {
    auto const levels = planned_levels(problem, finest, settings, backend);
    return aggregate_bytes(levels.front().subdomain, backend);
  }
  /// True if use_aggregates() may be called: there are coarser grids.
  [[nodiscard]] bool can_use_aggregates() const requires(Grids::heterogeneous) {
    return levels_.size() > 1;
  }
  /// Replaces the coarser grids by aggregates. source() keeps its values. Collective; waits.
  /// @pre  can_use_aggregates()
  void use_aggregates() requires(Grids::heterogeneous) {
    queue_->wait();
    // This reduction is a barrier: no rank uses the old fields any more.
    (void)levels_.front()->ranks().any(false);
    for (std::size_t n = 1; n < levels_.size(); ++n) halo_s_before_ += halo_seconds_of(n);
    coarsest_.reset();
    transfers_.clear();
    levels_.resize(1);
    coarsens_by_aggregates_ = true;
    make_aggregates();
  }

  /// The finest level's source (the residual to solve for), indexed as in the rank's part of the
  /// grid.
  [[nodiscard]] FieldView<Real const> source() {
    return in_frame(levels_.front()->source().view());
  }
  /// The same for writing; the source's halo becomes stale.
  [[nodiscard]] FieldView<Real> writable_source() {
    return in_frame(levels_.front()->source().writable());
  }
  /// The finest level's correction, indexed likewise.
  [[nodiscard]] FieldView<Real const> correction() {
    return in_frame(levels_.front()->correction().view());
  }

  /// The same with its ghost layers. Collective.
  [[nodiscard]] FieldView<Real const> correction_with_halo() {
    return in_frame(levels_.front()->correction().with_halo());
  }

  /// Enqueues one cycle with initial guess zero. Collective.
  /// @pre  All ranks have enqueued setting their part of writable_source().
  void cycle() {
    complete_source();
    improve_from_zero(0, settings_.cycle);
  }

  /// Enqueues full multigrid down from source() and up again, without cycling on the finest level:
  /// the interpolated solution of the second level is the correction. The residual that is
  /// evaluated next then contains the rounding errors of values as large as the solution's, and the
  /// next cycle removes them. Collective.
  /// @pre  All ranks have enqueued setting their part of writable_source().
  void full_multigrid() requires(!Grids::heterogeneous) {
    complete_source();
    // Downwards: only the source is restricted, nothing is smoothed.
    for (std::size_t n = 0; n + 1 < levels_.size(); ++n) {
      transfers_[n]->restrict_to_source(levels_[n]->source(), *levels_[n + 1]);
    }
    solve_coarsest();
    // Upwards: each level but the finest starts from the interpolated solution and runs a cycle.
    for (std::size_t n = levels_.size() - 1; n-- > 0;) {
      transfers_[n]->replace_by_cubic_interpolation(*levels_[n + 1], *levels_[n]);
      if (n > 0) improve(n, settings_.cycle);
    }
  }

  /// Returns the seconds spent in halo exchanges by this rank's host clock, on all levels that the
  /// hierarchy has had.
  [[nodiscard]] double halo_seconds() const {
    double sum = halo_s_before_ + (aggregates_ ? aggregates_->halo_seconds() : 0.0);
    for (std::size_t n = 0; n < levels_.size(); ++n) sum += halo_seconds_of(n);
    return sum;
  }
  /// Returns the name of the transport that sends the finest level's halos.
  [[nodiscard]] TransportDescription transport_description() const {
    return levels_.front()->space().halo().transport_description();
  }

 private:
  /// Returns the relaxation factors of the sweeps on one side of the coarse-grid correction.
  static std::vector<double> weights_of(MultigridSettings const& settings, int sweeps) {
    return settings.smoother == Smoother::chebyshev ? chebyshev_weights(sweeps)
                                                    : damped_weights(sweeps);
  }

  [[nodiscard]] double halo_seconds_of(std::size_t level) const {
    return levels_[level]->space().halo().seconds();
  }

  /// Makes the transfers; those of a heterogeneous medium also make the operators of coarser
  /// levels.
  void make_transfers(mpi::Communicator const& ranks) {
    for (std::size_t n = 0; n + 1 < levels_.size(); ++n) {
      transfers_.push_back(std::make_unique<LevelTransfer>(ranks, *levels_[n], *levels_[n + 1],
                                                           *queue_, transport_));
    }
  }

  /// True if the hierarchy consists of aggregates from the start. A single grid needs none.
  static bool starts_with_aggregates(Problem const& problem, MultigridSettings const& settings) {
    return Grids::heterogeneous && settings.hierarchy == HierarchyKind::aggregates &&
           correction_problems(problem, settings.coarsest).size() > 1;
  }
  /// Returns the bytes of aggregates in host memory, on a rank with this part of the finest grid.
  static std::size_t aggregate_host_bytes(Subdomain const& part) {
    return AggregateHierarchy<Real>::footprint(
        static_cast<std::size_t>(part.owned().point_count()));
  }
  /// The same in the memory of the backend.
  static std::size_t aggregate_bytes(Subdomain const& part, Backend backend) {
    if (backend == Backend::cpu) return aggregate_host_bytes(part);
    return AggregateHierarchy<Real>::device_footprint(
        static_cast<std::size_t>(part.owned().point_count()));
  }
  /// Returns the grids that the constructor allocates.
  static std::vector<LevelPlan> planned_levels(Problem const& problem, Subdomain const& finest,
                                               MultigridSettings const& settings, Backend backend) {
    std::vector<LevelPlan> levels = plan_levels(problem, finest, backend, settings.coarsest);
    if (starts_with_aggregates(problem, settings)) levels.erase(levels.begin() + 1, levels.end());
    return levels;
  }
  /// Returns the rows of a grid's operator, in host memory. Collective; waits.
  NodeOperator<Real> operator_of(Level& grid) requires(Grids::heterogeneous) {
    HostOperator<Real> const on_host(*queue_, grid.operator_fields().with_halo(), grid.unknown());
    return grid_operator(grid.ranks(), grid.plan().subdomain, on_host.fields());
  }
  /// Makes the aggregates below the finest grid. Collective; waits.
  void make_aggregates() requires(Grids::heterogeneous) {
    constexpr double weak = 1e-4;  // as DenseSolve
    Level& finest = *levels_.front();
    if (aggregates_) halo_s_before_ += aggregates_->halo_seconds();
    aggregates_.reset();
    aggregates_.emplace(*queue_, operator_of(finest), AggregateSettings{mean_free_ ? weak : 0.0});
    values_ = QueueList<Real>(*queue_, static_cast<std::size_t>(finest.unknown().point_count()));
  }

  /// Makes the operator of the finest level. If every rank holds all of the level, the ranks' parts
  /// are assembled.
  void make_finest_operator(
      std::function<void(OperatorFields<Real> const&)> const& make_operator_fields) {
    Level& finest = *levels_.front();
    OperatorFields<Real> operator_fields = finest.operator_fields().writable();
    for (FieldView<Real>* field :
         {&operator_fields.x, &operator_fields.y, &operator_fields.z, &operator_fields.reaction}) {
      if (*field) *field = in_frame(*field);
    }
    make_operator_fields(operator_fields);
    for (DistributedField<Real>& field : finest.operator_fields().fields()) {
      if (assembly_) assembly_->assemble(*queue_, finest.space().staging(), field.writable());
    }
    finest.complete_operator();
  }

  /// Reindexes a view of the finest level so that (0, 0, 0) is the first point of the rank's part.
  template <class T>
  [[nodiscard]] FieldView<T> in_frame(FieldView<T> view) const {
    view.origin = &view(offset_.x, offset_.y, offset_.z);
    view.box = {view.box.lower - offset_, view.box.upper - offset_};
    return view;
  }

  /// Makes the finest level's source complete if every rank holds all of the level.
  void complete_source() {
    Level& finest = *levels_.front();
    if (!assembly_) return;
    assembly_->assemble(*queue_, finest.space().staging(), finest.source().writable());
  }

  /// Enqueues the exact solution of the coarsest level.
  void solve_coarsest() {
    Level& coarsest = *levels_.back();
    (*coarsest_)(coarsest.source().view(), coarsest.correction().writable(), coarsest.unknown());
  }

  /// Enqueues a cycle on level n with initial guess zero.
  void improve_from_zero(std::size_t n, Cycle shape) {
    TimelineScope const scope(level_range_name(n), *queue_);
    if constexpr (Grids::heterogeneous) {
      if (aggregates_) return correct_by_aggregates(levels_[n]->smooth_from_zero(before_));
    }
    if (n + 1 == levels_.size()) return solve_coarsest();
    correct_by_coarser(n, shape, levels_[n]->smooth_from_zero(before_));
  }
  /// Enqueues a cycle on level n that improves the level's present correction.
  void improve(std::size_t n, Cycle shape) {
    TimelineScope const scope(level_range_name(n), *queue_);
    if (n + 1 == levels_.size()) return solve_coarsest();
    levels_[n]->smooth(before_);
    correct_by_coarser(n, shape, levels_[n]->residual());
  }

  /// Enqueues the second half of a cycle on level n: coarse-grid correction and smoothing.
  /// @param shape  V visits the next level once, W twice, F once as an F and once as a V
  /// @param residual  of the level, after the first smoothing
  void correct_by_coarser(std::size_t n, Cycle shape, DistributedField<Real>& residual) {
    Level& coarser = *levels_[n + 1];
    if constexpr (Grids::heterogeneous) {  // conjugate gradients scale corrections
      transfers_[n]->restrict_to_source(residual, coarser);
    } else {
      transfers_[n]->restrict_to_source(residual, coarser, n == 0 ? Grids::over_correction : 1.0);
    }
    improve_from_zero(n + 1, shape);
    if (shape != Cycle::v) improve(n + 1, shape == Cycle::f ? Cycle::v : Cycle::w);
    transfers_[n]->add_prolongated(coarser, *levels_[n]);
    levels_[n]->smooth(after_);
  }

  /// Enqueues the second half of a cycle on the finest grid, whose coarser levels are aggregates.
  /// @param residual  of the grid, after the first smoothing; is overwritten
  void correct_by_aggregates(DistributedField<Real>& residual) requires(Grids::heterogeneous) {
    Level& finest = *levels_.front();
    constexpr std::int64_t points_at_once = std::int64_t{1} << 28;  // limit of a packing kernel
    std::vector<LocalBox> const parts = chunks(finest.unknown(), points_at_once);
    Real* packed = values_.data();
    for (LocalBox const& part : parts) {
      pack(*queue_, residual.view(), part, packed);
      packed += part.point_count();
    }
    aggregates_->solve(values_.data());
    Real const* corrections = values_.data();
    for (LocalBox const& part : parts) {
      unpack(*queue_, corrections, residual.writable(), part);
      corrections += part.point_count();
    }
    add_correction(*queue_, residual.view(), finest.correction().writable(), finest.unknown(), 1.0);
    finest.smooth(after_);
  }

  mpi::Communicator alone_ = mpi::Communicator::self();  ///< for levels that each rank holds
  Queue* queue_;
  TransportKind transport_;  ///< of the run's halos
  MultigridSettings settings_;
  bool mean_free_;  ///< see DenseSolve
  bool coarsens_by_aggregates_ = false;
  std::vector<double> before_;  ///< relaxation factors before the coarse-grid correction
  std::vector<double> after_;   ///< those after it, in the order of application
  std::vector<std::unique_ptr<Level>> levels_{};             ///< the finest first
  std::vector<std::unique_ptr<LevelTransfer>> transfers_{};  ///< [n]: between levels n and n + 1
  std::optional<Coarsest> coarsest_{};
  std::optional<Assembly<Real>> assembly_{};  ///< if ranks share the grid, but not the finest level
  std::optional<AggregateHierarchy<Real>> aggregates_{};  ///< in place of coarser grids
  QueueList<Real> values_{};    ///< residual and correction, for aggregates
  Index3 offset_{};             ///< of the rank's part in the finest level's frame
  double halo_s_before_ = 0.0;  ///< of levels that have been replaced
};

/// The solver of A e = r that belongs to the building blocks: by default a multigrid hierarchy.
template <class Grids>
struct CorrectionSolverOf {
  using type = Hierarchy<Grids>;
};
template <class Grids>
using CorrectionSolver = typename CorrectionSolverOf<Grids>::type;

}  // namespace isotherm
