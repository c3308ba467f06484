#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/sweep/reduce.hpp"
#include "tests/support/fields.hpp"

namespace isotherm::test {

/// The coefficients of one step, after = centre·u + Σ_d weight_d (u_lower + u_upper) + source.
struct StepCoefficients {
  double centre, x, y, z;
};

/// Computes one step by a plain serial loop from the formula, in Real arithmetic with every
/// operation rounded. Points outside `free`, and those without all neighbours, keep their values.
/// Also computes the norms of the change over region ∩ free.
template <class Real>
HostBox<Real> step(StepCoefficients c, HostBox<Real> const& u, HostBox<Real> const* source,
                   LocalBox free, LocalBox region, int dimension, Change* change = nullptr) {
  HostBox<Real> after = u;
  Index3 const reach{1, 1, dimension == 3 ? 1 : 0};
  LocalBox const inside = u.box.grown({-reach.x, -reach.y, -reach.z});
  for_each(intersection(free, inside), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    Real value = static_cast<Real>(c.x) * (u(i - 1, j, k) + u(i + 1, j, k));
    value = value + static_cast<Real>(c.y) * (u(i, j - 1, k) + u(i, j + 1, k));
    if (dimension == 3) {
      value = value + static_cast<Real>(c.z) * (u(i, j, k - 1) + u(i, j, k + 1));
    }
    if (c.centre != 0.0) value = static_cast<Real>(c.centre) * u(i, j, k) + value;
    if (source != nullptr && source->box.contains(i, j, k)) value = value + (*source)(i, j, k);
    after(i, j, k) = value;
    if (change != nullptr && region.contains(i, j, k)) {
      double const by = std::abs(value - u(i, j, k));  // difference rounded to Real
      change->largest = std::max(change->largest, by);
      change->sum_of_squares += by * by;
    }
  });
  return after;
}

}  // namespace isotherm::test
