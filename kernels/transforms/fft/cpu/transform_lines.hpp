#pragma once

#include <omp.h>

#include "kernels/core/cpu/rows.hpp"
#include "kernels/core/cpu/scratch.hpp"
#include "kernels/core/queue/queue.hpp"
#include "kernels/transforms/fft/cpu/division.hpp"
#include "kernels/transforms/fft/line_transform.hpp"

namespace isotherm::cpu {

/// The memory of a thread: two arrays of N + 1 values of a group of lines.
template <class Real>
struct LineMemory {
  LineValues<Real>* values;
  LineValues<Real>* other;
};

/// Takes the long waves out of the input of a transform.
template <LineForm form, class Real>
LongWaves<Lanes<Real>> take_long_waves(LineValues<Real>* modes) {
  LongWaves<Lanes<Real>> waves;
  if constexpr (form == LineForm::cosine) std::swap(waves.constant, modes[0]);
  std::swap(waves.first, modes[1]);
  return waves;
}

/// Adds the long waves to the points.
template <LineForm form, class Real>
void add_long_waves(LongWaves<Lanes<Real>> const& waves, LineSteps<Real> const& steps,
                    LineValues<Real>* points) {
  int const end = form == LineForm::sine ? 1 : 0;  // the first node that has a value
  for (int k = end; k <= steps.length - end; ++k) {
    points[k] = with_long_waves<form>(steps, k, waves, points[k]);
  }
}

/// Transforms the nodes at `memory.values`; the results replace them there.
template <LineForm form, class Real>
void transform_nodes(FftPlan const& plan, Complex<Real> const* roots, LineSteps<Real> const& steps,
                     LineMemory<Real>& memory) {
  int const half = plan.length / 2;
  LongWaves<Lanes<Real>> waves;
  if constexpr (uses_neighbours<form>) {
    if (steps.first_mode != nullptr) waves = take_long_waves<form, Real>(memory.values);
  }
  auto const node = [from = memory.values](int k) { return from[k]; };
  LineValues<Real> odd_sum{};
  if constexpr (form == LineForm::cosine) {
    LineValues<Real> parts[odd_sum_parts];  // NOLINT(modernize-avoid-c-arrays): registers
    for (int part = 0; part < odd_sum_parts; ++part) parts[part] = odd_part_sum(steps, part, node);
    odd_sum = sum_of_parts(parts);
  }
  for (int k = 0; k <= half; ++k) {
    auto const pair = enter<form>(steps, k, node);
    memory.other[k] = pair.at;
    memory.other[mirrored(k, plan.length)] = pair.mirrored;
  }
  std::swap(memory.values, memory.other);
  fourier_transform(plan, roots, memory.values, memory.other);
  auto const put = [to = memory.other](int k, LineValues<Real> value) { to[k] = value; };
  for (int k = 0; k <= half; ++k) {
    SpectralPair<Lanes<Real>> const pair{memory.values[k], memory.values[mirrored(k, plan.length)]};
    leave<form>(steps, k, pair, odd_sum, put);
  }
  std::swap(memory.values, memory.other);
  if constexpr (uses_neighbours<form>) {
    if (steps.first_mode != nullptr) add_long_waves<form>(waves, steps, memory.values);
  }
}

template <class Real>
void transform_nodes(LineTransform<Real> const& transform, LineSteps<Real> const& steps,
                     LineMemory<Real>& memory) {
  FftPlan const& plan = transform.plan;
  switch (steps.form) {
    case LineForm::sine:
      return transform_nodes<LineForm::sine>(plan, transform.roots, steps, memory);
    case LineForm::cosine:
      return transform_nodes<LineForm::cosine>(plan, transform.roots, steps, memory);
    case LineForm::quarter_to_modes:
      return transform_nodes<LineForm::quarter_to_modes>(plan, transform.roots, steps, memory);
    case LineForm::quarter_to_points:
      return transform_nodes<LineForm::quarter_to_points>(plan, transform.roots, steps, memory);
    case LineForm::periodic_to_modes:
      return transform_nodes<LineForm::periodic_to_modes>(plan, transform.roots, steps, memory);
    case LineForm::periodic_to_points:
      return transform_nodes<LineForm::periodic_to_points>(plan, transform.roots, steps, memory);
  }
}

/// Prepares the nodes of the way back, which are those of the modes: nodes without a mode are 0.
template <class Real>
void clear_nodes_without_modes(LineSteps<Real> const& steps, LineValues<Real>* nodes) {
  LineValues<Real> const zero{Lanes<Real>::all(Real{0}), Lanes<Real>::all(Real{0})};
  for (int node = 0; node < steps.from.first; ++node) nodes[node] = zero;
  for (int node = steps.from.first + steps.count; node <= steps.length; ++node) nodes[node] = zero;
}

/// Divides the modes of a group of lines by their eigenvalues, and transforms them back.
template <class Real>
void divide_and_return(LineTransform<Real> const& transform, LineGroup const& group, Index3 corner,
                       Spectrum<Real> const& spectrum, LineMemory<Real>& memory) {
  LineSteps<Real> const& back = transform.to_points;
  clear_nodes_without_modes(back, memory.values);
  Division<Real> const divide(spectrum, group, corner);
  for (int mode = 0; mode < back.count; ++mode) divide(mode, memory.values[back.from.first + mode]);
  transform_nodes(transform, back, memory);
}

/// Transforms all lines of `box` along `axis`; see FftTransform.
/// @param spectrum  for LinePass::solve
template <class Real>
void transform_lines(Queue& queue, LineTransform<Real> const& transform, LinePass pass,
                     FieldView<Real const> from, FieldView<Real> to, LocalBox const& box, int axis,
                     Spectrum<Real> const& spectrum) {
  LineGroups<Real> const groups(box, axis);
  bool const is_back = pass == LinePass::to_points;
  LineSteps<Real> const& first = is_back ? transform.to_points : transform.to_modes;
  LineSteps<Real> const& last =
      pass == LinePass::to_modes ? transform.to_modes : transform.to_points;
  std::int64_t const nodes = transform.plan.length + 1;
  Scratch& scratch = queue.scratch();
  scratch.make_room_for(cpu_threads());
#pragma omp parallel if (box.point_count() >= smallest_parallel_work)
  {
    auto* const values =
        scratch.of_thread<LineValues<Real>>(omp_get_thread_num(), Scratch::Place::rings, 2 * nodes);
    LineMemory<Real> memory{values, values + nodes};
#pragma omp for schedule(static)
    for (std::int64_t number = 0; number < groups.count(); ++number) {
      LineGroup const group = groups[number];
      gather(from, group, first, memory.values);
      transform_nodes(transform, first, memory);
      if (pass == LinePass::solve) {
        divide_and_return(transform, group, box.lower, spectrum, memory);
      }
      scatter(memory.values, group, last, to);
    }
  }
}

}  // namespace isotherm::cpu
