#include <gtest/gtest.h>

#include <cstdlib>

#include "io/picture/figure/figure.hpp"
#include "io/picture/paper.hpp"
#include "tests/io/picture/whole_views.hpp"

// Pictures on a host without a configuration of Fontconfig.

namespace isotherm::test {
namespace {

/// Simulates a host without a configuration file of Fontconfig. Fontconfig reads it once, when the
/// first text is drawn, so this test is a program of its own.
class NoConfiguration : public testing::Environment {
 public:
  void SetUp() override { setenv("FONTCONFIG_FILE", "/nonexistent/fonts.conf", 1); }
};
testing::Environment* const no_configuration =
    testing::AddGlobalTestEnvironment(new NoConfiguration);

TEST(PictureWithoutFontconfig, UsesSystemFontsWithoutAMessage) {
  testing::internal::CaptureStderr();

  bool const has_font = Paper(PictureFormat::png, 1, 1).has_font();
  Grid const grid{2, {3, 3, 1}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};
  SliceSamples const samples{3, 3, {0, 1, 2, 3, 4, 5, 6, 7, 8}};
  std::string const picture =
      drawn_figure(whole_views(grid, {samples}), {0.0, 8.0}, {"room", "u", PictureFormat::png, 0});

  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(has_font);
  EXPECT_TRUE(picture.starts_with("\x89PNG"));
}

}  // namespace
}  // namespace isotherm::test
