#include "kernels/gaussians/gaussians.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"
#include "kernels/gaussians/gaussian_sum.hpp"

namespace isotherm {

namespace {

/// Adds the terms to the value of a point. The sum over the terms has the same order on every
/// backend.
///
/// All threads of a warp read the same term at the same time, which the cache broadcasts.
template <class Real>
struct AddGaussians {
  FieldView<Real> field;
  PointFrame frame;
  int dimension;
  PreparedGaussian const* terms;
  int count;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Position const here = position(frame, dimension, i, j, k);
    double sum = 0.0;
    for (int n = 0; n < count; ++n) sum += gaussian_at(terms[n], here);
    field(i, j, k) = static_cast<Real>(static_cast<double>(field(i, j, k)) + sum);
  }
};

}  // namespace

template <class Real>
void add_gaussians(Queue& queue, FieldView<Real> field, LocalBox box, PointFrame const& frame,
                   int dimension, std::vector<GaussianTerm> const& terms) {
  require(field.box.contains(box), "the points that Gaussians are added to reach past the field");
  if (box.empty() || terms.empty()) return;
  std::vector<PreparedGaussian> prepared;
  prepared.reserve(terms.size());
  for (GaussianTerm const& term : terms) prepared.push_back(prepare(term, dimension));
  std::size_t const bytes = prepared.size() * sizeof(PreparedGaussian);
  Buffer const memory(queue, Space::device, bytes);
  copy_bytes(queue, memory.data(), prepared.data(), bytes);
  for_each_point(queue, box,
                 AddGaussians<Real>{field, frame, dimension, memory.as<PreparedGaussian const>(),
                                    static_cast<int>(prepared.size())});
  queue.wait();  // the terms must live until the kernel has ended
}

template void add_gaussians(Queue&, FieldView<float>, LocalBox, PointFrame const&, int,
                            std::vector<GaussianTerm> const&);
template void add_gaussians(Queue&, FieldView<double>, LocalBox, PointFrame const&, int,
                            std::vector<GaussianTerm> const&);

}  // namespace isotherm
