#include "app/bench/studies/study_field.hpp"

#include <utility>

#include "decomposition/field/staging/host_staging.hpp"

namespace isotherm::app {

template <class Real>
std::vector<Real> random_numbers(std::int64_t count) {
  std::vector<Real> values(static_cast<std::size_t>(count));
  std::uint32_t state = 1;
  for (Real& value : values) {
    state = state * 1664525U + 1013904223U;  // a linear congruential generator
    value = static_cast<Real>(state >> 8) * Real{0x1p-24};
  }
  return values;
}

template std::vector<float> random_numbers(std::int64_t);
template std::vector<double> random_numbers(std::int64_t);

Field<float> random_study_field(Queue& queue, Extent3 owned, Index3 halo) {
  Field<float> field(queue, owned, halo);
  LocalBox const box = field.layout().box();
  std::vector<float> const values = random_numbers<float>(box.point_count());
  HostStaging<float>(queue, box.extent()).write(queue, field.view(), box, values.data());
  queue.wait();
  return field;
}

std::vector<float> values_of(Queue& queue, Field<float> const& field) {
  std::vector<float> values(static_cast<std::size_t>(field.owned().point_count()));
  HostStaging<float>(queue, field.owned().extent())
      .read(queue, field.view(), field.owned(), values.data());
  return values;
}

}  // namespace isotherm::app
