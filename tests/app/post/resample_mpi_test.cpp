#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "app/post/fields/resample.hpp"
#include "case/basics/exit_code.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/field_command.hpp"
#include "tests/support/oracles/spline_oracle.hpp"

// The command `resample`: interpolation to other grids, shifts and rotations.

namespace isotherm::test {
using namespace app;
namespace {

class Resample : public FieldCommandTest {
 protected:
  [[nodiscard]] ResampleOptions options() const {
    ResampleOptions options;
    options.files = files_;
    options.device = device_;
    return options;
  }

  /// Expects the written field to be the function on its own grid.
  template <class Real>
  void expect_function(Grid const& grid, Function const& function, double tolerance) {
    SnapshotInfo const info = read_snapshot_info(options().files.output);
    ASSERT_EQ(info.grid.points, grid.points);
    for (int axis = 0; axis < grid.dimension; ++axis) {
      EXPECT_DOUBLE_EQ(info.grid.lower[axis], grid.lower[axis]);
      EXPECT_DOUBLE_EQ(info.grid.spacing[axis], grid.spacing[axis]);
    }
    auto const found = made_on<Real>(grid);
    auto const expected = values_on<Real>(grid, grid.box(), function);
    double worst = 0.0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      worst = std::max(worst,
                       std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i])));
    }
    EXPECT_LE(worst, tolerance * std::numeric_limits<Real>::epsilon());
  }

  /// Expects a shifted and rotated field to match splines that are solved by elimination.
  template <class Real>
  void expect_splines(Grid const& grid, PerAxis<double> const& spacings, double degrees,
                      EdgeMode edge_mode) {
    Function const rough = [](double x, double y, double z) {
      return std::sin(40.0 * x + 90.0 * y * y) + std::cos(70.0 * z * x + 3.0);
    };
    ResampleOptions options = this->options();
    options.curve = Curve::spline;
    options.edge_mode = edge_mode;
    options.motion.rotation_deg = degrees;
    for (int a = 0; a < 3; ++a) options.motion.shift[a] = spacings[a] * grid.spacing[a];
    write<Real>(options.files.input, grid, rough);
    EXPECT_EQ(resample(world_, options), exit_code::done);
    auto const found = made_on<Real>(grid);
    Expected const expected(grid, options.motion, edge_mode,
                            values_on<Real>(grid, grid.box(), rough));
    long double worst = 0.0L;
    std::size_t number = 0;
    for (std::int64_t k = 0; k < grid.points.z; ++k) {
      for (std::int64_t j = 0; j < grid.points.y; ++j) {
        for (std::int64_t i = 0; i < grid.points.x; ++i) {
          worst = std::max(worst, std::abs(found[number] - expected.at({i, j, k})));
          ++number;
        }
      }
    }
    long double const rounding = sizeof(Real) == sizeof(float) ? 2.5e-7L : 1e-12L;
    EXPECT_LE(worst, rounding) << grid.points.x << " x " << grid.points.y << ", edges "
                               << static_cast<int>(edge_mode);
    if (edge_mode != EdgeMode::wrap && edge_mode != EdgeMode::clamp) return;
    expect_same_alone(found, [&](mpi::Communicator const& alone, FieldFiles const& files) {
      options.files = files;
      EXPECT_EQ(resample(alone, options), exit_code::done);
    });
  }

 private:
  /// The reference: splines through a field, evaluated at its moved points.
  class Expected {
   public:
    template <class Values>
    Expected(Grid const& grid, Motion const& motion, EdgeMode edge_mode, Values const& values)
        : grid_(grid), motion_(motion), values_(values.begin(), values.end()) {
      for (int a = 0; a < 3; ++a) axes_.emplace_back(grid.points[a], edge_mode);
    }

    [[nodiscard]] long double at(Index3 point) const {
      PerAxis<double> from{};  // original place
      for (int a = 0; a < 3; ++a) from[a] = grid_.coordinate(a, point[a]) - motion_.shift[a];
      double const middle_x = 0.5 * (grid_.lower[0] + grid_.upper(0));
      double const middle_y = 0.5 * (grid_.lower[1] + grid_.upper(1));
      double const angle = motion_.rotation_deg * std::numbers::pi / 180.0;
      double const x = from[0] - middle_x;
      double const y = from[1] - middle_y;
      from[0] = middle_x + std::cos(angle) * x + std::sin(angle) * y;
      from[1] = middle_y - std::sin(angle) * x + std::cos(angle) * y;
      PerAxis<std::vector<long double>> weights{};
      for (int a = 0; a < 3; ++a) {
        double const place = (from[a] - grid_.lower[a]) / grid_.spacing[a];
        weights[a] = grid_.points[a] == 1 ? std::vector<long double>{1.0L}
                                          : axes_[static_cast<std::size_t>(a)].weights(place);
      }
      long double sum = 0.0L;
      std::size_t number = 0;
      for (long double const along_z : weights[2]) {
        for (long double const along_y : weights[1]) {
          for (long double const along_x : weights[0]) {
            sum += along_z * along_y * along_x * values_[number];
            ++number;
          }
        }
      }
      return sum;
    }

   private:
    Grid grid_;
    Motion motion_;
    std::vector<long double> values_;
    std::vector<SplineOracle> axes_{};
  };
};

TEST_F(Resample, KeepsGradedAxes) {
  Grid const grid =
      with_coordinates(grid_of({13, 9, 6}), 1, {0.5, 0.625, 0.75, 1.0, 1.5, 2.0, 4.0, 4.5, 5.0});
  Function const linear = [](double x, double y, double z) { return 1.0 + x - 2.0 * y * z; };
  write<double>(files_.input, grid, linear);
  ResampleOptions options = this->options();
  options.points = Extent3{25, 9, 4};
  ASSERT_EQ(resample(world_, options), exit_code::done);
  expect_function<double>(with_points(grid, *options.points), linear, 200.0);
  EXPECT_EQ(read_snapshot_info(options.files.output).grid.graded, grid.graded);

  options.files.overwrite = true;
  auto const said = [&] {
    return message_of<InputError>([&] { (void)resample(world_, options); });
  };
  std::string const refusal =
      "resample: the spacing varies on the y axis, and graded axes are not interpolated (both "
      "grids need the same points there)";
  options.points = Extent3{13, 17, 6};
  EXPECT_EQ(said(), refusal);
  options.points = std::nullopt;
  options.motion.shift = {0.0, 0.25, 0.0};
  EXPECT_EQ(said(), refusal);
  options.motion = {{0.25, 0.0, 0.0}, 0.0};
  EXPECT_EQ(said(), "");
}

TEST_F(Resample, ReproducesPolynomialsOnFinerAndCoarserGrids) {
  Grid const grid = grid_of({13, 9, 6});
  Function const linear = [](double x, double y, double z) { return 1.0 + x - 2.0 * y * z; };
  Function const cubic = [](double x, double y, double z) { return x * x * x - y * y * y * z + z; };
  for (Extent3 const points : {Extent3{25, 17, 11}, Extent3{7, 10, 4}}) {
    Grid other = grid;
    other.points = points;
    for (int axis = 0; axis < 3; ++axis) {
      other.spacing[axis] = grid.spacing[axis] * static_cast<double>(grid.points[axis] - 1) /
                            static_cast<double>(points[axis] - 1);
    }
    ResampleOptions options = this->options();
    options.points = points;
    write<double>(options.files.input, grid, linear);
    EXPECT_EQ(resample(world_, options), exit_code::done);
    expect_function<double>(other, linear, 200.0);
    options.curve = Curve::cubic;
    write<float>(options.files.input, grid, cubic);
    EXPECT_EQ(resample(world_, options), exit_code::done);
    expect_function<float>(other, cubic, 4000.0);
  }
}

TEST_F(Resample, KeepsTheDimensionOfAPlane) {
  Grid grid = grid_of({1, 9, 6});
  Function const linear = [](double, double y, double z) { return 1.0 + y * z; };
  Grid other = grid;
  other.points = {1, 5, 11};
  other.spacing = {grid.spacing[0], 2.0 * grid.spacing[1], 0.5 * grid.spacing[2]};
  ResampleOptions options = this->options();
  options.points = other.points;
  write<double>(options.files.input, grid, linear);
  EXPECT_EQ(resample(world_, options), exit_code::done);
  expect_function<double>(other, linear, 200.0);
}

TEST_F(Resample, UsesTheGridOfAnotherFile) {
  Grid const grid = grid_of({13, 9, 6});
  Grid inside = grid;
  inside.points = {4, 11, 5};
  inside.lower = {-0.9, 1.0, 2.2};
  inside.spacing = {0.3, 0.21, 0.1};
  Function const function = [](double x, double y, double z) { return x * y + z; };
  ResampleOptions options = this->options();
  options.like = directory_ / "u_000002.vtkhdf";
  write<double>(options.files.input, grid, function);
  write<float>(*options.like, inside, function);

  EXPECT_EQ(resample(world_, options), exit_code::done);

  expect_function<double>(inside, function, 200.0);
}

TEST_F(Resample, ShiftsPeriodicFieldsAroundTheirAxes) {
  Grid grid = grid_of({16, 12, 1});
  grid.periodic = {true, true, false};
  auto const wave = [](double x, double y) {
    return std::sin(0.5 * std::numbers::pi * x) + std::cos(std::numbers::pi * y / 3.0);
  };
  ResampleOptions options = this->options();
  options.motion.shift = {5.0 * 0.25, -3.0 * 0.5, 0.0};  // integer numbers of spacings
  write<double>(options.files.input, grid, [&](double x, double y, double) { return wave(x, y); });

  EXPECT_EQ(resample(world_, options), exit_code::done);

  expect_function<double>(
      grid, [&](double x, double y, double) { return wave(x - 1.25, y + 1.5); }, 20.0);
}

TEST_F(Resample, RotatesAFieldFromTheXToTheYAxis) {
  Grid grid = grid_of({11, 11, 1});
  grid.spacing = {0.5, 0.5, 1.0};
  grid.lower = {-2.5, -2.5, 0.0};
  ResampleOptions options = this->options();
  options.motion.rotation_deg = 90.0;
  write<double>(options.files.input, grid, [](double x, double y, double) { return x + 10.0 * y; });

  EXPECT_EQ(resample(world_, options), exit_code::done);

  // The positive x axis becomes the positive y axis.
  expect_function<double>(
      grid, [](double x, double y, double) { return y - 10.0 * x; }, 400.0);
}

TEST_F(Resample, MatchesSplinesWithEveryKindOfEdge) {
  for (EdgeMode const edge_mode :
       {EdgeMode::wrap, EdgeMode::clamp, EdgeMode::mirror, EdgeMode::zero}) {
    expect_splines<double>(grid_of({13, 9, 6}), {0.4, -2.3, 1.7}, 0.0, edge_mode);
    expect_splines<float>(grid_of({13, 9, 6}), {0.0, 0.0, 0.5}, 30.0, edge_mode);
    expect_splines<double>(grid_of({7, 70, 1}), {-0.7, 0.25, 0.0}, -50.0, edge_mode);
    expect_splines<double>(grid_of({5, 2, 3}), {-6.2, 3.3, 0.8}, 20.0, edge_mode);
    expect_splines<float>(grid_of({2, 5, 1}), {33.5, 0.0, 0.0}, 0.0, edge_mode);
  }
}

TEST_F(Resample, ReproducesConstantsAndCubicPolynomials) {
  Grid const grid = grid_of({81, 77, 1});
  ResampleOptions options = this->options();
  options.curve = Curve::spline;
  options.motion.shift = {0.3 * grid.spacing[0], 0.0, 0.0};
  Function const constant = [](double, double, double) { return 3.7; };
  write<double>(options.files.input, grid, constant);
  EXPECT_EQ(resample(world_, options), exit_code::done);
  expect_function<double>(grid, constant, 20.0);

  auto const cubic = [](double x, double y, double) { return x * x * x + x * y * y - y; };
  write<double>(options.files.input, grid, cubic);
  EXPECT_EQ(resample(world_, options), exit_code::done);
  auto const found = made_on<double>(grid);
  double worst = 0.0;  // far from the ends
  for (std::int64_t j = 30; j < 77 - 30; ++j) {
    for (std::int64_t i = 30; i < 81 - 30; ++i) {
      double const expected =
          cubic(grid.coordinate(0, i) - options.motion.shift[0], grid.coordinate(1, j), 0.0);
      double const value = found[static_cast<std::size_t>(j * 81 + i)];
      worst = std::max(worst, std::abs(value - expected) / std::max(1.0, std::abs(expected)));
    }
  }
  EXPECT_LE(worst, 1e-12);
}

TEST_F(Resample, RefusesInvalidGrids) {
  Grid const grid = grid_of({9, 8, 1});
  Function const zero = [](double, double, double) { return 0.0; };
  ResampleOptions options = this->options();
  write<double>(options.files.input, grid, zero);
  write<double>(directory_ / "u_000003.vtkhdf", grid_of({5, 5, 5}), zero);
  auto const said = [&](auto const& change) {
    ResampleOptions changed = options;
    change(changed);
    return message_of<InputError>([&] { resample(world_, changed); });
  };
  EXPECT_NE(said([](auto& o) { o.points = Extent3{1, 5, 1}; }), "");
  EXPECT_NE(said([&](auto& o) { o.like = directory_ / "u_000003.vtkhdf"; }).find("3D"),
            std::string::npos);
  EXPECT_NE(said([&](auto& o) { o.like = directory_ / "none.vtkhdf"; }), "");
  EXPECT_NE(said([](auto& o) { o.points = Extent3{5, 5, 2}; }).find("is 2D"), std::string::npos);
  EXPECT_NE(said([&](auto& o) {
              o.files.input = directory_ / "u_000003.vtkhdf";
              o.points = Extent3{5, 5, 1};
            }).find("is 3D"),
            std::string::npos);
  EXPECT_NE(said([](auto& o) {
              o.motion.shift = {1.0, 2.0, 3.0};
            }).find("--shift: "),
            std::string::npos);
  EXPECT_NE(said([](auto& o) { o.motion.rotation_deg = std::nan(""); }).find("--rotate"),
            std::string::npos);
  EXPECT_NE(said([](auto& o) { o.motion.shift[1] = 1e308; }).find("--shift"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(options.files.output));
  for (EdgeMode const edge_mode :
       {EdgeMode::wrap, EdgeMode::mirror, EdgeMode::clamp, EdgeMode::zero}) {
    EXPECT_EQ(said([&](auto& o) {
                o.motion.shift = {1e200, -1e17, 0.0};  // larger than the precision of places
                o.edge_mode = edge_mode;
              }),
              "");
  }
}

}  // namespace
}  // namespace isotherm::test
