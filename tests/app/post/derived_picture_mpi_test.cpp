#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/post/fields/combine.hpp"
#include "app/post/fields/project.hpp"
#include "app/post/fields/resample.hpp"
#include "app/post/fields/smooth.hpp"
#include "app/post/pictures/stored_field.hpp"
#include "case/basics/exit_code.hpp"
#include "io/snapshot/snapshot.hpp"
#include "tests/io/support.hpp"
#include "tests/support/functions.hpp"

// What pictures of derived fields show of the case: only what still holds.

namespace isotherm::test {
using namespace app;
namespace {

constexpr std::string_view case_text = R"toml(title = "warming"
[grid]
points = [9, 5]
upper  = [2.0, 1.0]
[equation]
type         = "diffusion"
conductivity = 1.0
[[material]]
conductivity = 5.0
box          = { lower = [0.4, 0.2], upper = [1.1, 0.8] }
[[insulated]]
box = { lower = [1.4, 0.0], upper = [1.8, 0.6] }
[boundary]
all     = { type = "neumann", value = 0.0 }
x_lower = { type = "dirichlet", value = 1.0 }
[[source]]
at    = [0.5, 0.5]
power = 1.0
[method]
name      = "backward_euler"
time_step = 0.01
steps     = 8
[output]
label         = "Temperature, °C"
picture_range = [0.0, 1.0]
arrows        = true
time_unit     = "s"
)toml";

class DerivedPicture : public testing::Test {
 protected:
  DerivedPicture() {
    SnapshotInfo info;
    info.grid = subdomain_.grid();
    info.time_s = 0.08;
    info.case_text = std::string(case_text);
    info.state = "{\"iteration\": 8}";
    info.version = "0.1.0";
    write_snapshot<double>(world_, file("run"), info, subdomain_,
                           values_of<double>(subdomain_).data(), {}, {});
    world_.barrier();
  }

  [[nodiscard]] std::filesystem::path file(std::string const& name) const {
    return directory_.path() / (name + ".vtkhdf");
  }
  [[nodiscard]] FieldFiles files(std::string const& from, std::string const& to) const {
    return {file(from), file(to)};
  }

  void move(std::string const& from, std::string const& to) {
    ResampleOptions options;
    options.files = files(from, to);
    options.device = DeviceChoice::cpu;
    options.motion.shift[0] = 0.5;
    ASSERT_EQ(resample(world_, options), exit_code::done);
  }
  void refine(std::string const& from, std::string const& to) {
    ResampleOptions options;
    options.files = files(from, to);
    options.device = DeviceChoice::cpu;
    options.points = Extent3{21, 11, 1};  // spacing 0.1
    ASSERT_EQ(resample(world_, options), exit_code::done);
  }

  /// The number of the material at a place that is a point of the field.
  static int material_at(StoredField const& field, double x, double y) {
    Grid const& grid = field.info().grid;
    return field.options().material({static_cast<std::int64_t>(x / grid.spacing[0] + 0.5),
                                     static_cast<std::int64_t>(y / grid.spacing[1] + 0.5), 0});
  }

  /// The number of excluded points of all ranks.
  std::int64_t excluded_points(StoredField const& field) {
    std::int64_t count = 0;
    std::int64_t const own = field.subdomain().owned().point_count();
    for (std::int64_t i = 0; i < own && !field.excluded().empty(); ++i) {
      count += field.excluded()[static_cast<std::size_t>(i)] ? 1 : 0;
    }
    return world_.sum(count);
  }

  mpi::Communicator world_{MPI_COMM_WORLD};
  SharedDirectory directory_{world_};
  Grid grid_ = make_grid(2, {9, 5, 1}, {}, {2.0, 1.0, 0.0}, {});
  Subdomain subdomain_{grid_, choose_decomposition(grid_, world_.size()), world_.rank()};
};

TEST_F(DerivedPicture, MovedFieldsHaveNoMaterialsOfTheCase) {
  StoredField const before(world_, file("run"));
  ASSERT_TRUE(before.options().material);
  EXPECT_EQ(before.options().look.marks.size(), 1U);
  EXPECT_EQ(excluded_points(before), 3 * 2);  // x = 1.5, 1.75; y = 0, 0.25, 0.5
  EXPECT_EQ(before.title(), "warming, t = 0.08 s");

  move("run", "moved");
  StoredField const moved(world_, file("moved"));
  EXPECT_FALSE(moved.options().material);
  EXPECT_FALSE(moved.options().material_at);
  EXPECT_FALSE(moved.options().conductivity);
  EXPECT_TRUE(moved.options().look.marks.empty());
  EXPECT_EQ(excluded_points(moved), 0);
  // The values are still those of u.
  EXPECT_EQ(moved.options().look.label, "Temperature, °C");
  EXPECT_EQ(moved.title(), "warming (moved), t = 0.08 s");

  // What was moved remains so, whatever follows.
  refine("moved", "refined");
  EXPECT_FALSE(StoredField(world_, file("refined")).options().material);
}

TEST_F(DerivedPicture, RefinedFieldsShowTheSurfacesOfTheCase) {
  refine("run", "refined");
  StoredField const refined(world_, file("refined"));
  ASSERT_TRUE(refined.options().material);
  EXPECT_EQ(material_at(refined, 0.3, 0.5), 0);
  EXPECT_EQ(material_at(refined, 0.5, 0.5), 1);
  EXPECT_EQ(material_at(refined, 1.0, 0.7), 1);
  EXPECT_EQ(material_at(refined, 1.2, 0.5), 0);
  EXPECT_EQ(refined.options().material_at({0.45, 0.25, 0.0}), 1);
  EXPECT_EQ(excluded_points(refined), 5 * 7);  // x = 1.4 … 1.8; y = 0 … 0.6
  EXPECT_EQ(refined.options().look.marks.size(), 1U);
  EXPECT_EQ(refined.title(), "warming, t = 0.08 s");
}

TEST_F(DerivedPicture, CombinedFieldsHaveTheirOwnLabelAndRange) {
  CombineOptions options{files("run", "difference"), file("run"), "a - b"};
  ASSERT_EQ(combine(world_, options), exit_code::done);
  StoredField const difference(world_, file("difference"));
  EXPECT_TRUE(difference.options().material);
  EXPECT_EQ(excluded_points(difference), 3 * 2);
  EXPECT_EQ(difference.options().look.label, "a - b");
  EXPECT_FALSE(difference.options().look.values);
  EXPECT_FALSE(difference.options().look.arrows);
  EXPECT_FALSE(difference.options().conductivity) << "its gradient is no heat flux of the case";
  EXPECT_EQ(difference.title(), "warming (combined), t = 0.08 s");
}

TEST_F(DerivedPicture, ProjectedFieldsHaveNoMaterials) {
  ProjectOptions options;
  options.device = DeviceChoice::cpu;
  options.axis = 1;
  options.files = files("run", "integral");
  ASSERT_EQ(project(world_, options), exit_code::done);
  StoredField const integral(world_, file("integral"));
  // Its points are points of the case, at y = 0, but its values are those of whole lines.
  EXPECT_FALSE(integral.options().material);
  EXPECT_EQ(excluded_points(integral), 0);
  EXPECT_EQ(integral.options().look.label, "integral of u along y");

  options.projection = Projection::maximum;
  options.running = true;
  options.files = files("run", "running");
  ASSERT_EQ(project(world_, options), exit_code::done);
  StoredField const running(world_, file("running"));
  EXPECT_TRUE(running.options().material);
  EXPECT_EQ(running.options().look.label, "Temperature, °C");
}

constexpr std::string_view cell_case = R"toml(title = "cell"
[grid]
points = [64, 16]
[equation]
type = "laplace"
[boundary]
x = { type = "periodic", gradient = 2.0 }
y = { type = "periodic" }
)toml";

TEST_F(DerivedPicture, CombinedFieldsKeepTheirMeanGradient) {
  Grid const grid = make_grid(2, {64, 16, 1}, {}, {1.0, 1.0, 0.0}, {true, true, false});
  Subdomain const part(grid, choose_decomposition(grid, world_.size()), world_.rank());
  std::vector<double> const line = values_on<double>(
      grid, part.owned_global(), [](double x, double, double) { return 2.0 * x; });
  SnapshotInfo info;
  info.grid = grid;
  info.case_text = std::string(cell_case);
  info.state = "{\"iteration\": 1}";
  info.version = "0.1.0";
  write_snapshot<double>(world_, file("cell"), info, part, line.data(), {}, {});
  world_.barrier();
  // Smoothing changes no field that is linear up to its jump at the ends: 2x, 4x, or 0.
  for (auto const& [expression, factor] :
       {std::pair<char const*, double>{"a + b", 2.0}, {"a - b", 0.0}, {"3*a - 2*b + 1 - 1", 1.0}}) {
    CombineOptions combined{files("cell", "combined"), file("cell"), expression};
    combined.files.overwrite = true;
    ASSERT_EQ(combine(world_, combined), exit_code::done);
    SmoothOptions smoothed;
    smoothed.files = files("combined", "smooth");
    smoothed.files.overwrite = true;
    smoothed.width = 0.05;
    smoothed.device = DeviceChoice::cpu;
    ASSERT_EQ(smooth(world_, smoothed), exit_code::done);
    std::vector<double> found(line.size());
    read_snapshot(world_, file("smooth"), part, found.data());
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(found[i], factor * line[i], 1e-12) << expression;
    }
    world_.barrier();
  }
}

TEST_F(DerivedPicture, DamagedDerivationsAreIgnored) {
  for (std::string const state : {"", "[]", "{\"derived\": 3}", "{\"derived\": {\"by\": []}}"}) {
    Derivation const found = derivation_of(state);
    EXPECT_TRUE(found.same_places && found.same_quantity && found.by.empty()) << state;
  }
}

}  // namespace
}  // namespace isotherm::test
