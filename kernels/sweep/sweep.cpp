#include "kernels/sweep/sweep.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/sweep/cpu/plans.hpp"
#include "kernels/sweep/cuda/sweep.hpp"
#include "kernels/updates/heterogeneous_rules.hpp"

namespace isotherm {

namespace {

/// Returns a box of all points that `steps` steps read in order to update the free points of
/// `region`. A step changes free points only and reads their nearest neighbours, so reads end one
/// point beyond the free points.
LocalBox read_by(LocalBox region, LocalBox free, int steps, int dimension) {
  auto const by = [&](std::int64_t n) { return Index3{n, n, dimension == 3 ? n : 0}; };
  LocalBox const changed = intersection(region.grown(by(steps - 1)), free);
  return changed.empty() ? LocalBox{} : changed.grown(by(1));
}

/// Checks that the fields cover all points that the pass accesses.
/// @throws Error  if a field is too small
template <class Rule>
void check(Pass<typename Rule::Real> const& pass, SweepPlan const& plan) {
  require(plan.steps >= 1, "a sweep plan needs at least one step per pass");
  require(pass.in.box.contains(pass.region) &&
              pass.in.box.contains(read_by(pass.region, pass.free, plan.steps, Rule::dimension)),
          "the sweep reaches past its input (the halo must be as deep as the plan has steps)");
  require(pass.out.box.contains(pass.region), "the sweep reaches past its output");
  LocalBox const halo_source =
      // The last step adds the source on the region only; the steps before reach further.
      plan.steps == 1 ? LocalBox{}
                      : read_by(pass.region, pass.free, plan.steps - 1, Rule::dimension);
  require(!pass.source || (pass.source.box.contains(intersection(pass.region, pass.free)) &&
                           pass.source.box.contains(intersection(halo_source, pass.free))),
          "the sweep reaches past its source");
}

/// Checks that the forwarded boxes lie at the two ends of the region and do not overlap.
/// @throws Error  if they do not, or their field differs in strides from the output
/// @param axis  the rule's last axis
template <class Real>
void check_forwards(Pass<Real> const& pass, int axis) {
  // The upper box must begin at or above the end of the lower one: no point is forwarded twice.
  std::int64_t end_of_lower = pass.region.lower[axis];
  for (std::size_t const side : {0U, 1U}) {
    auto const& [box, out] = pass.forwards[side];
    if (box.empty()) continue;
    LocalBox slab = pass.region;  // the box that it must be
    (side == 0 ? slab.upper : slab.lower)[axis] = (side == 0 ? box.upper : box.lower)[axis];
    require(box == slab && pass.region.contains(box) && box.lower[axis] >= end_of_lower,
            "a pass may forward only points at the ends of its region, and each point once");
    require(out.box.contains(box) && out.stride_y == pass.out.stride_y &&
                out.stride_z == pass.out.stride_z,
            "a pass forwards to a field of another layout");
    end_of_lower = box.upper[axis];
  }
}

/// Returns the backend's plans for a rule.
template <class Rule>
std::vector<SweepPlan> plans_of(Backend backend, int device) {
  return dispatch(
      backend, [] { return cpu::plans<Rule>(); }, [&](auto) { return cuda::plans<Rule>(device); });
}

/// Returns the backend's plans for the rules of the methods. All of them have the same plans, so
/// those of Jacobi are returned.
template <class Real>
std::vector<SweepPlan> plans_of(Backend backend, int dimension, int device) {
  return dimension == 2 ? plans_of<Jacobi2D<Real>>(backend, device)
                        : plans_of<Jacobi3D<Real>>(backend, device);
}

}  // namespace

template <class Rule>
void sweep(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass,
           SweepPlan const& plan) {
  static_assert(Rule::radius == 1,
                "sweeps, halos and faces support only nearest-neighbour stencils");
  check<Rule>(pass, plan);
  check_forwards(pass, Rule::dimension - 1);
  // After the checks, so mistakes are also found for empty regions.
  if (pass.region.empty()) return;
  dispatch(
      queue, [&] { cpu::sweep(queue.scratch(), rule, pass, plan); },
      [&](auto) { cuda::sweep(queue, rule, pass, plan); });
}

std::vector<SweepPlan> smoothing_plans(Backend backend, int dimension, Precision precision,
                                       int device) {
  auto const plans = [&]<class Real>(Real) {
    return dimension == 2 ? plans_of<Smoothing2D<Real>>(backend, device)
                          : plans_of<Smoothing3D<Real>>(backend, device);
  };
  return with_precision(precision, plans);
}

std::vector<SweepPlan> heterogeneous_plans(Backend backend, int dimension, Precision precision,
                                           int device) {
  auto const plans = [&]<class Real>(Real) {
    return dimension == 2 ? plans_of<HeterogeneousJacobi2D<Real>>(backend, device)
                          : plans_of<HeterogeneousJacobi3D<Real>>(backend, device);
  };
  return with_precision(precision, plans);
}

std::vector<SweepPlan> heterogeneous_smoothing_plans(Backend backend, int dimension,
                                                     Precision precision, int device) {
  auto const plans = [&]<class Real>(Real) {
    return dimension == 2 ? plans_of<HeterogeneousSmoothing2D<Real>>(backend, device)
                          : plans_of<HeterogeneousSmoothing3D<Real>>(backend, device);
  };
  return with_precision(precision, plans);
}

std::vector<SweepPlan> sweep_plans(Backend backend, int dimension, Precision precision,
                                   int device) {
  return precision == Precision::float32 ? plans_of<float>(backend, dimension, device)
                                         : plans_of<double>(backend, dimension, device);
}

#define ISOTHERM_INSTANTIATE(Rule) \
  template void sweep(Queue&, Rule const&, Pass<typename Rule::Real> const&, SweepPlan const&);
ISOTHERM_FOR_EACH_RULE(ISOTHERM_INSTANTIATE)
ISOTHERM_FOR_EACH_SMOOTHING_RULE(ISOTHERM_INSTANTIATE)
ISOTHERM_FOR_EACH_HETEROGENEOUS_RULE(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm
