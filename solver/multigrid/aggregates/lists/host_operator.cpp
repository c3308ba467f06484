#include "solver/multigrid/aggregates/lists/host_operator.hpp"

#include <cstddef>

#include "decomposition/field/staging/host_staging.hpp"

namespace isotherm {

template <class Real>
FieldView<Real const> copied_to_host(Queue& queue, FieldView<Real const> field, LocalBox box,
                                     std::vector<Real>& values) {
  Extent3 const n = box.extent();
  values.resize(static_cast<std::size_t>(box.point_count()));
  HostStaging<Real>(queue, n).read(queue, field, box, values.data());
  queue.wait();
  FieldView<Real const> copy{values.data(), n.x, n.x * n.y, box};
  copy.origin -= box.lower.x + box.lower.y * copy.stride_y + box.lower.z * copy.stride_z;
  return copy;
}

template <class Real>
HostOperator<Real>::HostOperator(Queue& queue, OperatorFields<Real const> const& fields,
                                 LocalBox owned)
    : fields_(fields) {
  queue.wait();
  if (queue.backend() == Backend::cpu) return;
  std::size_t n = 0;
  for (FieldView<Real const>* field : {&fields_.x, &fields_.y, &fields_.z, &fields_.reaction}) {
    std::vector<Real>& values = values_[n++];
    if (!*field) continue;
    LocalBox const box = intersection(owned.grown({1, 1, 1}), field->box);
    *field = copied_to_host(queue, *field, box, values);
  }
}

template class HostOperator<float>;
template class HostOperator<double>;
template FieldView<float const> copied_to_host(Queue&, FieldView<float const>, LocalBox,
                                               std::vector<float>&);
template FieldView<double const> copied_to_host(Queue&, FieldView<double const>, LocalBox,
                                                std::vector<double>&);

}  // namespace isotherm
