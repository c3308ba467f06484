#include "kernels/filters/convolution.hpp"

#include <algorithm>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/filters/cpu/blocked_convolution.hpp"
#include "kernels/filters/cpu/convolution.hpp"
#include "kernels/filters/cuda/convolution.hpp"

namespace isotherm {

namespace {

/// Runs the plan of this name on the CPU.
template <class Real>
void convolve_on_cpu(FieldView<Real const> from, FieldView<Real> to, LocalBox const& box, int axis,
                     Weights<Real> const& weights, std::string const& plan) {
  if (plan == "blocked") return cpu::convolve_blocked(from, to, box, axis, weights);
  cpu::convolve(from, to, box, axis, weights);
}

/// Returns the name of the plan to use.
/// @throws Error  if the backend does not have the plan
std::string checked_plan(Backend backend, std::string const& plan) {
  if (plan.empty()) return default_convolution_plan(backend);
  auto const plans = convolution_plans(backend);
  require(std::ranges::find(plans, plan) != plans.end(),
          "there is no plan \"" + plan + "\" for a convolution here");
  return plan;
}

}  // namespace

std::vector<std::string> convolution_plans(Backend backend) {
  if (backend == Backend::cpu) return {"plain", "blocked"};
  return {"global", "shared", "registers", "texture"};
}

std::string default_convolution_plan(Backend backend) {
  return backend == Backend::cpu ? "blocked" : "registers";
}

template <class Real>
void convolve(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box, int axis,
              std::span<double const> weights, std::string const& plan) {
  require(weights.size() % 2 == 1 && weights.size() <= 2 * max_radius + 1,
          "a convolution needs an odd number of weights, within the limit of the kernels");
  std::string const name = checked_plan(queue.backend(), plan);
  Weights<Real> const prepared(weights);
  // The points that the sums read.
  LocalBox reached = box;
  reached.lower[axis] -= prepared.radius;
  reached.upper[axis] += prepared.radius;
  require(to.box.contains(box) && from.box.contains(reached),
          "a convolution reaches past its fields");
  if (box.empty()) return;
  dispatch(
      queue, [&] { convolve_on_cpu(from, to, box, axis, prepared, name); },
      [&](auto) { cuda::convolve(queue, from, to, box, axis, prepared, name); });
}

template void convolve(Queue&, FieldView<float const>, FieldView<float>, LocalBox, int,
                       std::span<double const>, std::string const&);
template void convolve(Queue&, FieldView<double const>, FieldView<double>, LocalBox, int,
                       std::span<double const>, std::string const&);

}  // namespace isotherm
