#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "solver/iteration/solver_interface.hpp"
#include "solver/multigrid/body_transfer.hpp"
#include "solver/multigrid/coarsest.hpp"
#include "solver/multigrid/correction_level.hpp"
#include "solver/multigrid/dense_solve.hpp"
#include "solver/multigrid/level_clock.hpp"
#include "solver/multigrid/level_plan.hpp"
#include "solver/multigrid/smoother.hpp"
#include "solver/multigrid/transfer.hpp"

namespace isotherm {

/// What a hierarchy of a uniform operator consists of.
template <class RealType, int dimension>
struct UniformGrids {
  using Real = RealType;
  using Level = CorrectionLevel<Real, dimension>;
  using Between = Transfer<Real>;
  using Coarsest = CoarsestSolve<Real>;
  static constexpr bool conducts = false;
  /// What the finest level gets from the next is a little too small, as that grid's operator is
  /// stiffer than what interpolation makes of it. With this four cycles leave a third
  /// of what they do without it (3D, 128³); on further levels it would add up.
  static constexpr double over_correction = 1.02;
};

/// And that of a body.
template <class RealType, int dimension>
struct BodyGrids {
  using Real = RealType;
  using Level = BodyLevel<Real, dimension>;
  using Between = BodyTransfer<Real, dimension>;
  using Coarsest = DenseSolve<Real, dimension>;
  static constexpr bool conducts = true;
};

/// The levels of a problem's corrections, and the cycles that go through them.
///
/// A cycle solves A e = r about: at each level it smooths the correction e, restricts what is left
/// of r to the next coarser one, takes the correction from there, and smooths again. The coarsest
/// level is solved exactly. Full multigrid starts there instead, and takes the solution of each
/// level as what the next finer one starts from. Stays where it is.
template <class Grids>
class Hierarchy {
 public:
  using Real = typename Grids::Real;
  using Level = typename Grids::Level;
  using Between = typename Grids::Between;
  using Coarsest = typename Grids::Coarsest;

  /// @param ranks   of the run; outlives the hierarchy, as `queue` does
  /// @param finest  this rank's part of the problem's grid
  /// @param make_flow  enqueues making the operator of a body's finest level at this rank's points,
  ///                   in the frame of its part of the grid
  /// @param mean_free  see DenseSolve
  /// Collective.
  Hierarchy(mpi::Communicator const& ranks, Problem const& problem, Subdomain const& finest,
            MultigridSettings const& settings, Execution const& execution, Queue& queue,
            std::function<void(FlowFields<Real> const&)> const& make_flow = {},
            bool mean_free = false)
      : queue_(&queue),
        settings_(settings),
        before_(weights_of(settings, settings.pre)),
        after_(weights_of(settings, settings.post)) {
    std::ranges::reverse(after_);
    int const most = std::max(settings.pre, settings.post);
    for (LevelPlan const& plan : plan_levels(problem, finest, settings.coarsest)) {
      levels_.push_back(std::make_unique<Level>(
          plan.everywhere ? alone_ : ranks, plan,
          smoothing_plans_of(plan, precision_of<Real>, execution, most), queue,
          plan.everywhere ? TransportKind::automatic : execution.transport));
    }
    if (levels_.front()->plan().everywhere && ranks.size() > 1) {
      GlobalBox const mine = finest.owned_global();
      LevelPlan const& plan = levels_.front()->plan();
      assembly_.emplace(ranks, plan.subdomain.to_local(mine), plan.subdomain.whole());
    }
    offset_ = levels_.front()->plan().everywhere ? finest.owned_global().lower : Index3{};
    if constexpr (Grids::conducts) make_finest_flow(make_flow);
    for (std::size_t n = 0; n + 1 < levels_.size(); ++n) {
      transfers_.push_back(std::make_unique<Between>(ranks, *levels_[n], *levels_[n + 1], queue));
    }
    if constexpr (Grids::conducts) {
      coarsest_.emplace(queue, *levels_.back(), mean_free);
    } else {
      coarsest_.emplace(queue, *levels_.back());
    }
  }

  /// Bytes that it takes at most, see Buffer::footprint.
  static std::size_t footprint(Problem const& problem, Subdomain const& finest,
                               MultigridSettings const& settings, Backend backend,
                               TransportKind transport) {
    std::vector<LevelPlan> const levels = plan_levels(problem, finest, settings.coarsest);
    std::size_t bytes = 0;
    for (std::size_t n = 0; n < levels.size(); ++n) {
      bytes += Level::footprint(levels[n], backend, transport);
      if (n > 0) bytes += Between::footprint(levels[n - 1], levels[n], backend);
    }
    return bytes + Coarsest::footprint(backend, levels.back().problem);
  }

  /// Whether there is one level only, and corrections are so exact.
  [[nodiscard]] bool is_exact() const { return levels_.size() == 1; }

  /// Whether corrections leave the means of some islands to the caller, see DenseSolve.
  [[nodiscard]] bool is_mean_free() const requires(Grids::conducts) {
    return coarsest_->has_free_islands();
  }

  /// The finest level's source and correction, in the frame of the rank's part of the grid.
  [[nodiscard]] FieldView<Real> source() { return in_frame(levels_.front()->source().view()); }
  [[nodiscard]] FieldView<Real const> correction() {
    return in_frame(levels_.front()->correction().view());
  }

  /// Enqueues filling the halo of correction(), as far as that of the rank's part goes. Collective.
  void fill_halo() { levels_.front()->correction().fill_halo(); }

  /// Enqueues one cycle from a correction of zero. All ranks have set their part of source().
  /// Collective.
  void cycle() {
    complete_source();
    improve_from_zero(0, settings_.cycle);
    enter_field();
  }

  /// Enqueues full multigrid up to where the finest level would go to work: the solution of each
  /// coarser one is what the next finer one starts from, and that is left as the correction. What
  /// rounding makes of numbers as large as the solution's is then in the residual that is evaluated
  /// next, and corrected with it. All ranks have set their part of source(). Collective.
  void start() requires(!Grids::conducts) {
    complete_source();
    for (std::size_t n = 0; n + 1 < levels_.size(); ++n) {
      enter(n);
      transfers_[n]->restrict_to_source(levels_[n]->source(), *levels_[n + 1]);
    }
    solve_coarsest();
    for (std::size_t n = levels_.size() - 1; n-- > 0;) {
      enter(n);
      transfers_[n]->replace_by_continued(*levels_[n + 1], *levels_[n]);
      if (n > 0) improve(n, settings_.cycle);
    }
    enter_field();
  }

  /// As Corrector's.
  void start_clock() { clock_.emplace(*queue_, levels_.size()); }
  std::vector<LevelTime> stop_clock() {
    std::vector<double> const seconds = clock_->seconds();
    clock_.reset();
    std::vector<LevelTime> times{{points_of(0), seconds[0]}};
    for (std::size_t n = 0; n < levels_.size(); ++n) {
      times.push_back({points_of(n), seconds[n + 1]});
    }
    return times;
  }

  /// Seconds in halo exchanges, by this rank's host clock.
  [[nodiscard]] double halo_seconds() const {
    double sum = 0.0;
    for (auto const& level : levels_) sum += level->space().halo().seconds();
    return sum;
  }
  [[nodiscard]] std::string transport_name() const {
    return levels_.front()->space().halo().transport_name();
  }

 private:
  static std::vector<double> weights_of(MultigridSettings const& settings, int sweeps) {
    return settings.smoother == Smoother::chebyshev ? chebyshev_weights(sweeps)
                                                    : damped_weights(sweeps);
  }

  /// On every rank all of it, where the finest level is there.
  void make_finest_flow(std::function<void(FlowFields<Real> const&)> const& make_flow) {
    Level& finest = *levels_.front();
    FlowFields<Real> flow = finest.flow().view();
    for (FieldView<Real>* field : {&flow.x, &flow.y, &flow.z, &flow.absorption}) {
      if (*field) *field = in_frame(*field);
    }
    make_flow(flow);
    for (DistributedField<Real>& field : finest.flow().fields()) {
      if (assembly_) assembly_->assemble(*queue_, finest.space().staging(), field.view());
    }
    finest.complete_flow();
  }

  template <class T>
  [[nodiscard]] FieldView<T> in_frame(FieldView<T> view) const {
    view.origin = &view(offset_.x, offset_.y, offset_.z);
    view.box = {view.box.lower - offset_, view.box.upper - offset_};
    return view;
  }

  [[nodiscard]] Extent3 points_of(std::size_t level) const {
    return levels_[level]->plan().problem.grid.points;
  }

  /// What is enqueued from now on is a level's, transfers that of the finer one, or the field's.
  void enter(std::size_t level) {
    if (clock_) clock_->enter_level(level);
  }
  void enter_field() {
    if (clock_) clock_->enter_field();
  }

  void complete_source() {
    enter(0);
    Level& finest = *levels_.front();
    if (assembly_) assembly_->assemble(*queue_, finest.space().staging(), finest.source().view());
    finest.source().fill_halo();
  }

  void solve_coarsest() {
    enter(levels_.size() - 1);
    Level& coarsest = *levels_.back();
    DistributedField<Real> const& source = coarsest.source();
    (*coarsest_)(source.view(), coarsest.correction().view(), coarsest.unknown());
  }

  /// Finds a correction of a level.
  void improve_from_zero(std::size_t n, Cycle shape) {
    if (n + 1 == levels_.size()) return solve_coarsest();
    enter(n);
    correct_by_coarser(n, shape, levels_[n]->smooth_from_zero(before_));
  }
  /// Improves the correction that a level has.
  void improve(std::size_t n, Cycle shape) {
    if (n + 1 == levels_.size()) return solve_coarsest();
    enter(n);
    levels_[n]->smooth(before_);
    correct_by_coarser(n, shape, levels_[n]->residual());
  }

  /// @param residual  of the level, smoothed
  void correct_by_coarser(std::size_t n, Cycle shape, DistributedField<Real> const& residual) {
    Level& coarser = *levels_[n + 1];
    if constexpr (Grids::conducts) {  // conjugate gradients weigh corrections
      transfers_[n]->restrict_to_source(residual, coarser);
    } else {
      transfers_[n]->restrict_to_source(residual, coarser, n == 0 ? Grids::over_correction : 1.0);
    }
    improve_from_zero(n + 1, shape);
    if (shape != Cycle::v) improve(n + 1, shape == Cycle::f ? Cycle::v : Cycle::w);
    enter(n);
    transfers_[n]->add_interpolated(coarser, *levels_[n]);
    levels_[n]->smooth(after_);
  }

  mpi::Communicator alone_ = mpi::Communicator::self();
  Queue* queue_;
  MultigridSettings settings_;
  std::vector<double> before_;
  std::vector<double> after_;
  std::vector<std::unique_ptr<Level>> levels_{};
  std::vector<std::unique_ptr<Between>> transfers_{};  ///< [n]: between levels n and n + 1
  std::optional<Coarsest> coarsest_{};
  std::optional<LevelClock> clock_{};         ///< where levels are timed
  std::optional<Assembly<Real>> assembly_{};  ///< where the ranks share the grid, but no level
  Index3 offset_{};                           ///< of the rank's part in the finest level's frame
};

}  // namespace isotherm
