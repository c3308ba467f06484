#include "kernels/memories/gaussian_forms.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/gaussians/gaussian_sum.hpp"
#include "kernels/memories/cuda/gaussian_forms.hpp"

namespace isotherm {

std::vector<KernelForm> gaussian_forms(Backend backend) {
  return dispatch(
      backend,
      [] {
        return std::vector<KernelForm>{{"memory", "terms in memory and caches"}};
      },
      [](auto) { return cuda::gaussian_forms(); });
}

GaussianSum::GaussianSum(Queue& queue, std::string const& form,
                         std::vector<GaussianTerm> const& terms, int dimension)
    : queue_(&queue),
      form_(form_number(gaussian_forms(queue.backend()), form, "a sum of Gaussians")),
      dimension_(dimension),
      terms_(terms) {
  require(terms.size() <= max_gaussian_terms,
          "a study of Gaussians has at most " + std::to_string(max_gaussian_terms) + " terms");
  dispatch(
      queue, [] {},
      [&](auto) {
        std::vector<PreparedGaussian> prepared;
        prepared.reserve(terms.size());
        for (GaussianTerm const& term : terms) prepared.push_back(prepare(term, dimension));
        memory_ = Buffer(queue, Space::device, prepared.size() * sizeof(PreparedGaussian));
        copy_bytes(queue, memory_.data(), prepared.data(), memory_.bytes());
        cuda::set_constant_gaussians(queue, prepared);
      });
}

void GaussianSum::add(FieldView<float> field, LocalBox box, PointFrame const& frame) const {
  require(field.box.contains(box), "the points that Gaussians are added to reach past the field");
  if (box.empty() || terms_.empty()) return;
  dispatch(
      *queue_, [&] { add_gaussians(*queue_, field, box, frame, dimension_, terms_); },
      [&](auto) {
        cuda::add_gaussians_by_form(*queue_, form_, field, box, frame, dimension_,
                                    memory_.as<PreparedGaussian const>(),
                                    static_cast<int>(terms_.size()));
      });
}

}  // namespace isotherm
