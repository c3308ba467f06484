#pragma once

#include <algorithm>
#include <cstdint>
#include <omp.h>

#include "kernels/core/cpu/rows.hpp"
#include "kernels/core/cpu/scratch.hpp"
#include "kernels/core/queue/queue.hpp"
#include "kernels/transforms/dense/cpu/column_panel.hpp"
#include "kernels/transforms/dense/cpu/row_panel.hpp"

// Dense transforms as matrix products on the CPU. A thread has the values of some lines in its
// second-level cache, in a panel, and computes all products of a pass there. The arithmetic of a
// line does not depend on the panel.

namespace isotherm::cpu {

/// Multiplies the values of a panel by both blocks of a matrix.
/// @param pass  the pass if these are its last products, else null
template <class Panel, class Real>
void multiply_blocks(Panel& panel, DenseTables<Real> const& tables, DenseMatrix<Real> const& matrix,
                     DensePass<Real> const* pass) {
  auto const blocks = Panel::blocks_of(matrix);
  panel.multiply(0, blocks[0], pass);
  if (tables.is_mirrored) panel.multiply(1, blocks[1], pass);
  panel.advance();
}

/// Computes a pass for the lines of one panel.
template <class Panel, class Real>
void transform_panel(Panel panel, DensePass<Real> const& pass) {
  DenseTables<Real> const& tables = pass.tables;
  bool const ends_with_modes = pass.task == LineTask::to_modes;
  panel.load(pass.from);
  if (pass.task != LineTask::to_points) {
    if (tables.is_mirrored) panel.fold();
    multiply_blocks(panel, tables, tables.to_modes, ends_with_modes ? &pass : nullptr);
  }
  if (pass.task == LineTask::solve) panel.scale(pass.from, pass.spectrum);
  if (!ends_with_modes) {
    multiply_blocks(panel, tables, tables.to_points, &pass);
    // From sums and differences back to values: the sum and difference of these two.
    if (tables.is_mirrored) panel.fold();
  }
  panel.store(pass.to);
}

/// Computes a pass, panel by panel.
template <class Panel, class Real>
void transform_lines(Queue& queue, DensePass<Real> const& pass) {
  constexpr std::int64_t panel_bytes = 1 << 16;
  constexpr std::int64_t panels_per_thread = 4;
  int const count = pass.tables.count;
  int const threads = cpu_threads();
  std::int64_t const share = pass.lines / (panels_per_thread * threads) + 1;
  std::int64_t const lines =
      std::min(Panel::lines_within(panel_bytes, count),
               Panel::lines_within(share * count * static_cast<std::int64_t>(sizeof(Real)), count));
  std::int64_t const panels = (pass.lines + lines - 1) / lines;
  Scratch& scratch = queue.scratch();
  scratch.make_room_for(threads);
  std::int64_t const operations = pass.lines * count * count;
#pragma omp parallel for schedule(static) if (operations >= 16 * smallest_parallel_work)
  for (std::int64_t n = 0; n < panels; ++n) {
    Real* const memory = scratch.of_thread<Real>(omp_get_thread_num(), Scratch::Place::lines,
                                                 Panel::elements(count, lines));
    std::int64_t const first = n * lines;
    transform_panel(Panel(memory, pass.tables, first, std::min(lines, pass.lines - first)), pass);
  }
}

/// Computes a pass over lines along `axis`. See kernels/transforms/dense/dense_transform.hpp.
template <class Real>
void transform(Queue& queue, DensePass<Real> const& pass, int axis) {
  if (axis == 0) {
    transform_lines<RowPanel<Real>>(queue, pass);
  } else {
    transform_lines<ColumnPanel<Real>>(queue, pass);
  }
}

}  // namespace isotherm::cpu
