#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "io/picture/figure/figure.hpp"
#include "io/picture/paper.hpp"
#include "tests/io/picture/whole_views.hpp"

// Pictures on a host without fonts.

namespace isotherm::test {
namespace {

/// Simulates a host without fonts. Fontconfig reads its settings once, when the first text is
/// drawn, so this test is a program of its own.
class NoFonts : public testing::Environment {
 public:
  void SetUp() override {
    file_ = testing::TempDir() + "isotherm_no_fonts.conf";
    std::ofstream(file_) << "<?xml version=\"1.0\"?><fontconfig></fontconfig>\n";
    setenv("FONTCONFIG_FILE", file_.c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove(file_); }

 private:
  std::string file_;
};
testing::Environment* const no_fonts = testing::AddGlobalTestEnvironment(new NoFonts);

std::string drawn(PictureFormat format, std::string const& title) {
  Grid const grid{2, {3, 3, 1}, {0, 0, 0}, {1e-9, 1e9, 1.0}, {}};
  SliceSamples const samples{3, 3, {0, 1, 2, 3, 4, 5, 6, 7, 8}};
  return drawn_figure(whole_views(grid, {samples}), {0.0, 8.0}, {title, "u", format, 0});
}

TEST(PictureWithoutFonts, UsesTheBuiltInFontOfCairo) {
  Paper const paper(PictureFormat::png, 1, 1);

  ASSERT_FALSE(paper.has_font());
  EXPECT_GT(paper.width_of("MMM", {20.0}), 2 * paper.width_of("M", {20.0}));
  EXPECT_GT(paper.width_of("MMM", {20.0}), 10.0);
  EXPECT_NE(drawn(PictureFormat::png, "room"), drawn(PictureFormat::png, "hall"));
  EXPECT_EQ(drawn(PictureFormat::png, "Größe"), drawn(PictureFormat::png, "Gr??e"));
}

TEST(PictureWithoutFonts, IsDrawnInEveryFormat) {
  EXPECT_TRUE(drawn(PictureFormat::pdf, "Größe").starts_with("%PDF-"));
  EXPECT_NE(drawn(PictureFormat::svg, "Größe").find("<title>Größe</title>"), std::string::npos);
}

}  // namespace
}  // namespace isotherm::test
