#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

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
  auto const views = views_of(grid, slices, grid.box(), std::vector<SliceSamples>(3));
  figure::Layout const layout = figure::arranged(paper, views, {0, 1}, {});
  ASSERT_EQ(layout.panels.size(), 3U);
  EXPECT_EQ(layout.panels[0].view->normal_place, 27.0);  // plane (x, y)
  EXPECT_EQ(layout.panels[1].view->normal_place, 11.0);  // plane (x, z)
  EXPECT_EQ(layout.panels[2].view->normal_place, 1.5);
}

TEST(Slices, ShowTheWholeOfAProjectedField) {
  Grid grid = make_grid(3, {5, 9, 11}, {0, 10, 20}, {2, 14, 30}, {});
  EXPECT_EQ(slices_of(grid, {}).size(), 3U);
  grid.points[0] = 1;  // as after `isotherm project --axis x`
  auto const slices = slices_of(grid, {});
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(slices[0].normal, 0);
  EXPECT_EQ(slices[0].index, 0);
}

/// The share of the picture that panels and colour bar fill.
double filled(figure::Layout const& layout) {
  double area = layout.bar.width * layout.bar.height;
  for (figure::Panel const& panel : layout.panels) area += panel.width * panel.height;
  return area / (layout.width * layout.height);
}

std::vector<std::string> labels_of(std::vector<Tick> const& ticks) {
  std::vector<std::string> labels;
  for (Tick const& tick : ticks) labels.push_back(tick.label);
  return labels;
}

/// Returns the layout of a 2D field with these lengths.
figure::Layout layout_of(double length, double height, figure::FigureTexts const& texts,
                         std::vector<View>& views, Range values = {0, 1}) {
  Grid const grid = make_grid(2, {11, 11, 1}, {}, {length, height, 0}, {});
  views = views_of(grid, slices_of(grid, {}), grid.box(), std::vector<SliceSamples>(1));
  return figure::arranged(Paper(PictureFormat::png, 1, 1), views, values, texts);
}

TEST(FigureLayout, StatesCoordinatesInTheUnitOfLength) {
  std::vector<View> views;
  figure::FigureTexts texts;
  texts.length = LengthUnit{"mm", 1000.0};
  figure::Layout const layout = layout_of(0.02, 0.01, texts, views);
  EXPECT_EQ(labels_of(layout.panels[0].right_ticks),
            (std::vector<std::string>{"0", "5", "10", "15", "20"}));
  EXPECT_EQ(layout.panels[0].up_ticks.back().label, "10");
  // The shape is that of the grid.
  EXPECT_EQ(layout.panels[0].width, 2 * layout.panels[0].height);
}

TEST(FigureLayout, ShortAxesHaveTwoTicksIfTheyFit) {
  std::vector<View> views;
  // 12 : 1, with a panel that is 100 points high: one tick for each 55, but none at 0.05 alone.
  figure::Layout const layout = layout_of(1.2, 0.09, {}, views);
  EXPECT_GE(layout.panels[0].up_ticks.size(), 2U);
}

TEST(FigureLayout, AxesOfThinSlicesHaveTwoTicks) {
  std::vector<View> views;
  auto const is_scale = [](std::vector<Tick> const& ticks) { return ticks.size() == 2U; };
  // 2 mm, drawn as 24 points; 0 lies in the middle of the second domain.
  EXPECT_TRUE(is_scale(layout_of(2.0, 0.002, {}, views).panels[0].up_ticks));
  EXPECT_TRUE(is_scale(layout_of(0.002, 2.0, {}, views).panels[0].right_ticks));
  // 0 and 2 would be too near to each other.
  EXPECT_TRUE(is_scale(layout_of(0.003, 2.0, {}, views).panels[0].right_ticks));
  Grid const grid = make_grid(2, {11, 11, 1}, {-0.01, 0, 0}, {0.01, 2, 0}, {});
  views = views_of(grid, slices_of(grid, {}), grid.box(), std::vector<SliceSamples>(1));
  figure::Layout const layout =
      figure::arranged(Paper(PictureFormat::png, 1, 1), views, {0, 1}, {});
  EXPECT_EQ(labels_of(layout.panels[0].right_ticks), (std::vector<std::string>{"-0.01", "0.01"}));
}

TEST(FigureLayout, LabelsOfNarrowSlicesDoNotTouch) {
  Paper const paper(PictureFormat::png, 1, 1);
  Grid const grid = make_grid(2, {11, 11, 1}, {1000.0, 0, 0}, {1000.002, 2, 0}, {});
  auto const views = views_of(grid, slices_of(grid, {}), grid.box(), std::vector<SliceSamples>(1));
  figure::Layout const layout = figure::arranged(paper, views, {0, 1}, {});
  figure::Panel const& panel = layout.panels[0];
  ASSERT_EQ(labels_of(panel.right_ticks), (std::vector<std::string>{"1000.000", "1000.002"}));
  double const width = paper.width_of("1000.000", figure::label_font);
  double const first = figure::place_on(panel.right, 1000.0, panel.width) - panel.label_shift;
  double const last = figure::place_on(panel.right, 1000.002, panel.width) + panel.label_shift;
  EXPECT_GE(last - first, width + figure::label_distance);
  // Both lie within the picture.
  EXPECT_GE(panel.left + first, 0.5 * width);
  EXPECT_LE(panel.left + last + 0.5 * width, layout.width);
}

TEST(FigureLayout, CaptionsOfNarrowSlicesHaveRoom) {
  Paper const paper(PictureFormat::png, 1, 1);
  Grid const grid = make_grid(3, {3, 5, 200}, {0, 0, 0}, {0.01, 0.02, 1.0}, {});
  auto const slices = slices_of(grid, {});
  auto const views = views_of(grid, slices, grid.box(), std::vector<SliceSamples>(3));
  figure::FigureTexts texts;
  texts.length = LengthUnit{"mm", 1000.0};
  figure::Layout const layout = figure::arranged(paper, views, {0, 1}, texts);
  for (figure::Panel const& panel : layout.panels) {
    EXPECT_GT(panel.caption.width, panel.width);
    // The caption begins at the panel, right of the name of the upward axis.
    double const end = panel.left + panel.caption.width;
    EXPECT_LE(end, layout.bar.left);
    for (figure::Panel const& other : layout.panels) {
      bool const is_right = other.left > panel.left;
      EXPECT_TRUE(!is_right || end <= other.left) << "it would cover another panel";
    }
  }
}

TEST(FigureLayout, TicksOfTheColourBarAreLevelsOfContours) {
  for (int const wanted : {3, 5, 8, 12, 20, 40, 100}) {
    std::vector<View> views;
    figure::FigureTexts texts;
    texts.contours = wanted;
    Range const values{17.3, 93.8};
    figure::Layout const layout = layout_of(1, 1, texts, views, values);
    auto const levels = labels_of(levels_between(values.lower, values.upper, wanted));
    auto const ticks = labels_of(layout.bar.ticks);
    auto const are_among = [](auto const& some, auto const& all) {
      return std::ranges::all_of(some, [&](std::string const& one) {
        return std::ranges::any_of(
            all, [&](std::string const& other) { return std::stod(one) == std::stod(other); });
      });
    };
    EXPECT_GE(ticks.size(), 2U) << wanted;
    EXPECT_LE(ticks.size(), 14U) << wanted;
    EXPECT_TRUE(are_among(ticks, levels) || are_among(levels, ticks)) << wanted;
  }
}

TEST(LengthUnits, AreExact) {
  EXPECT_EQ(length_unit_of("mm", {}), (LengthUnit{"mm", 1e3}));
  EXPECT_EQ(length_unit_of("um", {}), (LengthUnit{"µm", 1e6}));
  EXPECT_EQ(length_unit_of("mm", 1.0), (LengthUnit{"mm", 1.0}));
  EXPECT_EQ(length_unit_of("in", {})->scale * 25.4, 1000.0);
  EXPECT_EQ(length_unit_of("furlong", {}), std::nullopt);
  EXPECT_EQ(length_unit_of("furlong", 2.0)->scale, 2.0);
}

TEST(Arrows, HaveOneDistanceInAllViews) {
  std::vector<View> views(2);
  views[0].right_length = views[0].up_length = 1.6;
  views[1].right_length = 0.8;
  views[1].up_length = 0.01;
  EXPECT_DOUBLE_EQ(arrow_pitch(views), 0.1);  // 16 along the square, not 32 along the thin view
  EXPECT_DOUBLE_EQ(arrow_distance(views), 0.1);
  views[0].right_length = 1.64;  // 16 arrows of 0.1025, upwards of 0.1
  EXPECT_NEAR(arrow_distance(views), 0.1, 0.0125);
}

TEST(FigureLayout, FollowsThinBodies) {
  figure::FigureTexts const texts{
      "heat through a plate, t = 10", "", "u", "", "", "", false, {}, {}};
  std::vector<View> views;

  figure::Layout const plate = layout_of(10, 1, texts, views);
  EXPECT_FALSE(plate.bar.upright);
  EXPECT_EQ(plate.panels[0].width, 10 * plate.panels[0].height);
  EXPECT_GT(plate.bar.top, plate.panels[0].top + plate.panels[0].height);
  EXPECT_GT(filled(plate), 0.33);

  figure::Layout const bar = layout_of(1, 20, texts, views);
  EXPECT_TRUE(bar.bar.upright);
  EXPECT_EQ(bar.panels[0].height, 20 * bar.panels[0].width);
  EXPECT_GT(bar.bar.left, bar.panels[0].left + bar.panels[0].width);
  // The title is wider than the body, which stands in the middle.
  EXPECT_LT(bar.width, 420);
  EXPECT_GT(bar.panels[0].left, 70);

  figure::Layout const square = layout_of(1, 1, texts, views);
  EXPECT_EQ(square.panels[0].width, 720);
  EXPECT_EQ(square.panels[0].height, 720);
  for (figure::Layout const* const layout : {&plate, &bar, &square}) {
    EXPECT_EQ(layout->width % 2 + layout->height % 2, 0) << "films need even numbers";
  }
}

}  // namespace
}  // namespace isotherm::test
