#include "kernels/operators/conductances.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "kernels/conduction/correction_operator.hpp"
#include "kernels/conduction/face_conductances.hpp"
#include "kernels/faces/faces.hpp"
#include "kernels/multigrid/first_sweep.hpp"
#include "kernels/multigrid/operator_products.hpp"
#include "kernels/sweep/sweep.hpp"
#include "kernels/updates/heterogeneous_rules.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Sweeps with variable coefficients, compared with plain loops.

namespace isotherm::test {
namespace {

/// A heterogeneous grid: conductances of 1e-3 to 1e3 and cell widths that vary. Some points are
/// fixed; a third of these conduct nothing to the next point along x. One grid in three has no heat
/// capacities.
template <class Real, int dimension>
class Medium {
 public:
  Medium(Queue& queue, Extent3 points, int halo)
      : halo_{halo, halo, dimension == 3 ? halo : 0},
        owned_{{}, points},
        capacity_(queue, points, halo_),
        values(random_points<Real>(owned_.grown(halo_), 1)),
        source(random_points<Real>(owned_.grown(halo_), 2)),
        inverse_capacity(random_points<Real>(owned_.grown(halo_), 3)) {
    for (Real& value : inverse_capacity.values) value += 2;
    write_points(queue, capacity_, inverse_capacity);
    for (int axis = 0; axis < 3; ++axis) {
      auto g = random_points<Real>(owned_.grown(halo_), 10U + static_cast<unsigned>(axis));
      for (Real& value : g.values) value = std::pow(Real{10}, 3 * value);
      conductances.push_back(std::move(g));
      auto const widths = random_points<Real>(LocalBox{{}, {points[axis] + 2 * halo, 1, 1}},
                                              20U + static_cast<unsigned>(axis));
      inverse_width.emplace_back();
      for (Real const value : widths.values) inverse_width.back().push_back(Real{2} + value);
      widths_.emplace_back(queue, Extent3{points[axis], 1, 1}, Index3{halo, 0, 0});
      HostBox<Real> line(widths_.back().view().box);
      line.values = inverse_width.back();
      write_points(queue, widths_.back(), line);
      fields_.emplace_back(queue, points, halo_);
    }
    std::size_t n = 0;
    for (Real& g : conductances[0].values) {
      if (++n % 7 == 0) g = n % 21 == 0 ? Real{-0.0} : -g;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      write_points(queue, fields_[axis], conductances[axis]);
    }
  }

  [[nodiscard]] bool is_fixed(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return std::signbit(conductances[0](i, j, k));
  }
  [[nodiscard]] bool has_capacity() const { return owned_.extent().x != 19; }
  [[nodiscard]] LocalBox const& owned() const { return owned_; }
  [[nodiscard]] Index3 halo() const { return halo_; }
  [[nodiscard]] Conductances<Real, dimension> view() const {
    return {fields_[0].view(),
            fields_[1].view(),
            fields_[2].view(),
            widths_[0].view().origin,
            widths_[1].view().origin,
            widths_[2].view().origin,
            has_capacity() ? std::as_const(capacity_).view() : FieldView<Real const>{}};
  }

 private:
  Index3 halo_;
  LocalBox owned_;
  std::vector<Field<Real>> fields_;
  std::vector<Field<Real>> widths_;  ///< 1 / cell width, a row per axis
  Field<Real> capacity_;

 public:
  HostBox<Real> values, source, inverse_capacity;
  std::vector<HostBox<Real>> conductances;
  std::vector<std::vector<Real>> inverse_width;
};

template <class Rule>
struct RuleOf;
template <class Real, int dimension>
struct RuleOf<HeterogeneousJacobiRule<Real, dimension>> {
  static auto make(Conductances<Real, dimension> const& conductances) {
    return HeterogeneousJacobiRule<Real, dimension>{{}, conductances};
  }
  /// The update under test applied to the flux sum of a point, with 1 / V.
  static double apply(double sum, double total, double source, double /*flow*/,
                      double /*inverse_heat_capacity*/, double /*here*/) {
    return (sum + source) / total;
  }
};
template <class Real, int dimension>
struct RuleOf<HeterogeneousFtcsRule<Real, dimension>> {
  static constexpr double step = 1e-6;
  static auto make(Conductances<Real, dimension> const& conductances) {
    return HeterogeneousFtcsRule<Real, dimension>{{static_cast<Real>(step)}, conductances};
  }
  static double apply(double /*sum*/, double /*total*/, double source, double flow,
                      double inverse_heat_capacity, double here) {
    return here + step * (flow + source) * inverse_heat_capacity;
  }
};

template <class Rule>
class HeterogeneousSweep : public BackendTest {
 protected:
  using Value = typename Rule::Real;
  static constexpr int dimension = Rule::dimension;
  using Grid = Medium<Value, dimension>;

  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);

  /// The free points after `steps` plain loops in float64, the reference.
  static HostBox<double> expected(Grid const& medium, LocalBox const& free, int steps,
                                  bool with_source) {
    HostBox<double> u(medium.values.box);
    for (std::size_t n = 0; n < u.values.size(); ++n) u.values[n] = medium.values.values[n];
    LocalBox changed = medium.owned().grown(medium.halo());
    for (int step = 0; step < steps; ++step) {
      changed = changed.grown({-1, -1, dimension == 3 ? -1 : 0});
      HostBox<double> const before = u;
      for_each(intersection(changed, free), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        if (medium.is_fixed(i, j, k)) return;
        double sum = 0, flow = 0, total = 0;
        Index3 const here{i, j, k};
        double volume_inverse = 1;
        for (int axis = 0; axis < dimension; ++axis) {
          auto const& g = medium.conductances[static_cast<std::size_t>(axis)];
          Index3 lower = here, upper = here;
          --lower[axis];
          ++upper[axis];
          double const to_lower = std::abs(static_cast<double>(g(lower.x, lower.y, lower.z)));
          double const to_upper = std::abs(static_cast<double>(g(i, j, k)));
          double const at_lower = before(lower.x, lower.y, lower.z);
          double const at_upper = before(upper.x, upper.y, upper.z);
          sum += to_lower * at_lower + to_upper * at_upper;
          flow += to_lower * (at_lower - before(i, j, k)) + to_upper * (at_upper - before(i, j, k));
          total += to_lower + to_upper;
          auto const& widths = medium.inverse_width[static_cast<std::size_t>(axis)];
          volume_inverse *= widths[static_cast<std::size_t>(here[axis] + medium.halo().x)];
        }
        if (medium.has_capacity()) volume_inverse *= medium.inverse_capacity(i, j, k);
        double const from_source = with_source ? static_cast<double>(medium.source(i, j, k)) : 0.0;
        u(i, j, k) =
            RuleOf<Rule>::apply(sum, total, from_source, flow, volume_inverse, before(i, j, k));
      });
    }
    return u;
  }

  /// The result of one sweep plan: the values in the region, and the measured largest change.
  struct Swept {
    HostBox<Value> after;
    double largest_change;
  };
  /// @param measured  true: with a source, and changes are measured; false: neither
  static Swept swept(Queue& queue, Extent3 points, LocalBox region, LocalBox free,
                     SweepPlan const& plan, bool measured) {
    Grid medium(queue, points, plan.steps);
    Field<Value> in(queue, points, medium.halo());
    Field<Value> out(queue, points, medium.halo());
    Field<Value> source(queue, points, medium.halo());
    write_points(queue, in, medium.values);
    write_points(queue, source, medium.source);
    Buffer const memory(queue, Space::device, sizeof(Change));
    fill_bytes(queue, memory.data(), 0, sizeof(Change));
    auto const added = measured ? std::as_const(source).view() : FieldView<Value const>{};
    sweep(queue, RuleOf<Rule>::make(medium.view()),
          Pass<Value>{std::as_const(in).view(), out.view(), added, region, free,
                      measured ? memory.as<Change>() : nullptr},
          plan);
    Change change;
    copy_bytes(queue, &change, memory.data(), sizeof change);
    return {read_points(queue, out, region), change.largest};
  }

  void expect_as_by_hand(Swept const& found, Extent3 points, LocalBox region, LocalBox free,
                         int steps, bool measured) {
    Queue host(Backend::cpu);
    Grid const medium(host, points, steps);
    auto const wanted = expected(medium, free, steps, measured);
    auto const before = expected(medium, free, steps - 1, measured);
    double largest = 0;
    for_each(region, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      double const bound = 30.0 * steps * std::numeric_limits<Value>::epsilon() *
                           std::max(1.0, std::abs(wanted(i, j, k)));
      ASSERT_NEAR(found.after(i, j, k), wanted(i, j, k), bound) << i << ' ' << j << ' ' << k;
      bool const kept = !medium.is_fixed(i, j, k) || found.after(i, j, k) == medium.values(i, j, k);
      ASSERT_TRUE(kept) << i << ' ' << j << ' ' << k;
      largest = std::max(largest, std::abs(wanted(i, j, k) - before(i, j, k)));
    });
    EXPECT_NEAR(found.largest_change, measured ? largest : 0.0,
                60.0 * steps * std::numeric_limits<Value>::epsilon() * std::max(1.0, largest));
  }

  /// Expects the result of plain loops within rounding, and on devices the bits of the CPU.
  void expect_swept(Extent3 points, LocalBox region, LocalBox free) {
    Queue host(Backend::cpu);
    for (SweepPlan const& plan :
         heterogeneous_plans(queue_.backend(), dimension, precision_of<Value>)) {
      for (bool const measured : {true, false}) {
        SCOPED_TRACE(plan.name + (measured ? ", measured" : ""));
        auto const found = swept(queue_, points, region, free, plan, measured);
        expect_as_by_hand(found, points, region, free, plan.steps, measured);
        if (queue_.backend() == Backend::cpu) continue;
        auto const same = swept(host, points, region, free, {"plain", 1}, measured);
        EXPECT_EQ(std::memcmp(found.after.values.data(), same.after.values.data(),
                              same.after.values.size() * sizeof(Value)),
                  0);
      }
    }
  }
};

using Rules = testing::Types<HeterogeneousJacobi2D<float>, HeterogeneousJacobi2D<double>,
                             HeterogeneousJacobi3D<float>, HeterogeneousJacobi3D<double>,
                             HeterogeneousFtcs2D<float>, HeterogeneousFtcs2D<double>,
                             HeterogeneousFtcs3D<float>, HeterogeneousFtcs3D<double>>;
TYPED_TEST_SUITE(HeterogeneousSweep, Rules);

constexpr LocalBox box_of(Extent3 points) { return {{}, points}; }

TYPED_TEST(HeterogeneousSweep, EveryPlanMatchesPlainLoops) {
  for (Extent3 points : {Extent3{19, 13, 9}, Extent3{140, 17, 7}, Extent3{8, 8, 8}}) {
    if (TypeParam::dimension == 2) points.z = 1;
    LocalBox const box = box_of(points);
    this->expect_swept(points, box, box);
  }
}

TYPED_TEST(HeterogeneousSweep, SweepsAnyRegionAndKeepsFixedPoints) {
  bool const flat = TypeParam::dimension == 2;
  Extent3 const points{140, 12, flat ? 1 : 10};
  LocalBox const region{{3, 2, flat ? 0 : 1}, {139, 11, flat ? 1 : 9}};
  this->expect_swept(points, region, {{5, 1, flat ? 0 : 3}, {131, 10, flat ? 1 : 8}});
}

/// A p, (r, p) and (p, A p), compared with plain loops.
TYPED_TEST(HeterogeneousSweep, AppliesTheOperatorWithProducts) {
  using Real = typename TypeParam::Real;
  constexpr int axes = TypeParam::dimension;
  constexpr double shift = 0.3;
  for (Extent3 points : {Extent3{37, 13, 9}, Extent3{140, 17, 7}, Extent3{1, 2, 3}}) {
    if (axes == 2) points.z = 1;
    LocalBox const box{{}, points};
    Medium<Real, axes> const medium(this->queue_, points, 1);
    Field<Real> p(this->queue_, points, medium.halo()), r(this->queue_, points, medium.halo());
    Field<Real> image(this->queue_, points, medium.halo());
    write_points(this->queue_, p, medium.values);
    write_points(this->queue_, r, medium.source);
    OperatorProducts products(this->queue_);
    InnerProducts const found =
        products.apply(this->queue_, medium.view(), shift, std::as_const(p).view(),
                       std::as_const(r).view(), image.view(), box);
    auto const applied = read_points(this->queue_, image, box);
    double slope = 0, curvature = 0, magnitude = 0;
    for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      double const here = medium.values(i, j, k);
      double flow = 0, largest = 1, volume = 1;
      for (int axis = 0; axis < axes; ++axis) {
        auto const n = static_cast<std::size_t>(axis);
        auto const& g = medium.conductances[n];
        for (int const side : {-1, 1}) {
          Index3 neighbour{i, j, k};
          neighbour[axis] += side;
          Index3 const from = side < 0 ? neighbour : Index3{i, j, k};
          double const conductance = std::abs(static_cast<double>(g(from.x, from.y, from.z)));
          flow += conductance * (here - medium.values(neighbour.x, neighbour.y, neighbour.z));
          largest = std::max(largest, conductance);
        }
        Index3 const at{i, j, k};
        volume /= medium.inverse_width[n][static_cast<std::size_t>(at[axis] + medium.halo().x)];
      }
      if (medium.has_capacity()) volume /= medium.inverse_capacity(i, j, k);
      double const wanted = medium.is_fixed(i, j, k) ? 0.0 : flow + shift * volume * here;
      ASSERT_NEAR(applied(i, j, k), wanted, 10 * std::numeric_limits<Real>::epsilon() * largest)
          << i << ' ' << j << ' ' << k;
      slope += static_cast<double>(medium.source(i, j, k)) * here;
      curvature += here * static_cast<double>(applied(i, j, k));
      magnitude += std::abs(here * static_cast<double>(applied(i, j, k))) + 1.0;
    });
    EXPECT_NEAR(found.ab, slope, 1e-13 * magnitude);
    EXPECT_NEAR(found.bc, curvature, 1e-13 * magnitude);
  }
}

/// A correction field and the operator that smooths it; fixed points remain zero.
template <class Real, int dimension>
class Correction {
 public:
  Correction(Queue& queue, Extent3 points)
      : medium_(queue, points, 2),
        inverse_diagonal_(queue, points, medium_.halo()),
        values(medium_.values),
        source_values(medium_.source),
        source(queue, points, medium_.halo()),
        before(queue, points, medium_.halo()),
        after(queue, points, medium_.halo()) {
    for_each(values.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      if (medium_.is_fixed(i, j, k)) values(i, j, k) = 0;
    });
    write_points(queue, source, source_values);
    write_points(queue, before, values);
    set_inverse_diagonal(queue, medium_.view(), inverse_diagonal_.view(),
                         LocalBox{{}, points}.grown(one()));
  }

  [[nodiscard]] SmoothingConductances<Real, dimension> conductances() const {
    auto const made = medium_.view();
    return {made.x, made.y, made.z, inverse_diagonal_.view()};
  }
  [[nodiscard]] Medium<Real, dimension> const& medium() const { return medium_; }

  /// Enqueues sweeps with these relaxation factors, fused into one pass of `plan`, starting at
  /// `before`.
  void sweep_at_once(Queue& queue, std::span<double const> weights, LocalBox region, LocalBox free,
                     SweepPlan const& plan) {
    HeterogeneousSmoothingRule<Real, dimension> rule{{}, conductances()};
    for (std::size_t n = 0; n < weights.size(); ++n) {
      rule.weights[n] = static_cast<Real>(weights[n]);
    }
    sweep(queue, rule,
          Pass<Real>{std::as_const(before).view(), after.view(), std::as_const(source).view(),
                     region, free},
          plan);
  }
  /// The same by single sweeps. Each of them covers one point less beyond the region.
  void sweep_one_by_one(Queue& queue, std::span<double const> weights, LocalBox region,
                        LocalBox free) {
    for (std::size_t n = 0; n < weights.size(); ++n) {
      Index3 const more = n + 1 < weights.size() ? one() : Index3{};
      sweep_at_once(queue, weights.subspan(n, 1), region.grown(more), free, {"plain", 1});
      std::swap(before, after);
    }
    std::swap(before, after);
  }

 private:
  static Index3 one() { return {1, 1, dimension == 3 ? 1 : 0}; }

  Medium<Real, dimension> medium_;
  Field<Real> inverse_diagonal_;

 public:
  HostBox<Real> values, source_values;
  Field<Real> source, before, after;
};

constexpr double two_weights[] = {0.7, 1.3};  // NOLINT(modernize-avoid-c-arrays)

/// Compares two fused sweeps of each such plan, and the first two sweeps of a zero correction, with
/// single sweeps on the CPU.
template <class Real, int dimension>
void expect_relaxed(Queue& queue, Extent3 points, LocalBox region, LocalBox free) {
  Queue host(Backend::cpu);
  std::span<double const> const weights(two_weights);
  Correction<Real, dimension> plain(host, points);
  plain.sweep_one_by_one(host, weights, region, free);
  auto const wanted = read_points(host, plain.after, region);
  for (auto const& plan :
       heterogeneous_smoothing_plans(queue.backend(), dimension, precision_of<Real>)) {
    if (plan.steps != 2) continue;
    Correction<Real, dimension> at_once(queue, points);
    at_once.sweep_at_once(queue, weights, region, free, plan);
    EXPECT_EQ(read_points(queue, at_once.after, region).values, wanted.values) << plan.name;
  }
  if (!free.contains(region)) return;  // sweeps from zero require free points
  Correction<Real, dimension> from_zero(queue, points);
  std::size_t const taken =
      sweep_from_zero(queue, from_zero.conductances(), weights,
                      std::as_const(from_zero.source).view(), from_zero.after.view(), region, free);
  EXPECT_EQ(taken, queue.backend() == Backend::cuda && dimension == 3 ? 2U : 1U);
  fill(host, plain.before.view(), plain.before.view().box, Real{0});
  plain.sweep_one_by_one(host, weights.first(taken), region, free);
  EXPECT_EQ(read_points(queue, from_zero.after, region).values,
            read_points(host, plain.after, region).values);
}

TYPED_TEST(HeterogeneousSweep, FusedSmoothingMatchesSingleSweeps) {
  using Real = typename TypeParam::Real;
  constexpr int axes = TypeParam::dimension;
  std::int64_t const deep = axes == 2 ? 0 : 1;
  for (Extent3 points : {Extent3{37, 9, 6}, Extent3{140, 31, 19}, Extent3{1, 1, 2},
                         Extent3{127, 10, 40}, Extent3{257, 19, 3}}) {
    if (axes == 2) points.z = 1;
    LocalBox const box{{}, points};
    expect_relaxed<Real, axes>(this->queue_, points, box, box);
    expect_relaxed<Real, axes>(this->queue_, points, box, box.grown({1, 1, deep}));
  }
}

/// Regions such as the interior and the rims of a rank's points, and regions that end at fixed
/// points.
TYPED_TEST(HeterogeneousSweep, FusedSmoothingMatchesSingleSweepsInAnyRegion) {
  using Real = typename TypeParam::Real;
  constexpr int axes = TypeParam::dimension;
  bool const flat = axes == 2;
  Extent3 const points{140, 23, flat ? 1 : 21};
  LocalBox const box{{}, points};
  LocalBox const interior = box.grown({-2, -2, flat ? 0 : -2});
  for (int axis = 0; axis < axes; ++axis) {
    LocalBox lower = interior, upper = interior;
    lower.lower[axis] = 0;
    lower.upper[axis] = 2;
    upper.lower[axis] = points[axis] - 2;
    upper.upper[axis] = points[axis];
    for (LocalBox const& rim : {lower, upper}) {
      expect_relaxed<Real, axes>(this->queue_, points, rim, box.grown({1, 1, flat ? 0 : 1}));
    }
  }
  expect_relaxed<Real, axes>(this->queue_, points, interior, box);
  expect_relaxed<Real, axes>(this->queue_, points, box,
                             {{3, 2, flat ? 0 : 1}, {129, 20, flat ? 1 : 19}});
  expect_relaxed<Real, axes>(this->queue_, points, interior,
                             {{-1, 5, flat ? 0 : 4}, {7, 6, flat ? 1 : 21}});
}

TYPED_TEST(HeterogeneousSweep, AppliesTheRelaxationFactor) {
  using Real = typename TypeParam::Real;
  constexpr int axes = TypeParam::dimension;
  Extent3 const points{37, 9, axes == 2 ? 1 : 6};
  LocalBox const box{{}, points};
  Correction<Real, axes> found(this->queue_, points);
  double const weight = two_weights[0];
  found.sweep_at_once(this->queue_, {&weight, 1}, box, box, {"plain", 1});
  auto const after = read_points(this->queue_, found.after, box);
  for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    double sum = found.source_values(i, j, k), total = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      auto const& g = found.medium().conductances[axis];
      for (int const side : {-1, 1}) {
        Index3 beside{i, j, k}, from{i, j, k};
        beside[static_cast<int>(axis)] += side;
        if (side < 0) from = beside;
        double const conductance = std::abs(static_cast<double>(g(from.x, from.y, from.z)));
        sum += conductance * static_cast<double>(found.values(beside.x, beside.y, beside.z));
        total += conductance;
      }
    }
    double const before = found.values(i, j, k);
    double const wanted =
        found.medium().is_fixed(i, j, k) ? 0.0 : (1.0 - weight) * before + weight * sum / total;
    double const bound =
        30.0 * std::numeric_limits<Real>::epsilon() * std::max(1.0, std::abs(wanted));
    ASSERT_NEAR(after(i, j, k), wanted, bound) << i << ' ' << j << ' ' << k;
  });
}

/// Conductances as products of rows along the axes (separable), and as fields that
/// set_conductances() makes of the same rows.
template <class Real, int dimension>
struct Separable {
  Separable(Queue& queue, Extent3 points)
      : Separable(queue, points, {1, 1, dimension == 3 ? 1 : 0}) {}

  [[nodiscard]] SeparableConductances<Real, dimension> rows() const {
    return {of(inverse_gap), of(width), of(inverse_width)};
  }
  [[nodiscard]] Conductances<Real, dimension> fields() const {
    AxisRows<Real> const per = of(inverse_width);
    return {between[0].view(), between[1].view(), between[2].view(), per.x, per.y, per.z};
  }

 private:
  using Rows = std::vector<Field<Real>>;

  Separable(Queue& queue, Extent3 points, Index3 halo)
      : inverse_gap(rows_of(queue, points, halo, 31)),
        width(rows_of(queue, points, halo, 41)),
        inverse_width(rows_of(queue, points, halo, 51)) {
    Field<Real> conductivity(queue, points, halo);
    HostBox<Real> one(conductivity.view().box);
    std::ranges::fill(one.values, Real{1});
    write_points(queue, conductivity, one);
    for (int axis = 0; axis < 3; ++axis) {
      auto& g = between.emplace_back(queue, points, halo);
      LocalBox box = g.view().box;
      --box.upper[axis];
      set_conductances(queue, axis, std::as_const(conductivity).view(),
                       VolumeRows<Real>{of(width), of(inverse_gap)}, g.view(), box);
      if (axis + 1 == dimension) break;
    }
    while (between.size() < 3) between.emplace_back(queue, points, halo);
    queue.wait();
  }
  static Rows rows_of(Queue& queue, Extent3 points, Index3 halo, unsigned seed) {
    Rows rows;
    for (int axis = 0; axis < 3; ++axis) {
      auto& row = rows.emplace_back(queue, Extent3{points[axis], 1, 1}, Index3{halo[axis], 0, 0});
      auto values = random_points<Real>(row.view().box, seed++);
      for (Real& value : values.values) value = axis < dimension ? Real{2} + value : Real{1};
      write_points(queue, row, values);
    }
    return rows;
  }
  static AxisRows<Real> of(Rows const& rows) {
    return {rows[0].view().origin, rows[1].view().origin, rows[2].view().origin};
  }

  Rows inverse_gap, width, inverse_width;
  std::vector<Field<Real>> between;
};

/// Expects equal bits after a step with either form, for all sweep plans.
template <class Rule>
void expect_same_bits(Queue& queue, Extent3 points) {
  using Real = typename Rule::Real;
  constexpr int dimension = Rule::dimension;
  using Update = std::conditional_t<std::is_base_of_v<Relax, Rule>, Relax, FiniteVolumeEuler<Real>>;
  LocalBox const box{{}, points};
  Index3 const halo{1, 1, dimension == 3 ? 1 : 0};
  Separable<Real, dimension> const alike(queue, points);
  Field<Real> in(queue, points, halo), source(queue, points, halo), out(queue, points, halo);
  write_points(queue, in, random_points<Real>(box.grown(halo), 1));
  write_points(queue, source, random_points<Real>(box.grown(halo), 2));
  Update update{};
  if constexpr (requires { update.step; }) update.step = Real{0.01F};
  LocalBox const free = box.grown({-1, 0, 0});
  auto const after = [&](auto const& conductances, SweepPlan const& plan) {
    StencilRule<Update, std::remove_cvref_t<decltype(conductances)>> const rule{update,
                                                                                conductances};
    sweep(queue, rule,
          Pass<Real>{std::as_const(in).view(), out.view(), std::as_const(source).view(), box, free},
          plan);
    return read_points(queue, out, box).values;
  };
  for (auto const& plan : heterogeneous_plans(queue.backend(), dimension, precision_of<Real>)) {
    if (plan.steps > 1) continue;
    EXPECT_EQ(after(alike.rows(), plan), after(alike.fields(), plan)) << plan.name;
  }
}

TYPED_TEST(HeterogeneousSweep, SeparableCoefficientsGiveTheBitsOfFields) {
  for (Extent3 points : {Extent3{19, 13, 9}, Extent3{140, 17, 7}, Extent3{3, 2, 2}}) {
    if (TypeParam::dimension == 2) points.z = 1;
    expect_same_bits<TypeParam>(this->queue_, points);
  }
}

/// With equal conductances the weights are those of the constant operator.
TEST(Conductances, EqualConductancesGiveTheMeanOfTheNeighbours) {
  PointConductances<double, 3> const point{2.5, 2.5, 2.5, 2.5, 2.5, 2.5, false, 1.0};
  auto const at = [](int di, int dj, int dk) { return 1.0 + di + 10.0 * dj + 100.0 * dk; };
  EXPECT_DOUBLE_EQ(point.neighbours(at), 1.0);
  EXPECT_DOUBLE_EQ(point.inflow(at), 0.0);
}

TEST(Conductances, InsulatedPointKeepsItsValue) {
  PointConductances<double, 2> const point{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, true, 1.0};
  auto const at = [](int di, int dj, int) { return di == 0 && dj == 0 ? 7.0 : 1.0; };
  EXPECT_EQ(point.neighbours(at), 7.0);
  EXPECT_EQ(point.inflow(at), 0.0);
}

/// Reflecting an axis does not change the result.
TEST(Conductances, PreserveMirrorSymmetry) {
  PointConductances<double, 2> const one{0.1, 0.7, 0.3, 1.9, 0.0, 0.0, false, 1.0};
  PointConductances<double, 2> const mirrored{0.7, 0.1, 1.9, 0.3, 0.0, 0.0, false, 1.0};
  auto const at = [](int di, int dj, int) { return 0.3 + 0.17 * di + 0.031 * dj; };
  auto const mirror = [&](int di, int dj, int dk) { return at(-di, -dj, dk); };
  EXPECT_EQ(one.neighbours(at), mirrored.neighbours(mirror));
  EXPECT_EQ(one.inflow(at), mirrored.inflow(mirror));
}

}  // namespace
}  // namespace isotherm::test
