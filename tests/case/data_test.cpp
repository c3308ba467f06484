#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include "case/case.hpp"
#include "case/data/data_points.hpp"
#include "kernels/core/error.hpp"
#include "tests/case/case_texts.hpp"
#include "tests/io/value_files.hpp"
#include "tests/support/data_file.hpp"

// References to datasets in a case, and their refusals.

namespace isotherm::test {
namespace {

/// Cases with values in a file "data.h5" in the same folder.
class DataOfACase : public testing::Test {
 protected:
  std::filesystem::path directory_ = testing::TempDir() + "case_data_" + std::to_string(getpid());

  void SetUp() override {
    std::filesystem::create_directory(directory_);
    DataFile file(directory_ / "data.h5");
    file.add("/source", {11, 10, 9}, std::vector<double>(990, 1.0));
    file.add("/turned", {9, 10, 11}, std::vector<double>(990, 1.0));
    file.add("/face", {11, 10}, std::vector<double>(110, 1.0));
    hdf5::Datatype const text(hdf5::check(H5Tcopy(H5T_C_S1)));
    file.add("/text", {11, 10, 9}, std::vector<double>(), text.get());
    file.add_group("/layers");
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  /// Returns the message that refuses the 3D case with these keys, without its folder; "accepted"
  /// if there is none.
  [[nodiscard]] std::string refusal(std::string const& key, std::string const& value,
                                    std::vector<std::string> more = {}) const {
    more.push_back(key + '=' + value);
    std::string said = "accepted";
    try {
      (void)parse_case(with(laplace_case, "\"laplace\"", "\"poisson\""),
                       (directory_ / "case.toml").string(), more);
    } catch (InputError const& error) {
      said = error.what();
    }
    std::string const folder = directory_.string() + '/';
    for (auto at = said.find(folder); at != std::string::npos; at = said.find(folder)) {
      said.erase(at, folder.size());
    }
    return said;
  }
  [[nodiscard]] std::string refusal_of_source(std::string const& table) const {
    std::string const said = refusal("equation.source", table);
    std::string const start = "--set equation.source=" + table + ": ";
    EXPECT_TRUE(said == "accepted" || said.starts_with(start)) << said;
    return said.substr(std::min(said.size(), said == "accepted" ? 0 : start.size()));
  }
};

TEST_F(DataOfACase, ReplacesFunctionsEverywhere) {
  std::string const volume = R"({ file = "data.h5", dataset = "source" })";
  std::string const face = R"({ file = "data.h5", dataset = "/face" })";
  EXPECT_EQ(refusal_of_source(volume), "accepted");
  EXPECT_EQ(refusal("initial.value", volume), "accepted");
  EXPECT_EQ(refusal("equation.conductivity", volume), "accepted");
  EXPECT_EQ(refusal("equation.conductivity", "[1, " + volume + ", 'x+1']"), "accepted");
  EXPECT_EQ(refusal("boundary.x_lower", "{ type = \"dirichlet\", value = " + face + " }"),
            "accepted");
  EXPECT_EQ(refusal("boundary.x", "{ type = \"robin\", coefficient = " + face + ", value = 1 }"),
            "accepted");
}

TEST_F(DataOfACase, RequiresFileAndDataset) {
  EXPECT_EQ(refusal_of_source(R"({ file = "data.h5" })"),
            "[equation.source] dataset is missing (needs the name of a dataset in the file, as in "
            "source = { file "
            "= \"data.h5\", dataset = \"/source\" })");
  EXPECT_EQ(refusal_of_source(R"({ dataset = "u" })"),
            "[equation.source] file is missing (needs a file with values, as in source = { file = "
            "\"data.h5\", dataset = \"/source\" })");
  EXPECT_EQ(refusal_of_source(R"({ fil = "data.h5", dataset = "u" })"),
            "[equation.source] fil is not a key (did you mean file?)");
  EXPECT_EQ(refusal_of_source(R"({ file = "data.h5", dataset = "u", value = 1 })"),
            "[equation.source] value is not a key (valid keys are file, dataset, above, below, "
            "stretch, table, enthalpy)");
  EXPECT_EQ(
      refusal_of_source(R"({ file = "data.h5", dataset = 3 })"),
      "[equation.source] dataset is 3 (needs a string in quotes, as in dataset = \"/source\")");
  EXPECT_EQ(refusal_of_source("true"),
            "[equation] source is true (needs a number, an expression in quotes, or { file, "
            "dataset }, as in source = \"sin(pi*x)\")");
  EXPECT_NE(refusal("constants.a", R"({ file = "data.h5", dataset = "u" })"), "accepted");
}

TEST_F(DataOfACase, MissingDataAreRefused) {
  EXPECT_EQ(refusal_of_source(R"({ file = "absent.h5", dataset = "u" })"),
            "[equation] source: absent.h5: no such file");
  EXPECT_EQ(refusal_of_source(R"({ file = ".", dataset = "u" })"),
            "[equation] source: . is not a file");
  EXPECT_EQ(refusal_of_source(R"({ file = "data.h5", dataset = "sorce" })"),
            "[equation] source: data.h5, dataset \"sorce\": there is no such dataset in the file "
            "(did you mean \"source\"?)");
  EXPECT_EQ(refusal_of_source(R"({ file = "data.h5", dataset = "/q" })"),
            "[equation] source: data.h5, dataset \"/q\": there is no such dataset in the file (it "
            "contains face, layers, source, text, turned)");
  EXPECT_EQ(refusal_of_source(R"({ file = "data.h5", dataset = "/layers" })"),
            "[equation] source: data.h5, dataset \"/layers\": this is a group (needs a dataset)");
}

TEST_F(DataOfACase, RequiresShapeAndTypeOfAField) {
  EXPECT_EQ(refusal_of_source(R"({ file = "data.h5", dataset = "turned" })"),
            "[equation] source: data.h5, dataset \"turned\": its shape is (9, 10, 11), the grid's "
            "is (11, 10, 9) (z, y, x)");
  EXPECT_EQ(refusal_of_source(R"({ file = "data.h5", dataset = "face" })"),
            "[equation] source: data.h5, dataset \"face\": its shape is (11, 10), the grid's is "
            "(11, 10, 9) (z, y, x)");
  EXPECT_EQ(refusal_of_source(R"({ file = "data.h5", dataset = "text" })"),
            "[equation] source: data.h5, dataset \"text\": its values are not real numbers");
  std::string const of_all = refusal(
      "boundary.all", R"({ type = "dirichlet", value = { file = "data.h5", dataset = "face" } })");
  EXPECT_TRUE(of_all.ends_with(
      "[boundary.all] value: data.h5, dataset \"face\": its shape is (11, 10), the face y_lower's "
      "is (11, 9) (z, x)"))
      << of_all;
  std::string const material =
      R"([{ where = { file = "data.h5", dataset = "face" }, conductivity = 2 }])";
  EXPECT_EQ(refusal("material", material),
            "--set material=" + material +
                ": [material] where: data.h5, dataset \"face\": its shape is (11, 10), the grid's "
                "is (11, 10, 9) (z, y, x)");
}

TEST_F(DataOfACase, RefusalNamesTheAxisOfAList) {
  std::string const list = R"([1, { file = "data.h5", dataset = "turned" }, 1])";
  EXPECT_EQ(
      refusal("equation.conductivity", list),
      "--set equation.conductivity=" + list +
          ": [equation] conductivity on the y axis: data.h5, dataset \"turned\": its shape is "
          "(9, 10, 11), the grid's is (11, 10, 9) (z, y, x)");
}

TEST_F(DataOfACase, EndingsOfNamesDetermineFormats) {
  written(directory_ / "q.npy", npy("<f4", "(11, 10, 9)", std::string(990 * 4, '\0')));
  written(directory_ / "face.png", png(10, 11, std::string(110, 'a')));
  EXPECT_EQ(refusal_of_source(R"({ file = "q.npy" })"), "accepted");
  EXPECT_EQ(refusal_of_source(R"({ file = "q.npy", below = 1 })"), "accepted");
  EXPECT_EQ(refusal("boundary.x_lower",
                    R"({ type = "dirichlet", value = { file = "face.png", above = 0.5 } })"),
            "accepted");
  EXPECT_EQ(refusal_of_source(R"({ file = "q.npy", dataset = "q" })"),
            "[equation] source: q.npy contains one array without a name (omit dataset)");
  EXPECT_EQ(refusal_of_source(R"({ file = "q.npy", stretch = true })"),
            "[equation] source: q.npy is not a picture (omit stretch)");
  EXPECT_EQ(refusal_of_source(R"({ file = "part.stl" })"),
            "[equation] source: part.stl: a surface selects a region (write stl = { file = "
            "\"part.stl\" } instead of where)");
}

TEST_F(DataOfACase, SuggestsFileOrTableForTheNameOfAFile) {
  EXPECT_EQ(
      refusal_of_source("power.npy"),
      "[equation] source: \"power.npy\" is the name of a file (write { file = \"power.npy\" })");
  EXPECT_EQ(refusal_of_source("data.h5"),
            "[equation] source: \"data.h5\" is the name of a file (write { file = \"data.h5\", "
            "dataset = \"NAME\" })");
  std::string const table = refusal("equation.conductivity", "T.csv");
  EXPECT_NE(table.find("(write { file = \"T.csv\" } for values at points, or { table = \"T.csv\" } "
                       "for a function of u)"),
            std::string::npos)
      << table;
  std::string const picture =
      refusal("boundary.x_lower", R"({ type = "dirichlet", value = "photo.PNG" })");
  EXPECT_NE(picture.find(R"("photo.PNG" is the name of a file (write { file = "photo.PNG" }))"),
            std::string::npos)
      << picture;
  EXPECT_NE(refusal_of_source("powr(x, 2)").find("did you mean pow?"), std::string::npos);
}

TEST_F(DataOfACase, SurfacesSelectRegions) {
  written(directory_ / "part.stl", stl(box_triangles({200, 200, 200}, {700, 700, 600})));
  auto const said = [&](std::string const& table, std::vector<std::string> more = {}) {
    std::string const value = "[{ stl = " + table + ", value = 2 }]";
    std::string text = refusal("fixed", value, std::move(more));
    std::string const start = "--set fixed=" + value + ": ";
    return text.starts_with(start) ? text.substr(start.size()) : text;
  };
  EXPECT_EQ(said(R"({ file = "part.stl", scale = 0.001 })"), "accepted");
  EXPECT_EQ(said(R"({ file = "part.stl" })"),
            "[fixed] stl contains none of the grid's points (the surface has x from 200 to 700, y "
            "from 200 to 700, z from 200 to 600; scale = 0.001 converts millimetres)");
  EXPECT_EQ(said(R"({ file = "none.stl" })"), "[fixed.stl] file: none.stl: no such file");
  EXPECT_EQ(said(R"({ file = "part.stl", scale = -1 })"),
            "[fixed.stl] scale is -1 (needs a number above 0)");
  EXPECT_EQ(said("{ scale = 1 }"),
            "[fixed.stl] file is missing (needs an STL file, as in stl = { file = \"part.stl\" })");
}

/// The stable time step needs the conductivity, which is invalid at one point between those that
/// are sampled first.
TEST(StableTimeStep, RefusalNamesTheKeyOfAnInvalidConductivity) {
  std::string const text = with(diffusion_case, "diffusivity = 1.0",
                                "conductivity = \"abs(x - 0.3) < 0.01 && abs(y - 0.4) < 0.01 ? 0 : "
                                "1\"");
  try {
    (void)parse_case(text, "case.toml", {"!method.time_step", "grid.points=[50, 50]"});
    FAIL() << "accepted";
  } catch (InputError const& error) {
    std::string const said = error.what();
    EXPECT_TRUE(said.starts_with("case.toml:6: [equation] conductivity = ")) << said;
    EXPECT_NE(said.find("the conductivity is 0 at x = 0.3"), std::string::npos) << said;
  }
}

/// The same for the conductivity of the only material that has one.
TEST(StableTimeStep, RefusalNamesTheMaterialOfAnInvalidConductivity) {
  std::string const materials =
      "[[material]]\nwhere = 'x > 0.9'\ncapacity = 2\n[[material]]\nwhere = 'x > 0.2'\n"
      "conductivity = 'abs(x - 0.3) < 0.01 && abs(y - 0.4) < 0.01 ? 0 : 1'\n";
  std::string const text = with(diffusion_case, "diffusivity = 1.0", "") + '\n' + materials;
  try {
    (void)parse_case(text, "case.toml", {"!method.time_step", "grid.points=[50, 50]"});
    FAIL() << "accepted";
  } catch (InputError const& error) {
    EXPECT_NE(std::string(error.what()).find(": [material] conductivity = "), std::string::npos)
        << error.what();
  }
}

TEST(DataPoints, WrapOnPeriodicAxesOnly) {
  DataPoints const points(make_grid(2, {8, 5, 1}, {0, 0, 0}, {8, 4, 0}, {true, false, false}), {});
  EXPECT_EQ(points.nearest(3.1, 1.9, 0.0), (Index3{3, 2, 0}));
  EXPECT_EQ(points.nearest(8.0, 4.9, 0.0), (Index3{0, 4, 0}));
  EXPECT_EQ(points.nearest(-1.0, -0.9, 0.0), (Index3{7, 0, 0}));
  EXPECT_EQ(points.nearest(17.0, 2.0, 0.0), (Index3{1, 2, 0}));
}

TEST(DataPoints, PointsOfAFaceLieOnTheFace) {
  Grid const grid = make_grid(3, {8, 5, 4}, {0, 0, 0}, {7, 4, 3}, {});
  EXPECT_EQ(DataPoints(grid, Face{1, true}).on_grid({2, 3, 0}), (Index3{2, 4, 3}));
  EXPECT_EQ(DataPoints(grid, Face{1, false}).on_grid({2, 3, 0}), (Index3{2, 0, 3}));
  EXPECT_EQ(DataPoints(grid, {}).on_grid({2, 3, 1}), (Index3{2, 3, 1}));
}

}  // namespace
}  // namespace isotherm::test
