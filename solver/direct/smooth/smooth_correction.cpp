#include "solver/direct/smooth/smooth_correction.hpp"

#include <algorithm>

#include "kernels/multigrid/search_direction.hpp"
#include "solver/direct/smooth/smooth_medium.hpp"
#include "solver/discretise/boundary.hpp"

namespace isotherm {

template <class Real, int dimension>
SmoothCorrection<Real, dimension>::SmoothCorrection(mpi::Communicator const& ranks,
                                                    Problem const& problem, Subdomain const& finest,
                                                    MultigridSettings const& settings,
                                                    Execution const& execution, Queue& queue,
                                                    MakeOperator const& /*make_operator_fields*/,
                                                    bool /*mean_free*/)
    : ranks_(&ranks),
      queue_(&queue),
      problem_(problem),
      reference_(smooth_reference(problem)),
      finest_(finest),
      settings_(settings),
      execution_(execution),
      unknown_(unknown_points(problem, finest)) {
  direct_.emplace(ranks, reference_, finest, settings, execution, queue);
  source_.emplace(queue, finest.extent(), Index3{0, 0, 0});
  scale_.emplace(queue, finest.extent(), Index3{0, 0, 0});
}

template <class Real, int dimension>
std::size_t SmoothCorrection<Real, dimension>::footprint(Problem const& problem,
                                                         Subdomain const& finest,
                                                         MultigridSettings const& settings,
                                                         Backend backend, TransportKind transport) {
  std::size_t const field = Field<Real>::footprint(backend, finest.extent(), {0, 0, 0});
  Index3 const halo = FieldSpace<double>::halo_points_of(problem.grid, 1);
  std::size_t const direct =
      2 * field +
      SeparableCorrection<Real>::footprint(smooth_reference(problem), finest, settings, backend,
                                           transport) +
      SeparableConductanceRows<double, dimension>::footprint(backend, finest.extent(), halo);
  std::size_t const fallback =
      field + Fallback::footprint(problem, finest, settings, backend, transport);
  return std::max(direct, fallback);
}

template <class Real, int dimension>
void SmoothCorrection<Real, dimension>::fall_back(MakeOperator const& make_operator_fields) {
  halo_s_before_ += direct_->halo_seconds();
  queue_->wait();
  // This reduction is a barrier: no rank uses the old fields any more.
  (void)ranks_->any(false);
  direct_.reset();
  scale_.reset();
  fallback_.emplace(*ranks_, problem_, finest_, settings_, execution_, *queue_,
                    make_operator_fields);
  update_search_direction(*queue_, FieldView<Real const>(source_->view()), 1.0,
                          fallback_->writable_source(), 0.0, unknown_);
  queue_->wait();
  source_.reset();
}

template <class Real, int dimension>
void SmoothCorrection<Real, dimension>::cycle() {
  if (fallback_) return fallback_->cycle();
  FieldView<Real const> const scale = scale_->view();
  multiply(*queue_, FieldView<Real const>(source_->view()), scale, direct_->writable_source(),
           unknown_);
  direct_->cycle();
  multiply(*queue_, direct_->correction(), scale, direct_->writable_correction(), unknown_);
}

template class SmoothCorrection<float, 2>;
template class SmoothCorrection<float, 3>;
template class SmoothCorrection<double, 2>;
template class SmoothCorrection<double, 3>;

}  // namespace isotherm
