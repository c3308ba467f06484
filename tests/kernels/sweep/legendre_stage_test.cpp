#include "kernels/sweep/legendre_stage.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "kernels/operators/conductances.hpp"
#include "kernels/operators/constant_weights.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// The stages of RKL2: rows and single points have the same bits, and those of constant weights are
// the values of plain loops.

namespace isotherm::test {
namespace {

using LegendreStages = BackendTest;

/// The fields of the stages on one rank, and a heterogeneous operator.
template <class Real, int dimension>
struct Stages {
  Extent3 points{37, 11, dimension == 3 ? 5 : 1};
  Index3 halo{1, 1, dimension == 3 ? 1 : 0};
  LocalBox owned{{}, points};
  LocalBox free{{1, 0, 0}, {points.x, points.y - 1, points.z}};
  HostBox<Real> u = random_points<Real>(owned.grown(halo), 1);
  Field<Real> latest, source, start, rate, out;
  std::vector<Field<Real>> conductances{};
  std::vector<Field<Real>> widths{};

  explicit Stages(Queue& queue)
      : latest(queue, points, halo),
        source(queue, points, halo),
        start(queue, points, halo),
        rate(queue, points, halo),
        out(queue, points, halo) {
    write_points(queue, latest, u);
    write_points(queue, source, random_points<Real>(owned, 2));
    for (unsigned axis = 0; axis < 3; ++axis) {
      auto g = random_points<Real>(owned.grown(halo), 10 + axis);
      // A negative value marks a fixed point; along x some are.
      for (Real& value : g.values) value = axis == 0 ? value + Real(0.75) : value * value;
      conductances.emplace_back(queue, points, halo);
      write_points(queue, conductances.back(), g);
      Extent3 const along{points[static_cast<int>(axis)], 1, 1};
      auto line = random_points<Real>(LocalBox{{}, along}, 20 + axis);
      for (Real& value : line.values) value += Real{2};
      widths.emplace_back(queue, along, Index3{1, 0, 0});
      write_points(queue, widths.back(), line);
    }
  }

  [[nodiscard]] Conductances<Real, dimension> medium() const {
    return {conductances[0].view(),  conductances[1].view(),  conductances[2].view(),
            widths[0].view().origin, widths[1].view().origin, widths[2].view().origin};
  }

  /// Returns the rates and the values after two stages, by rows or by points.
  template <class Operator>
  std::vector<std::vector<Real>> after(Queue& queue, Operator const& op, bool by_points,
                                       bool has_source) {
    FieldView<Real const> const given =
        has_source ? std::as_const(source).view() : FieldView<Real const>{};
    FirstStage<Real> const first{
        std::as_const(latest).view(), given, start.view(), rate.view(), out.view(), owned, free};
    LegendreFactors<Real> const factors{Real(1.7), Real(-0.8), Real(0.1), Real(-0.02)};
    LaterStage<Real> const later{
        std::as_const(latest).view(), given,      std::as_const(start).view(),
        std::as_const(rate).view(),   out.view(), intersection(owned, free)};
    if (by_points) {
      first_stage_by_points(queue, op, Real(0.05), first);
      later_stage_by_points(queue, op, factors, later);
    } else {
      take_first_stage(queue, op, Real(0.05), first);
      take_later_stage(queue, op, factors, later);
    }
    return {read_points(queue, rate, owned).values, read_points(queue, start, owned).values,
            read_points(queue, out, owned).values};
  }

  template <class Operator>
  void expect_same(Queue& queue, Operator const& op) {
    for (bool const has_source : {false, true}) {
      EXPECT_EQ(after(queue, op, true, has_source), after(queue, op, false, has_source));
    }
  }
};

TEST_F(LegendreStages, RowsHaveTheBitsOfPoints) {
  Queue queue = make_queue();
  Stages<double, 2> plane(queue);
  plane.expect_same(queue, ConstantWeights<double, 2>{0.3, 0.2, 0.0});
  plane.expect_same(queue, plane.medium());
  Stages<float, 3> space(queue);
  space.expect_same(queue, ConstantWeights<float, 3>{0.3F, 0.2F, 0.1F});
  space.expect_same(queue, space.medium());
}

TEST_F(LegendreStages, AreThoseOfAPlainLoop) {
  Queue queue = make_queue();
  Stages<double, 2> plane(queue);
  auto const found = plane.after(queue, ConstantWeights<double, 2>{0.3, 0.2, 0.0}, false, true);
  HostBox<double> const source = read_points(queue, plane.source, plane.owned);
  HostBox<double> const& u = plane.u;
  for_each(plane.owned, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    bool const is_free = i > 0 && j < plane.points.y - 1;
    double const rate = is_free ? 0.3 * (u(i - 1, j, k) - 2 * u(i, j, k) + u(i + 1, j, k)) +
                                      0.2 * (u(i, j - 1, k) - 2 * u(i, j, k) + u(i, j + 1, k)) +
                                      source(i, j, k)
                                : 0.0;
    auto const at = source.index(i, j, k);
    EXPECT_NEAR(found[0][at], rate, 1e-14);
    EXPECT_EQ(found[1][at], u(i, j, k));
    // Y_1 is `out` of the first stage; the operator is applied to u again.
    double const older = u(i, j, k) + 0.05 * rate;
    double const later = u(i, j, k) - 0.8 * (older - u(i, j, k)) + 0.1 * rate - 0.02 * rate;
    EXPECT_NEAR(found[2][at], is_free ? later : older, 1e-14);
  });
}

}  // namespace
}  // namespace isotherm::test
