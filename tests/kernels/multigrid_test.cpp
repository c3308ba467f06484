#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/core/error.hpp"
#include "kernels/multigrid/residual.hpp"
#include "kernels/multigrid/transfer.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Residuals, corrections and grid transfers for constant coefficients, compared with plain loops.

namespace isotherm::test {
namespace {

template <class Real>
constexpr auto epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
template <class Real>
constexpr Real not_a_number = std::numeric_limits<Real>::quiet_NaN();

std::string text(LocalBox const& box) {
  auto const point = [](Index3 p) {
    return std::to_string(p.x) + "," + std::to_string(p.y) + "," + std::to_string(p.z);
  };
  return "box " + point(box.lower) + " to " + point(box.upper);
}

/// Copies values to the queue's memory.
template <class T>
Buffer on_queue(Queue& queue, std::vector<T> const& values) {
  Buffer buffer(queue, Space::device, values.size() * sizeof(T));
  copy_bytes(queue, buffer.data(), values.data(), buffer.bytes());
  queue.wait();
  return buffer;
}

/// Returns `inside` within `box`, and `outside` elsewhere.
template <class Real>
HostBox<Real> with_inside(HostBox<Real> outside, LocalBox box, HostBox<Real> const& inside) {
  for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    outside(i, j, k) = inside(i, j, k);
  });
  return outside;
}

template <class Real>
HostBox<Real> constant_points(LocalBox box, Real value) {
  HostBox<Real> points(box);
  points.values.assign(points.values.size(), value);
  return points;
}

/// Single points, odd and prime extents, long and thin boxes; enough points for several threads.
std::vector<Extent3> const extents = {{1, 1, 1},    {2, 1, 3},   {3, 3, 3},   {129, 17, 9},
                                      {37, 41, 13}, {7, 130, 5}, {301, 3, 7}, {2, 3, 290}};

/// The whole box, a part of it, and its last point.
std::vector<LocalBox> boxes_in(Extent3 n) {
  LocalBox const part{{n.x / 3, n.y / 4, n.z / 5}, {n.x, n.y - n.y / 5, n.z}};
  return {{{0, 0, 0}, n}, part, {{n.x - 1, n.y - 1, n.z - 1}, n}};
}

/// Expects the found values within `bound(want)` of the wanted ones in `box`, and unchanged
/// outside.
template <class Real, class Bound>
void expect_near_in(LocalBox box, HostBox<Real> const& found, HostBox<Real> const& before,
                    HostBox<double> const& wanted, Bound const& bound) {
  std::int64_t wrong = 0;
  std::string first;
  for_each(found.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    bool const written = box.contains(i, j, k);
    auto const is = static_cast<double>(found(i, j, k));
    auto const was = static_cast<double>(before(i, j, k));
    double const want = written ? wanted(i, j, k) : was;
    bool const right = written ? std::abs(is - want) <= bound(want)
                               : is == was || (std::isnan(is) && std::isnan(was));
    if (right) return;
    if (wrong++ > 0) return;
    first = std::to_string(i) + "," + std::to_string(j) + "," + std::to_string(k) + " is " +
            std::to_string(is) + ", not " + std::to_string(want);
  });
  EXPECT_EQ(wrong, 0) << text(box) << ": point " << first;
}

class OnQueue : public BackendTest {
 protected:
  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
};

// Residuals.

template <class RealType, class FromType, class ToType>
struct Kinds {
  using Real = RealType;  ///< precision of the arithmetic
  using From = FromType;
  using To = ToType;
};

/// One residual evaluation. The field's halo is only as deep as the axes with a weight need.
struct Work {
  Extent3 points;
  PerAxis<double> weights;
  LocalBox box;

  [[nodiscard]] Index3 halo() const {
    auto const one = [&](int axis) { return std::int64_t{weights[axis] != 0.0 ? 1 : 0}; };
    return {one(0), one(1), one(2)};
  }
};

std::vector<Work> works() {
  std::vector<PerAxis<double>> const weights = {
      {0.21, 0.13, 0.16}, {0.3, 0.2, 0.0}, {0.0, 0.5, 0.0}, {0.25, 0.0, 0.25}, {0.0, 0.0, 0.0}};
  std::vector<Work> all;
  std::size_t turn = 0;  // selects other weights for each extent and box
  for (Extent3 const n : extents) {
    for (LocalBox const& box : boxes_in(n)) {
      all.push_back({n, weights[0], box});
      all.push_back({n, weights[1 + turn++ % 4], box});
    }
  }
  all.push_back({{211, 97, 1}, weights[1], {{1, 1, 0}, {210, 96, 1}}});
  return all;
}

template <class Kinds>
class Residual : public OnQueue {
 protected:
  using Value = typename Kinds::Real;
  using FromValue = typename Kinds::From;
  using ToValue = typename Kinds::To;

  /// The residual computed in float64 directly from the formula.
  static HostBox<double> wanted(HostBox<FromValue> const& u, HostBox<FromValue> const* source,
                                PerAxis<double> const& weights, LocalBox box, double shift = 0.0) {
    HostBox<double> residual(box);
    for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      auto const at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        return static_cast<double>(u(i + x, j + y, k + z));
      };
      double const here = at(0, 0, 0);
      double r = source != nullptr ? static_cast<double>((*source)(i, j, k)) : 0.0;
      r -= static_cast<double>(static_cast<Value>(shift)) * here;
      auto const w = [&](int axis) {
        return static_cast<double>(static_cast<Value>(weights[axis]));
      };
      if (w(0) != 0.0) r += w(0) * ((at(-1, 0, 0) - here) + (at(1, 0, 0) - here));
      if (w(1) != 0.0) r += w(1) * ((at(0, -1, 0) - here) + (at(0, 1, 0) - here));
      if (w(2) != 0.0) r += w(2) * ((at(0, 0, -1) - here) + (at(0, 0, 1) - here));
      residual(i, j, k) = r;
    });
    return residual;
  }

  static AxisWeights<Value> rounded(PerAxis<double> const& weights) {
    return {static_cast<Value>(weights[0]), static_cast<Value>(weights[1]),
            static_cast<Value>(weights[2])};
  }

  void compare(Work const& work, bool with_source, bool with_out, bool measured,
               double shift = 0.0) {
    constexpr double scale = 48.0;
    Field<FromValue> u(queue_, work.points, work.halo());
    Field<FromValue> source(queue_, work.points, {0, 0, 0});
    Field<ToValue> out(queue_, work.points, {0, 0, 0});
    auto const values = random_points<FromValue>(u.layout().box(), 7);
    auto const sources = random_points<FromValue>(source.owned(), 11);
    auto const before = random_points<ToValue>(out.owned(), 13);
    write_points(queue_, u, values);
    write_points(queue_, source, sources);
    write_points(queue_, out, before);
    ChangeReader change(queue_);
    change.clear(queue_);

    ResidualPass<FromValue, ToValue> pass{u.view(), {}, {}, work.box, scale};
    if (with_source) pass.source = source.view();
    if (with_out) pass.out = out.view();
    if (measured) pass.change = change.device();
    pass.shift = shift;
    evaluate_residual(queue_, rounded(work.weights), pass);
    change.fetch(queue_);

    auto want = wanted(values, with_source ? &sources : nullptr, work.weights, work.box, shift);
    expect_norms(change.read(), want, measured);
    for (double& value : want.values) value *= scale;
    // Values are below 5. All roundings except the last are of the precision of the arithmetic.
    double const of_sum = 12.0 * epsilon<Value> * scale;
    expect_near_in(with_out ? work.box : LocalBox{}, read_points(queue_, out, out.owned()), before,
                   want, [&](double value) { return of_sum + epsilon<ToValue> * std::abs(value); });
  }

  /// Norms are those of the unscaled residual before it is rounded for storage.
  static void expect_norms(Change found, HostBox<double> const& residual, bool measured) {
    Change want;
    for (double const value : residual.values) {
      if (!measured) break;
      want.largest = std::max(want.largest, std::abs(value));
      want.sum_of_squares += value * value;
    }
    EXPECT_NEAR(found.largest, want.largest, 12.0 * epsilon<Value>) << text(residual.box);
    auto const count = static_cast<double>(residual.values.size());
    EXPECT_NEAR(found.sum_of_squares, want.sum_of_squares,
                24.0 * epsilon<Value> * (want.sum_of_squares + count))
        << text(residual.box);
  }
};

using Residuals = testing::Types<Kinds<float, float, float>, Kinds<double, float, float>,
                                 Kinds<double, double, float>, Kinds<double, double, double>>;
TYPED_TEST_SUITE(Residual, Residuals);

TYPED_TEST(Residual, MatchesTheFormulaInAnyBox) {
  for (Work const& work : works()) {
    this->compare(work, true, true, true);
    this->compare(work, false, true, false);
  }
}

TYPED_TEST(Residual, NormsNeedNoOutputField) {
  for (Work const& work : works()) {
    this->compare(work, true, false, true);
    this->compare(work, false, false, true);
  }
}

TYPED_TEST(Residual, MatchesTheFormulaWithAShift) {
  for (Work const& work : works()) {
    this->compare(work, true, true, true, 0.3);
    this->compare(work, false, true, true, -0.9);
  }
}

/// The fused pass corrects and evaluates. Values are those of the corrected field as stored.
TYPED_TEST(Residual, FusedCorrectionMatchesTwoPasses) {
  using From = typename TypeParam::From;
  using To = typename TypeParam::To;
  constexpr double scale = 0.25;
  for (Work const& work : works()) {
    Field<From> u(this->queue_, work.points, work.halo());
    Field<From> corrected(this->queue_, work.points, work.halo());
    Field<To> correction(this->queue_, work.points, {2, 2, 2});
    Field<To> out(this->queue_, work.points, {0, 0, 0});
    auto const values = random_points<From>(u.layout().box(), 5);
    auto const by = random_points<To>(correction.layout().box(), 6);
    auto const before = random_points<To>(out.owned(), 13);
    write_points(this->queue_, u, values);
    write_points(this->queue_, correction, by);
    write_points(this->queue_, out, before);
    ChangeReader change(this->queue_);
    change.clear(this->queue_);

    ResidualPass<From, To> pass{u.view(), {}, out.view(), work.box};
    pass.correction = std::as_const(correction).view();
    pass.correction_scale = scale;
    pass.corrected = corrected.view();
    pass.change = change.device();
    evaluate_residual(this->queue_, this->rounded(work.weights), pass);
    change.fetch(this->queue_);

    HostBox<From> sum(values.box);
    HostBox<double> exact(values.box);
    for_each(sum.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      exact(i, j, k) =
          static_cast<double>(values(i, j, k)) + scale * static_cast<double>(by(i, j, k));
      sum(i, j, k) = static_cast<From>(exact(i, j, k));
    });
    expect_near_in(work.box, part_of(read_points(this->queue_, corrected, values.box), work.box),
                   part_of(sum, work.box), exact,
                   [](double value) { return 2.0 * epsilon<From> * (1.0 + std::abs(value)); });
    auto const want = this->wanted(sum, nullptr, work.weights, work.box);
    double const rounding = 12.0 * (epsilon<typename TypeParam::Real> + epsilon<From>);
    expect_near_in(work.box, read_points(this->queue_, out, out.owned()), before, want,
                   [&](double value) { return rounding + epsilon<To> * std::abs(value); });
    EXPECT_NEAR(change.read().sum_of_squares,
                std::accumulate(want.values.begin(), want.values.end(), 0.0,
                                [](double all, double value) { return all + value * value; }),
                rounding * 8.0 * static_cast<double>(want.values.size()));
  }
}

/// In a step without change, the shift term cancels the source exactly.
TYPED_TEST(Residual, IsExactIfSourceAndShiftCancel) {
  using From = typename TypeParam::From;
  using To = typename TypeParam::To;
  Extent3 const n{37, 12, 9};
  Field<From> u(this->queue_, n, {1, 1, 1});
  Field<From> source(this->queue_, n, {0, 0, 0});
  Field<To> out(this->queue_, n, {0, 0, 0});
  auto values = random_points<From>(u.layout().box(), 5);
  HostBox<From> halves(source.owned());
  for_each(halves.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    halves(i, j, k) = values(i, j, k) / From{2};
  });
  write_points(this->queue_, u, values);
  write_points(this->queue_, source, halves);

  ResidualPass<From, To> pass{u.view(), source.view(), out.view(), out.owned()};
  pass.shift = 0.5;
  evaluate_residual(this->queue_, this->rounded({0.0, 0.0, 0.0}), pass);

  for (To const value : read_points(this->queue_, out, out.owned()).values) EXPECT_EQ(value, To{0});
}

TYPED_TEST(Residual, NormsAccumulateOverBoxes) {
  using From = typename TypeParam::From;
  Work const work{{60, 31, 12}, {0.2, 0.1, 0.2}, {{0, 0, 0}, {60, 31, 12}}};
  Field<From> u(this->queue_, work.points, work.halo());
  auto const values = random_points<From>(u.layout().box(), 3);
  write_points(this->queue_, u, values);
  ChangeReader change(this->queue_);
  change.clear(this->queue_);
  auto const measure = [&](LocalBox box) {
    evaluate_residual(
        this->queue_, this->rounded(work.weights),
        ResidualPass<From, typename TypeParam::To>{u.view(), {}, {}, box, 1.0, change.device()});
  };

  measure({{0, 0, 0}, {60, 31, 5}});
  measure({{0, 0, 5}, {60, 31, 12}});
  measure({{0, 0, 5}, {60, 0, 12}});  // an empty box
  change.fetch(this->queue_);

  this->expect_norms(change.read(), this->wanted(values, nullptr, work.weights, work.box), true);
}

/// A sum of neighbours would lose the last bits, which are all of a smooth field's residual.
TYPED_TEST(Residual, IsExactForLargeNearlyEqualValues) {
  using Real = typename TypeParam::Real;
  using From = typename TypeParam::From;
  Extent3 const n{23, 11, 9};
  Field<From> u(this->queue_, n, {1, 1, 1});
  Field<typename TypeParam::To> out(this->queue_, n, {0, 0, 0});
  HostBox<From> values(u.layout().box());
  // Integers that use all bits of the type's significand; twice as much would be rounded.
  std::int64_t const base = (std::int64_t{1} << (std::numeric_limits<From>::digits - 1)) + 4000;
  // The second difference is 1 at each point.
  auto const bent = [](std::int64_t i) { return i * (i + 1) / 2; };
  for_each(values.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    values(i, j, k) = static_cast<From>(base + bent(i) + 3 * bent(j) + 5 * bent(k));
  });
  write_points(this->queue_, u, values);

  evaluate_residual(
      this->queue_, AxisWeights<Real>{Real(0.1), Real(0.3), Real(0.05)},
      ResidualPass<From, typename TypeParam::To>{u.view(), {}, out.view(), out.owned()});

  auto const found = read_points(this->queue_, out, out.owned());
  double const want = 0.1 * 1.0 + 0.3 * 3.0 + 0.05 * 5.0;
  for (auto const value : found.values) {
    EXPECT_NEAR(static_cast<double>(value), want, 4.0 * epsilon<typename TypeParam::To>);
  }
}

TYPED_TEST(Residual, NaNPropagatesToTheNorms) {
  using From = typename TypeParam::From;
  Extent3 const n{40, 30, 20};
  Field<From> u(this->queue_, n, {1, 1, 1});
  auto values = random_points<From>(u.layout().box(), 3);
  values(20, 15, 10) = not_a_number<From>;
  write_points(this->queue_, u, values);
  ChangeReader change(this->queue_);
  change.clear(this->queue_);

  evaluate_residual(this->queue_, this->rounded({0.2, 0.1, 0.2}),
                    ResidualPass<From, typename TypeParam::To>{
                        u.view(), {}, {}, u.owned(), 1.0, change.device()});
  change.fetch(this->queue_);

  EXPECT_TRUE(std::isnan(change.read().sum_of_squares));
}

TYPED_TEST(Residual, RefusesBoxesBeyondAField) {
  using From = typename TypeParam::From;
  using To = typename TypeParam::To;
  Extent3 const n{9, 8, 7};
  Field<From> u(this->queue_, n, {1, 1, 0});
  Field<From> small(this->queue_, {9, 8, 6}, {0, 0, 0});
  Field<To> out(this->queue_, n, {0, 0, 0});
  Field<To> small_out(this->queue_, {9, 7, 7}, {0, 0, 0});
  auto const flat = this->rounded({0.2, 0.3, 0.0});
  auto const in_space = this->rounded({0.2, 0.2, 0.1});
  using Pass = ResidualPass<From, To>;

  EXPECT_NO_THROW(evaluate_residual(this->queue_, flat, Pass{u.view(), {}, out.view(), u.owned()}));
  EXPECT_THROW(evaluate_residual(this->queue_, in_space, Pass{u.view(), {}, out.view(), u.owned()}),
               Error);
  EXPECT_THROW(
      evaluate_residual(this->queue_, flat, Pass{u.view(), small.view(), out.view(), u.owned()}),
      Error);
  EXPECT_THROW(
      evaluate_residual(this->queue_, flat, Pass{u.view(), {}, small_out.view(), u.owned()}),
      Error);
  this->queue_.wait();
}

// Corrections.

template <class Kinds>
class Correction : public OnQueue {};

using Corrections = testing::Types<Kinds<float, float, float>, Kinds<double, float, double>,
                                   Kinds<double, double, double>>;
TYPED_TEST_SUITE(Correction, Corrections);

TYPED_TEST(Correction, AddsInTheWiderPrecision) {
  using From = typename TypeParam::From;
  using To = typename TypeParam::To;
  for (Extent3 const n : extents) {
    for (LocalBox const& box : boxes_in(n)) {
      for (double const scale : {1.0, 0.375, 1.0 / 3.0}) {
        Field<From> correction(this->queue_, n, {2, 1, 0});
        Field<To> u(this->queue_, n, {1, 1, 1});
        auto const corrections = random_points<From>(correction.layout().box(), 5);
        auto const before = random_points<To>(u.layout().box(), 9);
        write_points(this->queue_, correction, corrections);
        write_points(this->queue_, u, before);

        add_correction(this->queue_, std::as_const(correction).view(), u.view(), box, scale);

        HostBox<double> want(box);
        for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
          want(i, j, k) = static_cast<double>(before(i, j, k)) +
                          scale * static_cast<double>(corrections(i, j, k));
        });
        expect_near_in(box, read_points(this->queue_, u, before.box), before, want,
                       [](double) { return 2.0 * epsilon<To>; });
      }
    }
  }
}

TYPED_TEST(Correction, RefusesBoxesBeyondAField) {
  using From = typename TypeParam::From;
  using To = typename TypeParam::To;
  Field<From> correction(this->queue_, {9, 8, 7}, {0, 0, 0});
  Field<To> u(this->queue_, {9, 8, 7}, {1, 1, 1});
  LocalBox const box = u.layout().box();
  auto const from = std::as_const(correction).view();

  EXPECT_THROW(add_correction(this->queue_, from, u.view(), box, 1.0), Error);
  EXPECT_NO_THROW(add_correction(this->queue_, from, u.view(), LocalBox{}, 1.0));
}

// Transfers.

/// Random restriction stencils of `count` coarse points, beginning at fine point `from`: 1 to 4
/// fine points each, in ascending order.
template <class Real>
std::vector<RestrictionStencil<Real>> some_restriction(std::int64_t count, std::int64_t from,
                                                       unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<RestrictionStencil<Real>> stencils;
  std::int64_t end = from;
  for (std::int64_t n = 0; n < count; ++n) {
    RestrictionStencil<Real> stencil;
    stencil.first = from;
    stencil.count = static_cast<std::int32_t>(
        std::max<std::int64_t>(end - from, 1 + static_cast<std::int64_t>(engine() % 4)));
    for (int a = 0; a < stencil.maximum; ++a) {
      stencil.weights[a] =
          a < stencil.count ? static_cast<Real>(engine() % 1000) / Real{999} : not_a_number<Real>;
    }
    stencils.push_back(stencil);
    end = from + stencil.count;
    from += 1 + static_cast<std::int64_t>(engine() % 2);
  }
  return stencils;
}

/// Random interpolation stencils of `count` fine points, each at a coarse point or between two,
/// beginning at `from`.
template <class Real>
std::vector<ProlongationStencil<Real>> some_interpolation(std::int64_t count, std::int64_t from,
                                                          unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<ProlongationStencil<Real>> stencils;
  for (std::int64_t n = 0; n < count; ++n) {
    bool const stays = engine() % 2 == 0;
    if (n > 0 && !stays) ++from;
    bool const between = engine() % 3 != 0 || (n > 0 && stays && stencils.back().share > Real{0});
    Real const share = between ? static_cast<Real>(1 + engine() % 998) / Real{999} : Real{0};
    stencils.push_back({from, share});
  }
  return stencils;
}

/// One past the last point that the stencils read.
template <class Real>
std::int64_t end_of(std::vector<RestrictionStencil<Real>> const& stencils) {
  return stencils.back().first + stencils.back().count;
}
template <class Real>
std::int64_t end_of(std::vector<ProlongationStencil<Real>> const& stencils) {
  return stencils.back().lower + (stencils.back().share != Real{0} ? 2 : 1);
}
template <class Real>
std::int64_t begin_of(std::vector<RestrictionStencil<Real>> const& stencils) {
  return stencils.front().first;
}
template <class Real>
std::int64_t begin_of(std::vector<ProlongationStencil<Real>> const& stencils) {
  return stencils.front().lower;
}

/// The stencils of a box, on the host and in the queue's memory, and the box of points that they
/// read.
template <class Stencil>
struct Stencils {
  PerAxis<std::vector<Stencil>> axes;
  PerAxis<Buffer> buffers{};
  LocalBox read{};

  Stencils(Queue& queue, PerAxis<std::vector<Stencil>> per_axis) : axes(std::move(per_axis)) {
    for (int axis = 0; axis < 3; ++axis) {
      buffers[axis] = on_queue(queue, axes[axis]);
      read.lower[axis] = begin_of(axes[axis]);
      read.upper[axis] = end_of(axes[axis]);
    }
  }
  [[nodiscard]] AxisStencils<Stencil> view() const {
    return {buffers[0].template as<Stencil const>(), buffers[1].template as<Stencil const>(),
            buffers[2].template as<Stencil const>()};
  }
};

/// A field that contains `read`, partly in its halo.
template <class Real>
Field<Real> field_around(Queue& queue, LocalBox read) {
  Index3 const halo{3, 3, 3};
  return Field<Real>(queue, read.upper, halo);
}

template <class Real>
class Transfers : public OnQueue {
 protected:
  using Restriction = RestrictionStencil<Real>;
  using Interpolation = ProlongationStencil<Real>;

  /// Random values at the points that the stencils read, and NaN elsewhere.
  static HostBox<Real> readable(LocalBox box, LocalBox read) {
    return with_inside(constant_points(box, not_a_number<Real>), read,
                       random_points<Real>(box, 17));
  }

  void compare_restriction(Extent3 n, LocalBox box) {
    constexpr double factor = 0.7;
    Extent3 const count = box.extent();
    Stencils<Restriction> const stencils(
        queue_, {some_restriction<Real>(count.x, -2, 1), some_restriction<Real>(count.y, -1, 2),
                 some_restriction<Real>(count.z, 0, 3)});
    Field<Real> fine = field_around<Real>(queue_, stencils.read);
    Field<Real> coarse(queue_, n, {1, 1, 1});
    auto const values = readable(fine.layout().box(), stencils.read);
    auto const before = random_points<Real>(coarse.layout().box(), 19);
    write_points(queue_, fine, values);
    write_points(queue_, coarse, before);

    restrict_field(queue_, std::as_const(fine).view(), coarse.view(), box, stencils.view(),
                   static_cast<Real>(factor));

    HostBox<double> want(box);
    for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      auto const& x = stencils.axes[0][static_cast<std::size_t>(i - box.lower.x)];
      auto const& y = stencils.axes[1][static_cast<std::size_t>(j - box.lower.y)];
      auto const& z = stencils.axes[2][static_cast<std::size_t>(k - box.lower.z)];
      double sum = 0.0;
      for_each(LocalBox{{0, 0, 0}, {x.count, y.count, z.count}},
               [&](std::int64_t a, std::int64_t b, std::int64_t c) {
                 sum += static_cast<double>(x.weights[a]) * static_cast<double>(y.weights[b]) *
                        static_cast<double>(z.weights[c]) *
                        static_cast<double>(values(x.first + a, y.first + b, z.first + c));
               });
      want(i, j, k) = factor * sum;
    });
    // The sum has at most 64 terms below 1.
    expect_near_in(box, read_points(queue_, coarse, before.box), before, want,
                   [](double) { return 40.0 * epsilon<Real>; });
  }

  void compare_interpolation(Extent3 n, LocalBox box, ProlongationMode mode) {
    Extent3 const count = box.extent();
    Stencils<Interpolation> const stencils(
        queue_, {some_interpolation<Real>(count.x, -2, 1), some_interpolation<Real>(count.y, 0, 2),
                 some_interpolation<Real>(count.z, -1, 3)});
    Field<Real> coarse = field_around<Real>(queue_, stencils.read);
    Field<Real> fine(queue_, n, {1, 1, 1});
    auto const values = readable(coarse.layout().box(), stencils.read);
    auto before = random_points<Real>(fine.layout().box(), 23);
    if (mode == ProlongationMode::replace) before.values.front() = not_a_number<Real>;
    write_points(queue_, coarse, values);
    write_points(queue_, fine, before);

    prolongate_field(queue_, std::as_const(coarse).view(), fine.view(), box, stencils.view(), mode);

    HostBox<double> want(box);
    for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      auto const& x = stencils.axes[0][static_cast<std::size_t>(i - box.lower.x)];
      auto const& y = stencils.axes[1][static_cast<std::size_t>(j - box.lower.y)];
      auto const& z = stencils.axes[2][static_cast<std::size_t>(k - box.lower.z)];
      double sum = mode == ProlongationMode::add ? static_cast<double>(before(i, j, k)) : 0.0;
      for_each(LocalBox{{0, 0, 0}, {2, 2, 2}}, [&](std::int64_t a, std::int64_t b, std::int64_t c) {
        auto const part = [](Interpolation const& along, std::int64_t side) {
          auto const share = static_cast<double>(along.share);
          return side == 0 ? 1.0 - share : share;
        };
        double const weight = part(x, a) * part(y, b) * part(z, c);
        if (weight == 0.0) return;
        sum += weight * static_cast<double>(values(x.lower + a, y.lower + b, z.lower + c));
      });
      want(i, j, k) = sum;
    });
    expect_near_in(box, read_points(queue_, fine, before.box), before, want,
                   [](double) { return 12.0 * epsilon<Real>; });
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Transfers, Reals);

TYPED_TEST(Transfers, RestrictionSumsOverTheStencils) {
  for (Extent3 const n : extents) {
    for (LocalBox const& box : boxes_in(n)) this->compare_restriction(n, box);
  }
}

TYPED_TEST(Transfers, InterpolationIsLinearAlongEachAxis) {
  for (Extent3 const n : extents) {
    for (LocalBox const& box : boxes_in(n)) {
      this->compare_interpolation(n, box, ProlongationMode::replace);
      this->compare_interpolation(n, box, ProlongationMode::add);
    }
  }
}

TYPED_TEST(Transfers, InterpolationOverwritesEvenNaN) {
  using Stencil = ProlongationStencil<TypeParam>;
  Field<TypeParam> coarse(this->queue_, {1, 1, 1}, {0, 0, 0});
  Field<TypeParam> fine(this->queue_, {5, 1, 1}, {0, 0, 0});
  write_points(this->queue_, coarse, constant_points(coarse.owned(), TypeParam{3}));
  write_points(this->queue_, fine, constant_points(fine.owned(), not_a_number<TypeParam>));
  std::vector<Stencil> const one{{0, TypeParam{0}}};  // the coarse field has one point
  Stencils<Stencil> const stencils(this->queue_, {std::vector<Stencil>(5, one[0]), one, one});

  prolongate_field(this->queue_, std::as_const(coarse).view(), fine.view(), fine.owned(),
                   stencils.view(), ProlongationMode::replace);

  EXPECT_EQ(read_points(this->queue_, fine, fine.owned()).values,
            std::vector<TypeParam>(5, TypeParam{3}));
}

TYPED_TEST(Transfers, EmptyBoxesChangeNothingAndOversizedOnesAreRefused) {
  Field<TypeParam> from(this->queue_, {9, 9, 9}, {0, 0, 0});
  Field<TypeParam> to(this->queue_, {4, 4, 4}, {0, 0, 0});
  auto const source = std::as_const(from).view();
  LocalBox const nothing{{2, 3, 1}, {2, 4, 4}};
  LocalBox const past{{0, 0, 0}, {4, 5, 4}};
  auto const restricted = [&](LocalBox box) {
    restrict_field(this->queue_, source, to.view(), box,
                   AxisStencils<RestrictionStencil<TypeParam>>{}, TypeParam{1});
  };
  auto const interpolated = [&](LocalBox box) {
    prolongate_field(this->queue_, source, to.view(), box,
                     AxisStencils<ProlongationStencil<TypeParam>>{}, ProlongationMode::add);
  };

  EXPECT_NO_THROW(restricted(nothing));
  EXPECT_NO_THROW(interpolated(nothing));
  EXPECT_THROW(restricted(past), Error);
  EXPECT_THROW(interpolated(past), Error);
}

}  // namespace
}  // namespace isotherm::test
