#include "kernels/gaussians/gaussians.hpp"

#include "kernels/core/cpu/rows.hpp"
#include "kernels/core/dispatch.hpp"
#include "kernels/core/error.hpp"
#include "kernels/gaussians/cuda/gaussians.hpp"
#include "kernels/gaussians/gaussian_sum.hpp"

namespace isotherm {

namespace {

template <class Real>
void add_on_cpu(FieldView<Real> field, LocalBox box, PointFrame const& frame, int dimension,
                std::vector<PreparedGaussian> const& terms) {
  cpu::for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
      Position const here = position(frame, dimension, i, j, k);
      double sum = 0.0;
      for (PreparedGaussian const& term : terms) sum += gaussian_at(term, here);
      field(i, j, k) = static_cast<Real>(static_cast<double>(field(i, j, k)) + sum);
    }
  });
}

}  // namespace

template <class Real>
void add_gaussians(Queue& queue, FieldView<Real> field, LocalBox box, PointFrame const& frame,
                   int dimension, std::vector<GaussianTerm> const& terms) {
  require(field.box.contains(box), "the points that Gaussians are added to reach past the field");
  if (box.empty() || terms.empty()) return;
  std::vector<PreparedGaussian> prepared;
  prepared.reserve(terms.size());
  for (GaussianTerm const& term : terms) prepared.push_back(prepare(term, dimension));
  dispatch(
      queue, [&] { add_on_cpu(field, box, frame, dimension, prepared); },
      [&](auto) { cuda::add_gaussians(queue, field, box, frame, dimension, prepared); });
}

template void add_gaussians(Queue&, FieldView<float>, LocalBox, PointFrame const&, int,
                            std::vector<GaussianTerm> const&);
template void add_gaussians(Queue&, FieldView<double>, LocalBox, PointFrame const&, int,
                            std::vector<GaussianTerm> const&);

}  // namespace isotherm
