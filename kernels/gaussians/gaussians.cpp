#include "kernels/gaussians/gaussians.hpp"

#include <algorithm>

#include "kernels/core/cpu/rows.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/gaussians/cuda/gaussians.hpp"
#include "kernels/gaussians/gaussian_sum.hpp"

namespace isotherm {

namespace {

/// Adds the terms to the points of `box`, row by row.
template <class Real>
void add_on_cpu(FieldView<Real> field, LocalBox box, PointFrame const& frame, int dimension,
                std::vector<PreparedGaussian> const& terms) {
  cpu::for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
      Position const here = position(frame, dimension, i, j, k);
      double sum = 0.0;
      // The sum over the terms has the same order on every backend.
      for (PreparedGaussian const& term : terms) sum += gaussian_at(term, here);
      field(i, j, k) = static_cast<Real>(static_cast<double>(field(i, j, k)) + sum);
    }
  });
}

}  // namespace

std::vector<std::string> gaussian_plans(Backend backend) {
  if (backend == Backend::cpu) return {"plain"};
  return {"global", "constant"};
}

template <class Real>
void add_gaussians(Queue& queue, FieldView<Real> field, LocalBox box, PointFrame const& frame,
                   int dimension, std::vector<GaussianTerm> const& terms, std::string const& plan) {
  auto const plans = gaussian_plans(queue.backend());
  require(plan.empty() || std::ranges::find(plans, plan) != plans.end(),
          "there is no plan \"" + plan + "\" for Gaussians here");
  require(field.box.contains(box), "the points that Gaussians are added to reach past the field");
  if (box.empty() || terms.empty()) return;
  std::vector<PreparedGaussian> prepared;
  prepared.reserve(terms.size());
  for (GaussianTerm const& term : terms) prepared.push_back(prepare(term, dimension));
  dispatch(
      queue, [&] { add_on_cpu(field, box, frame, dimension, prepared); },
      [&](auto) {
        if (plan == "constant") {
          cuda::add_gaussians_from_constant(queue, field, box, frame, dimension, prepared);
        } else {
          cuda::add_gaussians(queue, field, box, frame, dimension, prepared);
        }
      });
}

template void add_gaussians(Queue&, FieldView<float>, LocalBox, PointFrame const&, int,
                            std::vector<GaussianTerm> const&, std::string const&);
template void add_gaussians(Queue&, FieldView<double>, LocalBox, PointFrame const&, int,
                            std::vector<GaussianTerm> const&, std::string const&);

}  // namespace isotherm
