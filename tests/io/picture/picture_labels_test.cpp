#include <gtest/gtest.h>

#include "io/picture/figure/figure_layout.hpp"
#include "io/picture/figure/labels.hpp"

// Texts in pictures: characters, numbers and captions.

namespace isotherm::test {
namespace {

TEST(Labels, ReplaceUndrawableCharacters) {
  EXPECT_EQ(drawable("Größe, Δt = 1 µs"), "Größe, Δt = 1 µs");
  EXPECT_EQ(drawable("a\tb\x1b[1m\xff\xc3"), "a\ufffdb\ufffd[1m\ufffd\ufffd");
  EXPECT_EQ(drawable(""), "");
  EXPECT_EQ(in_ascii("Größe"), "Gr??e");
}

TEST(Labels, ShortenByWholeCharacters) {
  EXPECT_EQ(shortened("äöü", 3), "äöü");
  EXPECT_EQ(shortened("äöü", 2), "äö…");
}

TEST(Labels, TypesetNumbersWithPowersOfTen) {
  EXPECT_EQ(typeset_number("0.25"), "0.25");
  EXPECT_EQ(typeset_number("-3"), "−3");
  EXPECT_EQ(typeset_number("-1.5e-07"), "−1.5×10⁻⁷");
  EXPECT_EQ(typeset_number("1.0e+06"), "1.0×10⁶");
  EXPECT_EQ(typeset_number("2e+300"), "2×10³⁰⁰");
  EXPECT_EQ(typeset_number("2e-10"), "2×10⁻¹⁰");
  EXPECT_EQ(typeset_number("1e+00"), "1×10⁰");
  EXPECT_EQ(typeset_number("nan"), "nan");
}

TEST(Labels, NameThePositionOfEachSlice) {
  Grid const grid = make_grid(3, {5, 9, 11}, {0, 10, 20}, {2, 14, 30}, {});
  Paper const paper(PictureFormat::png, 1, 1);
  auto const slices = slices_of(grid, {1.5, 11.0, 27.0});
  figure::Layout const layout = figure::arranged(paper, grid, slices, {0, 1}, "", "");
  ASSERT_EQ(layout.panels.size(), 3U);
  EXPECT_EQ(layout.panels[0].caption_value, "27");  // plane (x, y)
  EXPECT_EQ(layout.panels[1].caption_value, "11");  // plane (x, z)
  EXPECT_EQ(layout.panels[2].caption_value, "1.5");
}

}  // namespace
}  // namespace isotherm::test
