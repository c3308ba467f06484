#include "kernels/transforms/fft/fft_transform.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/memory.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/sanitized.hpp"

// Compares fast transforms with plain sums in long double.

namespace isotherm::test {
namespace {

constexpr std::array all_ends{AxisEnds::dirichlet, AxisEnds::neumann, AxisEnds::dirichlet_neumann,
                              AxisEnds::neumann_dirichlet, AxisEnds::periodic};

/// An axis of `intervals` intervals, described by its modes.
struct Axis {
  AxisEnds ends;
  std::int64_t intervals;

  [[nodiscard]] std::int64_t count() const {
    if (ends == AxisEnds::dirichlet) return intervals - 1;
    return ends == AxisEnds::neumann ? intervals + 1 : intervals;
  }
  /// Node of an unknown point.
  [[nodiscard]] std::int64_t node(std::int64_t point) const {
    return ends == AxisEnds::dirichlet || ends == AxisEnds::dirichlet_neumann ? point + 1 : point;
  }
  [[nodiscard]] bool is_half_cell(std::int64_t point) const {
    bool const at_lower = point == 0;
    bool const at_upper = point == count() - 1;
    return (at_lower && (ends == AxisEnds::neumann || ends == AxisEnds::neumann_dirichlet)) ||
           (at_upper && (ends == AxisEnds::neumann || ends == AxisEnds::dirichlet_neumann));
  }
  /// Quarters of a half wave of a mode, and whether it is a sine; from the lower end.
  [[nodiscard]] long double value(std::int64_t mode, std::int64_t point) const {
    // cos or sin of π/2 times quarters · node / intervals
    std::int64_t quarters = 0;
    std::int64_t at = node(point);
    bool sine = false;
    switch (ends) {
      case AxisEnds::dirichlet:
        quarters = 2 * (mode + 1);
        sine = true;
        break;
      case AxisEnds::neumann:
        quarters = 2 * mode;
        break;
      case AxisEnds::neumann_dirichlet:
        quarters = 2 * mode + 1;
        break;
      case AxisEnds::dirichlet_neumann:
        quarters = 2 * mode + 1;
        at = intervals - at;
        break;
      case AxisEnds::periodic:
        sine = 2 * mode > intervals;
        quarters = 4 * (sine ? intervals - mode : mode);
        break;
    }
    return waves_[sine ? 1 : 0][static_cast<std::size_t>(quarters * at % (4 * intervals))];
  }
  [[nodiscard]] long double eigenvalue(std::int64_t mode) const {
    long double half_waves = 0;
    switch (ends) {
      case AxisEnds::dirichlet:
        half_waves = static_cast<long double>(mode + 1);
        break;
      case AxisEnds::neumann:
        half_waves = static_cast<long double>(mode);
        break;
      case AxisEnds::periodic:
        half_waves = 2 * static_cast<long double>(mode);
        break;
      default:
        half_waves = static_cast<long double>(mode) + 0.5L;
    }
    return 2 - 2 * std::cos(std::numbers::pi_v<long double> * half_waves /
                            static_cast<long double>(intervals));
  }

  Axis(AxisEnds e, std::int64_t n) : ends(e), intervals(n) {
    for (std::int64_t q = 0; q < 4 * n; ++q) {
      long double const angle = std::numbers::pi_v<long double> * static_cast<long double>(q) /
                                (2 * static_cast<long double>(n));
      waves_[0].push_back(std::cos(angle));
      waves_[1].push_back(std::sin(angle));
    }
  }

 private:
  std::array<std::vector<long double>, 2> waves_;
};

std::string text_of(Axis const& axis, int along) {
  return "ends " + std::to_string(static_cast<int>(axis.ends)) + ", " +
         std::to_string(axis.intervals) + " intervals along axis " + std::to_string(along);
}

/// Weight of a point per volume.
long double weight(Axis const& axis, std::int64_t point) {
  return axis.is_half_cell(point) ? 0.5L : 1.0L;
}

/// Returns Σ_j w_j u_j φ_m(j) of a line.
template <class Real>
std::vector<long double> modes_of(Axis const& axis, std::vector<Real> const& line) {
  std::vector<long double> modes;
  for (std::int64_t mode = 0; mode < axis.count(); ++mode) {
    long double sum = 0;
    for (std::int64_t point = 0; point < axis.count(); ++point) {
      sum += weight(axis, point) * static_cast<long double>(line[static_cast<std::size_t>(point)]) *
             axis.value(mode, point);
    }
    modes.push_back(sum);
  }
  return modes;
}

/// Returns Σ_m c_m φ_m(j) / |φ_m|² of a line of modes.
template <class Real>
std::vector<long double> points_of(Axis const& axis, std::vector<Real> const& modes) {
  std::vector<long double> points(static_cast<std::size_t>(axis.count()), 0.0L);
  for (std::int64_t mode = 0; mode < axis.count(); ++mode) {
    long double norm = 0;
    for (std::int64_t point = 0; point < axis.count(); ++point) {
      norm += weight(axis, point) * axis.value(mode, point) * axis.value(mode, point);
    }
    for (std::int64_t point = 0; point < axis.count(); ++point) {
      points[static_cast<std::size_t>(point)] +=
          static_cast<long double>(modes[static_cast<std::size_t>(mode)]) *
          axis.value(mode, point) / norm;
    }
  }
  return points;
}

/// Returns the line of `values` along an axis that begins at a point.
template <class Real>
std::vector<Real> line_of(HostBox<Real> const& values, LocalBox const& box, Index3 at, int axis) {
  std::vector<Real> line;
  for (at[axis] = box.lower[axis]; at[axis] < box.upper[axis]; ++at[axis]) {
    line.push_back(values(at.x, at.y, at.z));
  }
  return line;
}

bool has_small_factors(std::int64_t number) {
  for (int const prime : {2, 3, 5, 7}) {
    while (number % prime == 0) number /= prime;
  }
  return number == 1;
}

/// Lengths that CUDA has kernels of their own for, other than 64.
constexpr std::array kernels_on_cuda{128, 192, 256, 320, 384, 512, 640, 768, 1024, 2048, 4096};

/// Returns the given lengths, with those of kernels_on_cuda if CUDA is tested.
std::vector<std::int64_t> with_kernels(std::vector<std::int64_t> lengths) {
  if (tested_backend() == Backend::cuda) {
    lengths.insert(lengths.end(), kernels_on_cuda.begin(), kernels_on_cuda.end());
  }
  return lengths;
}

/// Returns the error to expect, relative to the largest output. It grows with 1 / sin(π/N).
template <class Real>
double tolerance(std::int64_t intervals) {
  double const up_to_1024 = sizeof(Real) == sizeof(double) ? 1e-13 : 1e-5;
  return up_to_1024 * std::max(1.0, static_cast<double>(intervals) / 1024);
}

/// Returns the largest difference between two fields in a box, infinity if any is not finite.
template <class Real>
double largest_difference(HostBox<Real> const& a, HostBox<Real> const& b, LocalBox const& box) {
  double largest = 0.0;
  for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    double const difference = std::abs(static_cast<double>(a(i, j, k)) - b(i, j, k));
    if (!(difference <= largest)) largest = difference;
  });
  return std::isfinite(largest) ? largest : std::numeric_limits<double>::infinity();
}

/// Returns true if all values outside of a box are NaN.
template <class Real>
bool is_nan_outside(HostBox<Real> const& values, LocalBox const& box) {
  bool all = true;
  for_each(values.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    all = all && (box.contains(i, j, k) || std::isnan(values(i, j, k)));
  });
  return all;
}

template <class Real>
class FastTransform : public BackendTest {
 protected:
  [[nodiscard]] static std::vector<std::int64_t> lengths() {
    std::vector<std::int64_t> all;
    for (std::int64_t n = 1; n <= 64; ++n) all.push_back(n);
    for (std::int64_t const n : {243, 256, 343, 512, 625, 1000, 1024, 2048}) {
      if (!is_sanitized || n <= 512) all.push_back(n);
    }
    return with_kernels(std::move(all));
  }

  /// A box of `count` points along `axis` and few lines, at an offset.
  static LocalBox box_along(int axis, std::int64_t count, Extent3 lines = {3, 2, 2}) {
    Extent3 extent = lines;
    extent[axis] = count;
    Index3 const lower{1, 2, 1};
    return {lower, lower + extent};
  }

  /// The points that a transform must not read: all but the box.
  HostBox<Real> surrounded_by_nan(LocalBox const& all, LocalBox const& box, unsigned seed) {
    HostBox<Real> values = random_points<Real>(all, seed);
    for_each(all, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      if (!box.contains(i, j, k)) values(i, j, k) = std::numeric_limits<Real>::quiet_NaN();
    });
    return values;
  }

  using Step = void (FftTransform<Real>::*)(Queue&, FieldView<Real const>, FieldView<Real>,
                                            LocalBox, int) const;

  /// Transforms a box of random values to another field, and returns the values before and after.
  std::pair<HostBox<Real>, HostBox<Real>> transformed(FftTransform<Real> const& transform,
                                                      Step step, LocalBox const& box, int axis,
                                                      unsigned seed) {
    Field<Real> from(queue_, box.upper, {1, 1, 1});
    Field<Real> to(queue_, box.upper, {2, 1, 1});
    HostBox<Real> const before = surrounded_by_nan(from.layout().box(), box, seed);
    write_points(queue_, from, before);
    HostBox<Real> const old = random_points<Real>(to.layout().box(), seed + 1);
    write_points(queue_, to, old);
    (transform.*step)(queue_, std::as_const(from).view(), to.view(), box, axis);
    HostBox<Real> after = read_points(queue_, to, old.box);
    for_each(old.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      if (box.contains(i, j, k)) return;
      EXPECT_EQ(after(i, j, k), old(i, j, k)) << "written outside of the box";
    });
    return {before, after};
  }

  /// Compares all lines of a box with sums; errors are relative to the largest output.
  template <class Sum>
  void compare_lines(HostBox<Real> const& before, HostBox<Real> const& after, LocalBox const& box,
                     int axis, std::string const& what, Sum const& sum) {
    LocalBox starts = box;
    starts.upper[axis] = starts.lower[axis] + 1;
    for_each(starts, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      std::vector<long double> const want = sum(line_of(before, box, {i, j, k}, axis));
      std::vector<Real> const got = line_of(after, box, {i, j, k}, axis);
      long double largest = 0;
      long double error = 0;
      for (std::size_t m = 0; m < want.size(); ++m) {
        largest = std::max(largest, std::abs(want[m]));
        long double const difference = std::abs(static_cast<long double>(got[m]) - want[m]);
        error = difference <= error ? error : difference;
      }
      auto const points = static_cast<std::int64_t>(want.size());
      ASSERT_LE(static_cast<double>(error / largest), tolerance<Real>(points - 1)) << what;
    });
  }

  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FastTransform, Reals);

TYPED_TEST(FastTransform, SupportsProductsOfSmallPrimes) {
  using Transform = FftTransform<TypeParam>;
  Backend const backend = this->queue_.backend();
  for (AxisEnds const ends : all_ends) {
    for (std::int64_t n = -2; n <= 2100; ++n) {
      std::int64_t const least = ends == AxisEnds::dirichlet ? 2 : 1;
      ASSERT_EQ(Transform::supports(backend, ends, n), n >= least && has_small_factors(n)) << n;
    }
    EXPECT_FALSE(Transform::supports(backend, ends, std::numeric_limits<std::int64_t>::max()));
    EXPECT_FALSE(Transform::supports(backend, ends, std::int64_t{1} << 40));
  }
  EXPECT_THROW(Transform(this->queue_, AxisEnds::neumann, 11), Error);
  EXPECT_THROW(Transform(this->queue_, AxisEnds::dirichlet, 1), Error);
}

TYPED_TEST(FastTransform, EigenvaluesAreThoseOfTheSecondDifference) {
  for (AxisEnds const ends : all_ends) {
    for (std::int64_t const n : {1, 2, 3, 7, 12, 1024}) {
      if (ends == AxisEnds::dirichlet && n == 1) continue;
      Axis const axis(ends, n);
      FftTransform<TypeParam> const transform(this->queue_, ends, n);
      ASSERT_EQ(transform.count(), axis.count());
      ASSERT_EQ(transform.eigenvalues().size(), static_cast<std::size_t>(axis.count()));
      for (std::int64_t mode = 0; mode < axis.count(); ++mode) {
        double const got = transform.eigenvalues()[static_cast<std::size_t>(mode)];
        auto const want = static_cast<double>(axis.eigenvalue(mode));
        ASSERT_NEAR(got, want, 1e-17 + 1e-15 * want) << text_of(axis, 0);
      }
      bool const has_constant = ends == AxisEnds::neumann || ends == AxisEnds::periodic;
      EXPECT_EQ(transform.eigenvalues()[0] == 0.0, has_constant);
    }
  }
}

TYPED_TEST(FastTransform, ModesAreSumsOfPoints) {
  for (AxisEnds const ends : all_ends) {
    for (std::int64_t const n : this->lengths()) {
      if (!FftTransform<TypeParam>::supports(this->queue_.backend(), ends, n)) continue;
      Axis const axis(ends, n);
      FftTransform<TypeParam> const transform(this->queue_, ends, n);
      int const along = static_cast<int>(n % 3);
      // few lines, since the sums of the test are slow
      LocalBox const box =
          this->box_along(along, axis.count(), n > 300 ? Extent3{1, 1, 1} : Extent3{3, 2, 1});
      auto const [before, after] = this->transformed(transform, &FftTransform<TypeParam>::to_modes,
                                                     box, along, static_cast<unsigned>(n));
      this->compare_lines(before, after, box, along, text_of(axis, along) + " to modes",
                          [&](auto const& line) { return modes_of(axis, line); });
    }
  }
}

TYPED_TEST(FastTransform, PointsAreSumsOfModes) {
  for (AxisEnds const ends : all_ends) {
    for (std::int64_t const n : this->lengths()) {
      if (!FftTransform<TypeParam>::supports(this->queue_.backend(), ends, n)) continue;
      Axis const axis(ends, n);
      FftTransform<TypeParam> const transform(this->queue_, ends, n);
      int const along = static_cast<int>((n + 1) % 3);
      LocalBox const box =
          this->box_along(along, axis.count(), n > 300 ? Extent3{1, 1, 1} : Extent3{1, 2, 3});
      auto const [before, after] = this->transformed(transform, &FftTransform<TypeParam>::to_points,
                                                     box, along, static_cast<unsigned>(n));
      this->compare_lines(before, after, box, along, text_of(axis, along) + " to points",
                          [&](auto const& line) { return points_of(axis, line); });
    }
  }
}

// Smooth lines have a single large mode, so their error shows in all others.
TYPED_TEST(FastTransform, SmoothLinesAreAccurate) {
  for (AxisEnds const ends : all_ends) {
    std::int64_t const n = 1024;
    Axis const axis(ends, n);
    FftTransform<TypeParam> const transform(this->queue_, ends, n);
    LocalBox const box = this->box_along(0, axis.count(), {1, 2, 1});
    Field<TypeParam> field(this->queue_, box.upper, {0, 0, 0});
    HostBox<TypeParam> before(box);
    for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      double const x = static_cast<double>(axis.node(i - box.lower.x)) / static_cast<double>(n);
      before(i, j, k) = static_cast<TypeParam>(j == box.lower.y ? 1.0 : x * std::exp(-x));
    });
    write_points(this->queue_, field, before);
    transform.to_modes(this->queue_, std::as_const(field).view(), field.view(), box, 0);
    auto const after = read_points(this->queue_, field, box);
    this->compare_lines(before, after, box, 0, text_of(axis, 0),
                        [&](auto const& line) { return modes_of(axis, line); });
  }
}

// Next to the ends, transforms to points divide by small sines. That does not multiply the rounding
// errors of a spectrum that falls fast, since its longest waves are added afterwards.
TYPED_TEST(FastTransform, SmoothSpectraAreAccurateNextToTheEnds) {
  constexpr long double roundings = 150.0L * std::numeric_limits<TypeParam>::epsilon();
  for (AxisEnds const ends : {AxisEnds::dirichlet, AxisEnds::neumann}) {
    for (std::int64_t const n : with_kernels({1050, 1024, 4096})) {
      if (is_sanitized && n == 4096) continue;
      Axis const axis(ends, n);
      FftTransform<TypeParam> const transform(this->queue_, ends, n);
      std::vector<TypeParam> line;
      for (std::int64_t mode = 1; mode <= axis.count(); ++mode) {
        double const cube = std::pow(static_cast<double>(mode), 3.0);
        line.push_back(static_cast<TypeParam>(static_cast<double>(n) / cube));
      }
      std::vector<long double> const exact = points_of(axis, line);
      long double largest = 0;
      for (long double const value : exact) largest = std::max(largest, std::abs(value));
      for (int const along : {0, 1}) {
        LocalBox const box = this->box_along(along, axis.count(), {3, 3, 1});
        Field<TypeParam> field(this->queue_, box.upper, {0, 0, 0});
        HostBox<TypeParam> modes(box);
        for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
          modes(i, j, k) = line[static_cast<std::size_t>((along == 0 ? i : j) - box.lower[along])];
        });
        write_points(this->queue_, field, modes);
        transform.to_points(this->queue_, std::as_const(field).view(), field.view(), box, along);
        HostBox<TypeParam> const points = read_points(this->queue_, field, box);
        for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
          std::int64_t const p = (along == 0 ? i : j) - box.lower[along];
          if (p > 1 && p + 2 < axis.count()) return;
          auto const found = static_cast<long double>(points(i, j, k));
          EXPECT_LT(std::abs(found - exact[static_cast<std::size_t>(p)]), roundings * largest)
              << text_of(axis, along) << ", point " << p;
        });
      }
    }
  }
}

TYPED_TEST(FastTransform, BothDirectionsCancelInAnyBox) {
  for (AxisEnds const ends : all_ends) {
    for (std::int64_t const n : with_kernels({2, 35, 64, 96, 500, 1000})) {
      Axis const axis(ends, n);
      FftTransform<TypeParam> const transform(this->queue_, ends, n);
      for (int along = 0; along < 3; ++along) {
        Extent3 const many = along == 0 ? Extent3{1, 19, 2} : Extent3{37, 2, 2};
        for (Extent3 const lines : {Extent3{1, 1, 1}, many}) {
          LocalBox const box = this->box_along(along, axis.count(), lines);
          Field<TypeParam> field(this->queue_, box.upper, {1, 1, 1});
          auto const before = this->surrounded_by_nan(field.layout().box(), box, 7);
          write_points(this->queue_, field, before);
          auto const view = field.view();
          transform.to_modes(this->queue_, view, view, box, along);
          transform.to_points(this->queue_, view, view, box, along);
          auto const after = read_points(this->queue_, field, before.box);
          ASSERT_TRUE(is_nan_outside(after, box)) << text_of(axis, along);
          ASSERT_LE(largest_difference(before, after, box), 6 * tolerance<TypeParam>(n))
              << text_of(axis, along);
        }
      }
    }
  }
}

TYPED_TEST(FastTransform, AmountsOfHalfCellsAreIntegratedAlready) {
  for (AxisEnds const ends : all_ends) {
    for (std::int64_t const n : {24, 64}) {
      Axis const axis(ends, n);
      FftTransform<TypeParam> const of_values(this->queue_, ends, n);
      FftTransform<TypeParam> const of_amounts(this->queue_, ends, n, Integration::integrated);
      LocalBox const box{{0, 0, 0}, {3, axis.count(), 2}};
      Field<TypeParam> field(this->queue_, box.upper, {0, 0, 0});
      Field<TypeParam> amounts(this->queue_, box.upper, {0, 0, 0});
      auto values = random_points<TypeParam>(box, 3);
      write_points(this->queue_, field, values);
      for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        if (axis.is_half_cell(j)) values(i, j, k) /= 2;
      });
      write_points(this->queue_, amounts, values);
      of_values.to_modes(this->queue_, field.view(), field.view(), box, 1);
      of_amounts.to_modes(this->queue_, amounts.view(), amounts.view(), box, 1);
      EXPECT_EQ(read_points(this->queue_, field, box).values,
                read_points(this->queue_, amounts, box).values);
    }
  }
}

/// Eigenvalues in the queue's memory.
template <class Real>
class DeviceSpectrum {
 public:
  DeviceSpectrum(Queue& queue, std::vector<Real> const& x, std::vector<Real> const& y,
                 std::vector<Real> const& z, Real shift, bool drop_constant)
      : numbers_(queue, Space::device, (x.size() + y.size() + z.size()) * sizeof(Real)) {
    std::vector<Real> all = x;
    all.insert(all.end(), y.begin(), y.end());
    all.insert(all.end(), z.begin(), z.end());
    copy_bytes(queue, numbers_.data(), all.data(), all.size() * sizeof(Real));
    queue.wait();
    Real const* const first = numbers_.as<Real const>();
    spectrum_ = {first, first + x.size(), first + x.size() + y.size(), shift, drop_constant};
  }
  [[nodiscard]] Spectrum<Real> const& operator*() const { return spectrum_; }

 private:
  Buffer numbers_;
  Spectrum<Real> spectrum_;
};

/// Eigenvalues of another axis: arbitrary positive numbers, but 0 at first if so asked.
template <class Real>
std::vector<Real> other_eigenvalues(std::int64_t count, bool begins_with_zero) {
  std::vector<Real> values;
  for (std::int64_t m = 0; m < count; ++m) {
    values.push_back(
        static_cast<Real>(begins_with_zero && m == 0 ? 0.0 : 0.5 + 0.01 * static_cast<double>(m)));
  }
  return values;
}

TYPED_TEST(FastTransform, FusedSolveEqualsItsSteps) {
  for (AxisEnds const ends : all_ends) {
    for (std::int64_t const n : with_kernels({6, 64, 75, 128, 256})) {
      Axis const axis(ends, n);
      FftTransform<TypeParam> const transform(this->queue_, ends, n);
      for (int along = 0; along < 3; ++along) {
        // lines begin at an odd and at an even point along x
        LocalBox box = this->box_along(along, axis.count(), {19, 5, 3});
        if (along == 2) box.lower.x += 1;
        PerAxis<std::vector<TypeParam>> values;
        for (int a = 0; a < 3; ++a) {
          values[a] = other_eigenvalues<TypeParam>(box.extent()[a], true);
        }
        values[along].assign(transform.eigenvalues().begin(), transform.eigenvalues().end());
        DeviceSpectrum<TypeParam> const spectrum(this->queue_, values[0], values[1], values[2],
                                                 TypeParam{0.25}, true);
        Field<TypeParam> fused(this->queue_, box.upper, {1, 1, 1});
        Field<TypeParam> steps(this->queue_, box.upper, {1, 1, 1});
        auto const before = this->surrounded_by_nan(fused.layout().box(), box, 7);
        write_points(this->queue_, fused, before);
        write_points(this->queue_, steps, before);

        transform.solve(this->queue_, fused.view(), fused.view(), box, along, *spectrum);

        transform.to_modes(this->queue_, steps.view(), steps.view(), box, along);
        auto modes = read_points(this->queue_, steps, before.box);
        Spectrum<TypeParam> const on_host{values[0].data(), values[1].data(), values[2].data(),
                                          TypeParam{0.25}, true};
        for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
          Index3 const at = Index3{i, j, k} - box.lower;
          modes(i, j, k) *= on_host.inverse(static_cast<int>(at.x), static_cast<int>(at.y),
                                            static_cast<int>(at.z));
        });
        write_points(this->queue_, steps, modes);
        transform.to_points(this->queue_, steps.view(), steps.view(), box, along);

        auto const got = read_points(this->queue_, fused, before.box);
        auto const want = read_points(this->queue_, steps, before.box);
        ASSERT_TRUE(is_nan_outside(got, box)) << text_of(axis, along);
        ASSERT_LE(largest_difference(got, want, box), 10 * tolerance<TypeParam>(n))
            << text_of(axis, along);
      }
    }
  }
}

TYPED_TEST(FastTransform, SolvesPoissonsEquation) {
  // −Δu + u/8 = f between faces of all kinds: Neumann, mixed and Dirichlet
  Axis const x(AxisEnds::neumann, 20);
  Axis const y(AxisEnds::dirichlet_neumann, 18);
  Axis const z(AxisEnds::dirichlet, 16);
  LocalBox const box{{0, 1, 1}, {21, 19, 16}};
  FftTransform<TypeParam> const along_x(this->queue_, x.ends, x.intervals);
  FftTransform<TypeParam> const along_y(this->queue_, y.ends, y.intervals);
  FftTransform<TypeParam> const along_z(this->queue_, z.ends, z.intervals);
  auto const rounded = [](std::vector<double> const& values) {
    return std::vector<TypeParam>(values.begin(), values.end());
  };
  DeviceSpectrum<TypeParam> const spectrum(this->queue_, rounded(along_x.eigenvalues()),
                                           rounded(along_y.eigenvalues()),
                                           rounded(along_z.eigenvalues()), TypeParam{0.125}, false);
  Field<TypeParam> field(this->queue_, box.upper, {1, 1, 1});
  auto const u = random_points<TypeParam>(box, 11);
  // the value of u at a point, mirrored at Neumann faces and 0 on Dirichlet faces
  auto const value = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    i = i < 0 ? -i : i > 20 ? 40 - i : i;
    j = j > 18 ? 36 - j : j;
    return box.contains(i, j, k) ? static_cast<double>(u(i, j, k)) : 0.0;
  };
  HostBox<TypeParam> f(box);
  for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    f(i, j, k) = static_cast<TypeParam>(
        6.125 * value(i, j, k) - value(i - 1, j, k) - value(i + 1, j, k) - value(i, j - 1, k) -
        value(i, j + 1, k) - value(i, j, k - 1) - value(i, j, k + 1));
  });
  write_points(this->queue_, field, f);
  auto const view = field.view();
  along_x.to_modes(this->queue_, view, view, box, 0);
  along_y.to_modes(this->queue_, view, view, box, 1);
  along_z.solve(this->queue_, view, view, box, 2, *spectrum);
  along_y.to_points(this->queue_, view, view, box, 1);
  along_x.to_points(this->queue_, view, view, box, 0);
  auto const got = read_points(this->queue_, field, box);
  EXPECT_LE(largest_difference(got, u, box), 50 * tolerance<TypeParam>(20));
}

TYPED_TEST(FastTransform, SameBitsOnAnyNumberOfThreads) {
  if (tested_backend() != Backend::cpu) GTEST_SKIP() << "threads of the CPU only";
  for (int along = 0; along < 3; ++along) {
    LocalBox const box = this->box_along(along, 97, {53, 29, 31});
    FftTransform<TypeParam> const transform(this->queue_, AxisEnds::neumann, 96);
    auto const run = [&](int threads) {
      set_cpu_threads(threads);
      return this->transformed(transform, &FftTransform<TypeParam>::to_modes, box, along, 5)
          .second.values;
    };
    int const threads = cpu_threads();
    auto const one = run(1);
    auto const three = run(3);
    set_cpu_threads(threads);
    EXPECT_EQ(one, three);
  }
}

TYPED_TEST(FastTransform, RefusesBoxesThatDoNotFit) {
  FftTransform<TypeParam> const transform(this->queue_, AxisEnds::dirichlet, 8);
  Field<TypeParam> field(this->queue_, {9, 9, 1}, {0, 0, 0});
  auto const run = [&](LocalBox box, int axis) {
    transform.to_modes(this->queue_, field.view(), field.view(), box, axis);
  };
  EXPECT_NO_THROW(run({{1, 1, 0}, {8, 8, 1}}, 0));
  EXPECT_NO_THROW(run({}, 0));
  EXPECT_THROW(run({{1, 1, 0}, {9, 8, 1}}, 0), Error);   // another length
  EXPECT_THROW(run({{1, 4, 0}, {8, 11, 1}}, 1), Error);  // beyond the field
  EXPECT_THROW(run({{1, 1, 0}, {8, 8, 1}}, 3), Error);
}

TYPED_TEST(FastTransform, FootprintIsThatOfTheTables) {
  using Transform = FftTransform<TypeParam>;
  EXPECT_GE(Transform::footprint(Backend::cpu, AxisEnds::neumann, 1024), 1024 * sizeof(TypeParam));
  EXPECT_EQ(Transform::footprint(Backend::cpu, AxisEnds::neumann, 11), 0U);
}

}  // namespace
}  // namespace isotherm::test
