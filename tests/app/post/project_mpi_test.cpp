#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/post/fields/project.hpp"
#include "case/basics/exit_code.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/field_command.hpp"

// The command `project`: integrals, sums and extremes along an axis.

namespace isotherm::test {
using namespace app;
namespace {

constexpr double scale = 1e-4;  // of the values, keeps exp() of them small

class Project : public FieldCommandTest {
 protected:
  [[nodiscard]] ProjectOptions options(int axis) const {
    ProjectOptions options;
    options.files = files_;
    options.axis = axis;
    options.device = device_;
    return options;
  }

  template <class Real>
  void write(Grid const& grid) {
    write_field<Real>(files_.input, grid,
                      [](Subdomain const& part) { return values_of<Real>(part, scale); });
  }

  /// Compares the written projection with plain loops over the field's values.
  template <class Real, class Line>
  void expect_projected(Grid const& grid, ProjectOptions const& options, Line const& make) {
    write<Real>(grid);
    ASSERT_EQ(project(world_, options), exit_code::done);

    SnapshotInfo const info = read_snapshot_info(options.files.output);
    EXPECT_EQ(info.grid.dimension, options.axis == 2 ? 2 : grid.dimension);
    EXPECT_EQ(info.grid.points[options.axis], 1);
    EXPECT_FALSE(info.can_resume);
    auto const found = made_on<Real>(info.grid);
    std::size_t next = 0;
    Extent3 const n = info.grid.points;
    for (std::int64_t k = 0; k < n.z; ++k) {
      for (std::int64_t j = 0; j < n.y; ++j) {
        for (std::int64_t i = 0; i < n.x; ++i) {
          double const expected = make(line_through<Real>(grid, {i, j, k}, options.axis));
          EXPECT_NEAR(static_cast<double>(found[next++]), expected,
                      40.0 * std::numeric_limits<Real>::epsilon() * std::abs(expected));
        }
      }
    }
  }

  struct Point {
    double u;
    std::array<double, 3> at;
  };
  template <class Real>
  std::vector<Point> line_through(Grid const& grid, Index3 p, int axis) {
    std::vector<Point> line;
    for (p[axis] = 0; p[axis] < grid.points[axis]; ++p[axis]) {
      auto const u = static_cast<double>(static_cast<Real>(scale) * value_at<Real>(p));
      line.push_back(
          {u, {grid.coordinate(0, p.x), grid.coordinate(1, p.y), grid.coordinate(2, p.z)}});
    }
    return line;
  }
};

TEST_F(Project, IntegratesExpressionsByTheTrapezoidalRule) {
  Grid const grid = grid_of({17, 13, 9});
  for (int const axis : {0, 1, 2}) {
    ProjectOptions options = this->options(axis);
    options.of = "exp(u) + x*y*z";
    auto const integral = [&](auto const& line) {
      double sum = 0.0;
      for (std::size_t m = 0; m < line.size(); ++m) {
        auto const& [u, at] = line[m];
        bool const end = m == 0 || m + 1 == line.size();
        // Values are rounded to the field's precision before summation.
        sum += (end ? 0.5 : 1.0) * (std::exp(u) + at[0] * at[1] * at[2]);
      }
      return grid.spacing[axis] * sum;
    };
    expect_projected<double>(grid, options, integral);
    expect_projected<float>(grid, options, integral);
  }
}

TEST_F(Project, PeriodicAxisHasNoHalfWeights) {
  Grid grid = grid_of({8, 10, 1});
  grid.periodic = {false, true, false};
  ProjectOptions options = this->options(1);
  options.projection = Projection::mean;
  expect_projected<double>(grid, options, [](auto const& line) {
    double sum = 0.0;
    for (auto const& point : line) sum += point.u;
    return sum / static_cast<double>(line.size());
  });
}

TEST_F(Project, GradedAxisWeighsPointsByTheirGaps) {
  std::vector<double> const along{2.0, 2.125, 2.25, 3.0, 5.0, 5.5, 8.0};
  for (int const axis : {0, 2}) {
    Grid const grid = with_coordinates(grid_of({9, 8, 7}), axis, along);
    ProjectOptions options = this->options(axis);
    auto const integral = [&](auto const& line) {
      double sum = 0.0;
      for (std::size_t m = 1; m < line.size(); ++m) {
        sum += 0.5 * (line[m - 1].u + line[m].u) * (along[m] - along[m - 1]);
      }
      return sum;
    };
    expect_projected<double>(grid, options, integral);
    expect_projected<float>(grid, options, integral);
    EXPECT_FALSE(read_snapshot_info(options.files.output).grid.is_graded(axis));
    options.projection = Projection::mean;
    expect_projected<double>(grid, options, [&](auto const& line) { return integral(line) / 6.0; });
    options.projection = Projection::sum;
    expect_projected<double>(grid, options, [](auto const& line) {
      double sum = 0.0;
      for (auto const& point : line) sum += point.u;
      return sum;
    });
  }
}

/// u = r² on 0 ≤ r ≤ 2. The weights of the points add up to the area or volume.
TEST_F(Project, RadialMeansAreThoseOfAreasAndVolumes) {
  for (Geometry const geometry : {Geometry::axisymmetric, Geometry::spherical}) {
    std::vector<double> along;
    for (int i = 0; i <= 10; ++i) along.push_back(0.2 * i);
    Grid grid = with_coordinates(make_grid(2, {11, 3, 1}, {0, 0, 0}, {2.0, 1.0, 0}, {}), 0, along);
    grid.geometry = geometry;
    bool const is_sphere = geometry == Geometry::spherical;
    int const power = is_sphere ? 3 : 2;  // areas grow as r², volumes as r³
    double sum = 0.0, running_sum = 0.0;
    for (int i = 0; i <= 10; ++i) {
      double const r = 0.2 * i;
      double const outer = std::pow(std::min(r + 0.1, 2.0), power);
      sum += r * r * (outer - std::pow(std::max(r - 0.1, 0.0), power));
      if (i == 0) continue;
      double const before = r - 0.2;
      running_sum +=
          0.5 * (r * r + before * before) * (std::pow(r, power) - std::pow(before, power));
    }
    double const whole = std::pow(2.0, power);
    double const exact = is_sphere ? 2.4 : 2.0;
    EXPECT_NEAR(sum / whole, exact, 0.02);
    FieldCommandTest::write<double>(files_.input, grid,
                                    [](double x, double, double) { return x * x; });
    ProjectOptions options = this->options(0);
    options.projection = Projection::mean;
    ASSERT_EQ(project(world_, options), exit_code::done);
    SnapshotInfo info = read_snapshot_info(options.files.output);
    EXPECT_NEAR(made_on<double>(info.grid).front(), sum / whole, 1e-13);
    options.projection = Projection::integral;
    ASSERT_EQ(project(world_, options), exit_code::done);
    double const unit = is_sphere ? 4.0 / 3.0 * std::numbers::pi : std::numbers::pi;
    EXPECT_NEAR(made_on<double>(info.grid).front(), unit * sum, 1e-12);
    options.running = true;
    options.projection = Projection::mean;
    ASSERT_EQ(project(world_, options), exit_code::done);
    info = read_snapshot_info(options.files.output);
    EXPECT_NEAR(made_on<double>(info.grid).at(10), running_sum / whole, 1e-13);
    if (!is_sphere) {
      EXPECT_NEAR(running_sum / whole, 2.0, 1e-13);
    }
  }
}

TEST_F(Project, ComputesSumsAndExtremes) {
  Grid const grid = grid_of({9, 8, 7});
  ProjectOptions options = this->options(2);
  options.projection = Projection::sum;
  expect_projected<float>(grid, options, [](auto const& line) {
    double sum = 0.0;
    for (auto const& point : line) sum += point.u;
    return sum;
  });
  options.projection = Projection::maximum;
  expect_projected<double>(grid, options, [](auto const& line) {
    return std::ranges::max_element(line, {}, [](auto const& p) { return p.u; })->u;
  });
  options.projection = Projection::minimum;
  expect_projected<double>(grid, options, [](auto const& line) {
    return std::ranges::min_element(line, {}, [](auto const& p) { return p.u; })->u;
  });
}

TEST_F(Project, RunningIntegralsKeepAllPoints) {
  std::vector<double> const along{2.0, 2.125, 2.25, 3.0, 5.0, 5.5, 8.0};
  Grid periodic = grid_of({8, 10, 7});
  periodic.periodic = {false, true, false};
  Grid const graded = with_coordinates(grid_of({9, 8, 7}), 2, along);
  for (Grid const& grid : {periodic, graded}) {
    for (int const axis : {0, 1, 2}) {
      ProjectOptions options = this->options(axis);
      options.running = true;
      write<double>(grid);
      ASSERT_EQ(project(world_, options), exit_code::done);
      ASSERT_EQ(read_snapshot_info(options.files.output).grid, grid);
      auto const found = made_on<double>(grid);
      std::size_t next = 0;
      Extent3 const n = grid.points;
      for (std::int64_t k = 0; k < n.z; ++k) {
        for (std::int64_t j = 0; j < n.y; ++j) {
          for (std::int64_t i = 0; i < n.x; ++i) {
            Index3 const p{i, j, k};
            auto const line = line_through<double>(grid, p, axis);
            double expected = 0.0;
            for (std::int64_t m = 1; m <= p[axis]; ++m) {
              auto const& before = line[static_cast<std::size_t>(m) - 1];
              auto const& here = line[static_cast<std::size_t>(m)];
              expected += 0.5 * (before.u + here.u) * grid.gap(axis, m - 1);
            }
            ASSERT_NEAR(found[next++], expected, 1e-14 * (1.0 + std::abs(expected)));
          }
        }
      }
      expect_same_alone(found, [&](mpi::Communicator const& alone, FieldFiles const& files) {
        ProjectOptions one = options;
        one.files = files;
        project(alone, one);
      });
    }
  }
}

// The last point of each line has the extreme of the whole line.
TEST_F(Project, RunningExtremesEndAtThoseOfTheLine) {
  Grid const grid = grid_of({9, 8, 7});
  write<float>(grid);
  for (Projection const projection : {Projection::maximum, Projection::minimum}) {
    ProjectOptions options = this->options(1);
    options.projection = projection;
    project(world_, options);
    auto const whole = made_on<float>(read_snapshot_info(options.files.output).grid);
    options.running = true;
    project(world_, options);
    auto const running = made_on<float>(grid);
    for (std::int64_t k = 0; k < 7; ++k) {
      for (std::int64_t i = 0; i < 9; ++i) {
        EXPECT_EQ(running[static_cast<std::size_t>((k * 8 + 7) * 9 + i)],
                  whole[static_cast<std::size_t>(k * 9 + i)]);
      }
    }
  }
}

TEST_F(Project, RefusesInvalidAxesAndExpressions) {
  write<double>(grid_of({9, 8, 1}));
  auto const said = [&](auto const& change) {
    ProjectOptions options = this->options(0);
    change(options);
    return message_of<InputError>([&] { project(world_, options); });
  };
  EXPECT_NE(said([](auto& options) { options.axis = 2; }).find("only one point on this axis"),
            std::string::npos);
  EXPECT_NE(said([](auto& options) { options.of = "exp(v)"; }).find("\"v\" is not known"),
            std::string::npos);
  std::string const place = said([](auto& options) { options.of = "1/(x-x)"; });
  EXPECT_NE(place.find("is not finite in float64 at x = "), std::string::npos) << place;
  EXPECT_EQ(place.find("z = "), std::string::npos) << place;
  EXPECT_NE(said([](auto& options) { options.of = "u*z"; }).find("--of \"u*z\": it depends on z"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(options(0).files.output));
}

}  // namespace
}  // namespace isotherm::test
