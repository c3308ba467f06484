#include "kernels/transforms/tridiagonal/tridiagonal_solve.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/transforms/tridiagonal/cpu/tridiagonal.hpp"
#include "kernels/transforms/tridiagonal/cuda/tridiagonal.hpp"

namespace isotherm {

namespace {

bool are_not_negative(std::vector<double> const& values) {
  return std::ranges::all_of(values,
                             [](double value) { return value >= 0.0 && std::isfinite(value); });
}

/// Checks the numbers of the rows. @throws Error  if they are invalid
void check(TridiagonalRows const& rows) {
  std::size_t const n = rows.ground.size();
  require(n > 0 && n <= static_cast<std::size_t>(max_tridiagonal_points) &&
              rows.weight.size() == n && rows.conductance.size() + 1 == n,
          "tridiagonal rows of different sizes");
  require(are_not_negative(rows.conductance) &&
              std::ranges::all_of(rows.conductance, [](double g) { return g > 0.0; }),
          "the conductances of a tridiagonal operator must be positive");
  require(are_not_negative(rows.ground) && are_not_negative(rows.weight),
          "a tridiagonal operator is not definite");
}

/// Returns true if a line with μ = 0 is singular: nothing leads to the ground.
bool may_be_singular(TridiagonalRows const& rows) {
  return std::ranges::all_of(rows.ground, [](double ground) { return ground == 0.0; });
}

/// Returns TridiagonalTables::is_uniform.
bool are_uniform(TridiagonalRows const& rows) {
  if (rows.ground.size() < 4) return false;
  auto const are_equal = [](auto first, auto last) {
    return std::all_of(first, last, [&](double value) { return value == *first; });
  };
  return are_equal(rows.conductance.begin(), rows.conductance.end()) &&
         are_equal(rows.ground.begin() + 1, rows.ground.end() - 1) &&
         are_equal(rows.weight.begin() + 1, rows.weight.end() - 1);
}

}  // namespace

template <class Real>
TridiagonalSolve<Real>::TridiagonalSolve(Queue& queue, TridiagonalRows const& rows) {
  check(rows);
  std::size_t const n = rows.ground.size();
  double const pin = n > 1 ? rows.conductance.back() : 1.0;
  std::size_t const padded = (n + points_of_part - 1) / points_of_part * points_of_part;
  std::vector<Real> values;
  auto const append = [&](std::vector<double> const& numbers, Real behind) {
    std::size_t const end = values.size() + padded;
    values.insert(values.end(), numbers.begin(), numbers.end());
    values.resize(end, behind);
  };
  append(rows.conductance, Real{0});
  append(rows.ground, Real{1});
  append(rows.weight, Real{0});
  bool const singular = may_be_singular(rows);
  if (singular) {
    append(singular_line_factors(rows, pin), Real{0});
    std::vector<double> pinned = rows.ground;
    pinned.back() += pin;
    append(pinned, Real{1});
  }
  memory_ = Buffer(queue, Space::device, values.size() * sizeof(Real));
  copy_bytes(queue, memory_.data(), values.data(), memory_.bytes());
  queue.wait();  // the host's values end here
  auto const* const at = memory_.as<Real const>();
  tables_ = {static_cast<int>(n),
             at,
             at + padded,
             at + 2 * padded,
             singular ? at + 3 * padded : nullptr,
             static_cast<Real>(pin),
             singular ? at + 4 * padded : nullptr,
             static_cast<Real>(rows.first_factor),
             static_cast<Real>(rows.last_factor),
             are_uniform(rows)};
}

template <class Real>
void TridiagonalSolve<Real>::solve(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                                   LocalBox box, int axis, Spectrum<Real> const& spectrum) const {
  run(queue, from, to, box, axis, spectrum, false);
}

template <class Real>
void TridiagonalSolve<Real>::solve_ends(Queue& queue, FieldView<Real const> from,
                                        FieldView<Real> to, LocalBox box, int axis,
                                        Spectrum<Real> const& spectrum) const {
  run(queue, from, to, box, axis, spectrum, true);
}

template <class Real>
void TridiagonalSolve<Real>::run(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                                 LocalBox box, int axis, Spectrum<Real> const& spectrum,
                                 bool ends_only) const {
  require(axis >= 0 && axis < 3, "a tridiagonal solution along axis " + std::to_string(axis));
  if (box.empty()) return;
  require(box.extent()[axis] == count(), "lines of " + std::to_string(box.extent()[axis]) +
                                             " points for a tridiagonal operator of " +
                                             std::to_string(count()));
  require(from.box.contains(box) && to.box.contains(box),
          "a tridiagonal solution extends beyond its fields");
  TridiagonalPass<Real> const pass{tables_,
                                   lines_along(from, box, axis),
                                   lines_along(to, box, axis),
                                   line_count(box, axis),
                                   spectrum_along(spectrum, axis),
                                   ends_only};
  dispatch(
      queue, [&] { cpu::solve_lines(queue, pass); },
      [&](auto) { cuda::solve_lines(queue, pass, axis); });
}

template <class Real>
std::size_t TridiagonalSolve<Real>::footprint(Backend backend, std::int64_t count) {
  auto const padded = static_cast<std::size_t>(std::max<std::int64_t>(count, 1)) + points_of_part;
  std::size_t const values = product_of_bytes(5 * padded, sizeof(Real));
  std::size_t const rows = Buffer::footprint(backend, Space::device, values);
  return dispatch(
      backend, [&] { return rows; },
      [&](auto) {
        return sum_of_bytes(rows, cuda::tridiagonal_scratch_bytes(count, sizeof(Real)));
      });
}

template class TridiagonalSolve<float>;
template class TridiagonalSolve<double>;

}  // namespace isotherm
