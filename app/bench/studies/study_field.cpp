#include "app/bench/studies/study_field.hpp"

#include <cmath>
#include <utility>

#include "decomposition/field/staging/host_staging.hpp"

namespace isotherm::app {

std::vector<float> random_numbers(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::uint32_t state = 1;
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;  // a linear congruential generator
    value = static_cast<float>(state >> 8) * 0x1p-24F;
  }
  return values;
}

Field<float> random_study_field(Queue& queue, Extent3 owned, Index3 halo) {
  Field<float> field(queue, owned, halo);
  LocalBox const box = field.layout().box();
  std::vector<float> const values = random_numbers(box.point_count());
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

double largest_difference(std::vector<float> const& a, std::vector<float> const& b) {
  double largest = 0.0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    double const difference = std::abs(static_cast<double>(a[n]) - static_cast<double>(b[n]));
    // True also if the difference is NaN, which then stays.
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

}  // namespace isotherm::app
