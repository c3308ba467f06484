#include "kernels/transforms/tridiagonal/tridiagonal_solve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/error.hpp"
#include "kernels/transforms/tridiagonal/line_part.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/sanitized.hpp"

// Tridiagonal systems compared with Gaussian elimination in long double.

namespace isotherm::test {
namespace {

using Wide = long double;

/// The ends of a line: grounded through a gap or a film, or not.
enum class Ends { both, lower, upper, none };
constexpr std::array all_ends{Ends::both, Ends::lower, Ends::upper, Ends::none};

/// A line whose conductances and widths vary by two orders of magnitude.
TridiagonalRows varied_rows(int count, Ends ends, unsigned seed) {
  auto const n = static_cast<std::size_t>(count);
  auto const random = random_points<double>({{0, 0, 0}, {2 * count, 1, 1}}, seed).values;
  TridiagonalRows rows;
  for (std::size_t p = 0; p + 1 < n; ++p) {
    rows.conductance.push_back(static_cast<float>(std::pow(10.0, random[p])));
  }
  rows.ground.assign(n, 0.0);
  for (std::size_t p = 0; p < n; ++p) {
    rows.weight.push_back(static_cast<float>(std::pow(10.0, random[n + p])));
  }
  if (ends == Ends::both || ends == Ends::lower) rows.ground.front() = 1.5;
  if (ends == Ends::both || ends == Ends::upper) rows.ground.back() += 0.75;
  return rows;
}

/// A line of equal gaps, values per volume.
TridiagonalRows even_rows(int count, Ends ends) {
  auto const n = static_cast<std::size_t>(count);
  TridiagonalRows rows{std::vector<double>(n - 1, 1.0), std::vector<double>(n, 0.0),
                       std::vector<double>(n, 1.0)};
  if (ends == Ends::both || ends == Ends::lower) {
    rows.ground.front() += 1.0;
  } else {
    rows.first_factor = 0.5;
    rows.weight.front() *= 0.5;
  }
  if (ends == Ends::both || ends == Ends::upper) {
    rows.ground.back() += 1.0;
  } else {
    rows.last_factor = 0.5;
    rows.weight.back() *= 0.5;
  }
  return rows;
}

/// Solves a line by elimination from the last point, unlike the product. The part of a pivot that
/// leads to the ground is computed apart: subtracting would lose 14 digits on nearly singular
/// lines.
std::vector<Wide> solved_line(TridiagonalRows const& rows, Wide mu, std::vector<Wide> right) {
  std::size_t const n = right.size();
  right.front() *= rows.first_factor;
  right.back() *= rows.last_factor;
  std::vector<Wide> ground(n);
  for (std::size_t p = n; p-- > 0;) {
    ground[p] = rows.ground[p] + mu * rows.weight[p];
    if (p + 1 == n) continue;
    Wide const link = rows.conductance[p];
    Wide const share = link / (link + ground[p + 1]);
    ground[p] += share * ground[p + 1];
    right[p] += share * right[p + 1];
  }
  right[0] /= ground[0];
  for (std::size_t p = 1; p < n; ++p) {
    Wide const link = rows.conductance[p - 1];
    right[p] = (right[p] + link * right[p - 1]) / (link + ground[p]);
  }
  return right;
}

/// Solves a singular line: the flow through a gap is the sum of the sources before it, minus the
/// mean.
std::vector<Wide> solved_singular_line(TridiagonalRows const& rows, std::vector<Wide> right) {
  std::size_t const n = right.size();
  right.front() *= rows.first_factor;
  right.back() *= rows.last_factor;
  Wide sum = 0, weight = 0;
  for (std::size_t p = 0; p < n; ++p) sum += right[p], weight += rows.weight[p];
  std::vector<Wide> flow(n);
  Wide before = 0;
  for (std::size_t p = 0; p < n; ++p) flow[p] = before += right[p] - sum / weight * rows.weight[p];
  std::vector<Wide> result(n, 0);
  for (std::size_t p = n - 1; p-- > 0;) result[p] = result[p + 1] + flow[p] / rows.conductance[p];
  return result;
}

/// Returns the largest value of the solution for the absolute values of the right-hand side.
/// Rounding errors are relative to it. A singular line is connected to the ground at its last
/// point.
Wide scale_of(TridiagonalRows rows, Wide mu, bool is_singular, std::vector<Wide> right) {
  for (Wide& value : right) value = std::abs(value);
  if (is_singular) rows.ground.back() += rows.conductance.empty() ? 1.0 : rows.conductance.back();
  std::vector<Wide> const solution = solved_line(rows, mu, right);
  return *std::max_element(solution.begin(), solution.end());
}

template <class Real>
class Tridiagonal : public BackendTest {
 protected:
  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);

  Buffer on_device(std::vector<Real> const& values) {
    Buffer memory(queue_, Space::device, values.size() * sizeof(Real));
    copy_bytes(queue_, memory.data(), values.data(), memory.bytes());
    queue_.wait();
    return memory;
  }

  /// The eigenvalues of an axis: from 0 on, some tiny.
  static std::vector<Real> eigenvalues(std::int64_t count, double scale) {
    std::vector<Real> values;
    for (std::int64_t m = 0; m < count; ++m) {
      double const growth = m == 0 ? 0.0 : std::pow(10.0, 0.4 * static_cast<double>(m % 23) - 5.0);
      values.push_back(static_cast<Real>(scale * growth));
    }
    return values;
  }

  struct Setting {
    Extent3 extent;
    int axis;
    double shift = 0.0;
    bool drop_constant = false;
    bool in_place = false;
    int parts = 1;  ///< if there are several, the lines are solved by parts, in place
  };

  /// Compares the solution of all lines of a box with the oracle's, and expects that nothing else
  /// changes.
  void expect_solution(TridiagonalRows const& rows, Setting const& setting, unsigned seed) {
    Extent3 const n = setting.extent;
    std::string const what = std::to_string(n.x) + " x " + std::to_string(n.y) + " x " +
                             std::to_string(n.z) + " along " + "xyz"[setting.axis];
    LocalBox const box{{1, 2, 1}, Index3{1, 2, 1} + n};
    Field<Real> from(queue_, box.upper, {1, 1, 1});
    Field<Real> to(queue_, box.upper, {2, 0, 1});
    auto const values = random_points<Real>(from.layout().box(), seed);
    auto before = random_points<Real>(to.layout().box(), seed + 1);
    write_points(queue_, from, values);
    write_points(queue_, to, before);
    PerAxis<std::vector<Real>> const modes{eigenvalues(n.x, 0.5), eigenvalues(n.y, 0.25),
                                           eigenvalues(n.z, 0.3)};
    PerAxis<Buffer> const memory{on_device(modes[0]), on_device(modes[1]), on_device(modes[2])};
    Spectrum<Real> const spectrum{memory[0].template as<Real const>(),
                                  memory[1].template as<Real const>(),
                                  memory[2].template as<Real const>(),
                                  static_cast<Real>(setting.shift), setting.drop_constant};
    Field<Real>& result = setting.in_place ? from : to;
    if (setting.in_place) before = values;
    if (setting.parts > 1) {
      solve_by_parts(rows, setting, result, box, spectrum);
    } else {
      TridiagonalSolve<Real> const solve(queue_, rows);
      solve.solve(queue_, std::as_const(from).view(), result.view(), box, setting.axis, spectrum);
    }
    auto const after = read_points(queue_, result, before.box);
    if (!setting.in_place) {
      EXPECT_EQ(read_points(queue_, from, values.box).values, values.values) << what;
    }
    EXPECT_LT(largest_error(rows, setting, modes, values, after, box), bound(n[setting.axis]))
        << what;
    EXPECT_EQ(changes_outside(before, after, box), 0) << what;
  }

  /// Solves lines whose parts exchange two values each, as those of different ranks do.
  void solve_by_parts(TridiagonalRows const& rows, Setting const& setting, Field<Real>& field,
                      LocalBox const& box, Spectrum<Real> const& spectrum) {
    int const axis = setting.axis;
    Index3 size = box.upper;
    size[axis] = 2 * setting.parts;
    Field<Real> planes(queue_, size, {0, 0, 0});
    Field<Real> links(queue_, size, {0, 0, 0});
    Field<Real> chain(queue_, size, {0, 0, 0});
    Field<Real> scratch(queue_, box.upper, {0, 0, 0});
    auto const in_parts = [&](Field<Real>& ends, auto const& act) {
      for (int r = 0; r < setting.parts; ++r) {
        LocalBox own = box;
        own.lower[axis] = box.lower[axis] + (r * setting.extent[axis]) / setting.parts;
        own.upper[axis] = box.lower[axis] + ((r + 1) * setting.extent[axis]) / setting.parts;
        LinePart<Real> const part(queue_, rows, own.lower[axis] - box.lower[axis],
                                  own.upper[axis] - box.lower[axis]);
        act(part, two_planes(ends.view(), axis, 2 * r), own);
      }
    };
    in_parts(chain, [&](auto& part, auto ends, LocalBox const& own) {
      part.write_grounds(queue_, scratch.view(), ends, own, axis, spectrum);
    });
    in_parts(links, [&](auto& part, auto ends, LocalBox const& own) {
      part.write_links(queue_, scratch.view(), ends, own, axis, spectrum);
    });
    eliminate_chain<Real>(queue_, chain.view(), links.view(), box, axis, setting.parts);
    in_parts(planes, [&](auto& part, auto ends, LocalBox const& own) {
      part.reduce(queue_, field.view(), scratch.view(), ends, own, axis, spectrum);
    });
    solve_chain<Real>(queue_, chain.view(), planes.view(), box, axis, setting.parts);
    in_parts(planes, [&](auto& part, auto ends, LocalBox const& own) {
      part.substitute(queue_, ends, field.view(), own, axis, spectrum);
    });
  }
  /// Returns a view of a part's planes.
  static FieldView<Real> two_planes(FieldView<Real> view, int axis, int first) {
    Index3 at{0, 0, 0};
    at[axis] = first;
    view.origin = &view(at.x, at.y, at.z);
    view.box.upper[axis] = 2;
    return view;
  }

  /// Bound on the error relative to scale_of().
  static double bound(std::int64_t count) {
    return 2.0 * static_cast<double>(count + 8) *
           static_cast<double>(std::numeric_limits<Real>::epsilon());
  }

  /// Expects that solve_ends() gives the same first and last values as solve().
  void expect_same_ends(TridiagonalRows const& rows, Extent3 size, int axis) {
    TridiagonalSolve<Real> const solve(queue_, rows);
    LocalBox const box{{0, 0, 0}, size};
    Field<Real> from(queue_, size, {0, 0, 0});
    Field<Real> whole(queue_, size, {0, 0, 0});
    Field<Real> ends(queue_, size, {0, 0, 0});
    write_points(queue_, from, random_points<Real>(box, 41));
    Buffer const modes = on_device(eigenvalues(std::max({size.x, size.y, size.z}), 0.5));
    auto const* const values = modes.template as<Real const>();
    Spectrum<Real> const spectrum{values, values, values, Real{0}, false};
    FieldView<Real const> const source = std::as_const(from).view();
    solve.solve(queue_, source, whole.view(), box, axis, spectrum);
    solve.solve_ends(queue_, source, ends.view(), box, axis, spectrum);
    auto const expected = read_points(queue_, whole, box);
    auto const found = read_points(queue_, ends, box);
    for (std::int64_t const p : {std::int64_t{0}, size[axis] - 1}) {
      LocalBox plane = box;
      plane.lower[axis] = p;
      plane.upper[axis] = p + 1;
      int differences = 0;
      for_each(plane, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        if (found(i, j, k) != expected(i, j, k)) ++differences;
      });
      EXPECT_EQ(differences, 0) << size[axis] << " points along "
                                << "xyz"[axis];
    }
  }

  static int changes_outside(HostBox<Real> const& before, HostBox<Real> const& after,
                             LocalBox const& box) {
    int changes = 0;
    for_each(before.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      if (!box.contains(i, j, k) && after(i, j, k) != before(i, j, k)) ++changes;
    });
    return changes;
  }

  static double largest_error(TridiagonalRows const& rows, Setting const& setting,
                              PerAxis<std::vector<Real>> const& modes, HostBox<Real> const& right,
                              HostBox<Real> const& result, LocalBox const& box) {
    double largest = 0.0;
    LocalBox firsts = box;
    firsts.upper[setting.axis] = firsts.lower[setting.axis] + 1;
    for_each(firsts, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      Index3 place{i, j, k};
      Wide mu = setting.shift;
      for (int other = 0; other < 3; ++other) {
        if (other == setting.axis) continue;
        mu += modes[other][static_cast<std::size_t>(place[other] - box.lower[other])];
      }
      std::vector<Wide> line, found;
      for (std::int64_t p = box.lower[setting.axis]; p < box.upper[setting.axis]; ++p) {
        place[setting.axis] = p;
        line.push_back(right(place.x, place.y, place.z));
        found.push_back(result(place.x, place.y, place.z));
      }
      bool const is_singular = setting.drop_constant && mu == 0;
      Wide const size = scale_of(rows, mu, is_singular, line);
      line = is_singular ? solved_singular_line(rows, line) : solved_line(rows, mu, line);
      Wide error = 0;
      for (std::size_t p = 0; p < line.size(); ++p) {
        if (!(std::abs(found[p] - line[p]) <= error)) error = std::abs(found[p] - line[p]);
      }
      double const relative = static_cast<double>(error / size);
      if (!(relative <= largest)) largest = relative;
    });
    return largest;
  }

  /// Returns a box with `count` points along an axis.
  static Extent3 extent(int axis, std::int64_t count, std::int64_t a, std::int64_t b) {
    if (axis == 0) return {count, a, b};
    return axis == 1 ? Extent3{a, count, b} : Extent3{a, b, count};
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Tridiagonal, Reals);

TYPED_TEST(Tridiagonal, SolvesLinesOfAnyLength) {
  for (int count = 1; count <= 40; ++count) {
    Ends const ends = all_ends[static_cast<std::size_t>(count % 3)];
    for (int axis = 0; axis < 3; ++axis) {
      this->expect_solution(varied_rows(count, ends, 5),
                            {this->extent(axis, count, 3 + count % 31, 1 + count % 4), axis}, 11);
    }
  }
}

TYPED_TEST(Tridiagonal, SolvesAnyNumberOfLines) {
  for (std::int64_t lines = 1; lines <= 70; lines += is_sanitized ? 11 : 3) {
    for (int axis = 0; axis < 3; ++axis) {
      auto const rows = varied_rows(21, Ends::both, 6);
      this->expect_solution(rows, {this->extent(axis, 21, lines, 2), axis, 0.1}, 13);
      this->expect_solution(rows, {this->extent(axis, 21, 2, lines), axis, 0.0, false, true}, 14);
    }
  }
}

TYPED_TEST(Tridiagonal, SolvesLongLines) {
  for (int const count : {127, 511, 512, 513, 1023, 1300, 2500, 5000, 9000, 17000}) {
    if (is_sanitized && count > 2500) break;
    for (int axis = 0; axis < 3; ++axis) {
      this->expect_solution(even_rows(count, Ends::upper), {this->extent(axis, count, 5, 3), axis},
                            17);
    }
  }
}

TYPED_TEST(Tridiagonal, SolvesEvenLinesWithAllEnds) {
  for (Ends const ends : all_ends) {
    for (int axis = 0; axis < 3; ++axis) {
      for (int const count : {2, 17, 60, 513}) {
        this->expect_solution(even_rows(count, ends),
                              {this->extent(axis, count, 19, 3), axis, 0.02, false, axis == 1}, 19);
      }
    }
  }
}

/// Lines with μ = 0 are singular: the solution for the mean-free part vanishes at the last point.
TYPED_TEST(Tridiagonal, SubtractsTheMeanOnSingularLines) {
  for (int const count : {1, 2, 3, 16, 17, 33, 100, 600, 20000}) {
    if (is_sanitized && count > 600) break;
    for (int axis = 0; axis < 3; ++axis) {
      auto const extent = this->extent(axis, count, 18, 2);
      this->expect_solution(even_rows(count, Ends::none), {extent, axis, 0.0, true}, 23);
      if (count < 100) {
        this->expect_solution(varied_rows(count, Ends::none, 7), {extent, axis, 0.0, true}, 23);
      }
    }
  }
}

TYPED_TEST(Tridiagonal, SolvesForTheEndsAlone) {
  for (int const count : {1, 2, 16, 17, 40, 600, 20000}) {
    for (int axis = 0; axis < 3; ++axis) {
      this->expect_same_ends(even_rows(count, Ends::upper), this->extent(axis, count, 35, 2), axis);
    }
  }
}

/// Parts that exchange two values for each line solve the whole lines.
TYPED_TEST(Tridiagonal, SolvesLinesByParts) {
  for (int const parts : {2, 3, 4, 7}) {
    for (int axis = 0; axis < 3; ++axis) {
      for (Ends const ends : all_ends) {
        int const count = 3 * parts + 5 * axis + static_cast<int>(ends);
        auto const extent = this->extent(axis, count, 19, 3);
        this->expect_solution(even_rows(count, ends), {extent, axis, 0.02, false, true, parts}, 31);
        this->expect_solution(varied_rows(count, ends, 8), {extent, axis, 0.3, false, true, parts},
                              32);
      }
    }
  }
}

/// If nothing but a tiny μ leads to the ground, the separators must not lose its digits.
TYPED_TEST(Tridiagonal, SolvesNearlySingularLinesByParts) {
  for (int const count : {12, 100, 700}) {
    for (double const mu : {1e-14, 1e-20, 1e-3}) {
      auto const extent = this->extent(2, count, 17, 2);
      this->expect_solution(even_rows(count, Ends::none), {extent, 2, mu, false, true, 4}, 33);
      this->expect_solution(varied_rows(count, Ends::none, 9), {extent, 2, mu, false, true, 3}, 34);
    }
    this->expect_solution(even_rows(count, Ends::upper),
                          {this->extent(1, count, 17, 2), 1, 0.0, false, true, 4}, 35);
  }
}

TYPED_TEST(Tridiagonal, RefusesInvalidRows) {
  auto const refuses = [&](TridiagonalRows const& rows) {
    EXPECT_THROW(TridiagonalSolve<TypeParam>(this->queue_, rows), Error);
  };
  refuses({});
  refuses({{1.0}, {0.0}, {1.0}});
  refuses({{0.0}, {1.0, 1.0}, {1.0, 1.0}});
  refuses({{1.0}, {-1.0, 1.0}, {1.0, 1.0}});
  refuses({{1.0}, {0.0, 1.0}, {1.0, std::nan("")}});
  auto const rows = even_rows(9, Ends::both);
  EXPECT_THROW(LinePart<TypeParam>(this->queue_, rows, 0, 2), Error);
  EXPECT_THROW(LinePart<TypeParam>(this->queue_, rows, 6, 10), Error);
  TridiagonalSolve<TypeParam> const solve(this->queue_, even_rows(4, Ends::both));
  Field<TypeParam> field(this->queue_, {5, 3, 3}, {0, 0, 0});
  auto const wrong = [&] {
    solve.solve(this->queue_, field.view(), field.view(), field.view().box, 0, {});
  };
  EXPECT_THROW(wrong(), Error);
}

}  // namespace
}  // namespace isotherm::test
