#pragma once

#include "kernels/core/cpu/rows.hpp"
#include "kernels/filters/lines.hpp"

namespace isotherm::cpu {

/// Computes to(p) = reduce(the line of `from` that begins at p) for the points of `first`.
template <class Real, class Reduce>
void reduce_lines(FieldView<Real const> from, FieldView<Real> to, LocalBox const& first,
                  Reduce const& reduce) {
  for_each_row(first, [&](std::int64_t j, std::int64_t k) {
    for (std::int64_t i = first.lower.x; i < first.upper.x; ++i) {
      to(i, j, k) = reduce(&from(i, j, k));
    }
  });
}

}  // namespace isotherm::cpu
