#pragma once

#include <array>
#include <span>

#include "kernels/reductions/sum.hpp"

namespace isotherm::cpu {

/// One accumulator: each addition waits for the one before.
inline double add_serially(std::span<float const> values) {
  float sum = 0.0F;
  for (float const value : values) sum += value;
  return static_cast<double>(sum);
}

/// Eight accumulators, which do not wait for each other.
inline double add_unrolled(std::span<float const> values) {
  constexpr std::size_t lanes = 8;
  std::array<float, lanes> sums{};
  std::size_t const whole = values.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += values[i + lane];
  }
  for (std::size_t i = whole; i < values.size(); ++i) sums[0] += values[i];
  return static_cast<double>(add_serially(sums));
}

/// A vector of accumulators.
inline double add_in_vectors(std::span<float const> values) {
  float sum = 0.0F;
  std::size_t const n = values.size();
  float const* const first = values.data();
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += first[i];
  return static_cast<double>(sum);
}

/// Vectors of accumulators of the type Real on all threads.
template <class Real>
double add_on_threads(std::span<float const> values) {
  Real sum = 0;
  std::size_t const n = values.size();
  float const* const first = values.data();
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += static_cast<Real>(first[i]);
  return static_cast<double>(sum);
}

/// A form and its function.
struct SumRow {
  char const* name;
  char const* description;
  double (*add_up)(std::span<float const>);
};
inline constexpr std::array<SumRow, 5> sum_rows{{
    {"serial", "one accumulator", add_serially},
    {"unrolled", "eight accumulators", add_unrolled},
    {"vectors", "vectors of accumulators", add_in_vectors},
    {"threads", "vectors on all threads", add_on_threads<float>},
    {"threads-float64", "the same, accumulators in float64", add_on_threads<double>},
}};

/// Returns the forms of the CPU.
inline std::vector<KernelForm> sum_forms() {
  std::vector<KernelForm> forms;
  for (SumRow const& row : sum_rows) forms.push_back({row.name, row.description});
  return forms;
}

/// Returns the sum by a form.
/// @param form  its number in sum_forms()
inline double add_up(std::size_t form, std::span<float const> values) {
  return sum_rows[form].add_up(values);
}

}  // namespace isotherm::cpu
