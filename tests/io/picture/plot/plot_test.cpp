#include "io/picture/plot/plot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io/picture/plot/field_curve.hpp"
#include "io/picture/plot/plot_axis.hpp"

// Plots: ticks, scales, gaps, hostile values and labels.

namespace isotherm::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::string> labels_of(std::vector<Tick> const& ticks) {
  std::vector<std::string> labels;
  for (Tick const& tick : ticks) labels.push_back(typeset_tick(tick.label));
  return labels;
}

std::size_t count_of(std::string const& text, std::string const& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

using Labels = std::vector<std::string>;

TEST(LogarithmicTicks, ArePowersOfTen) {
  EXPECT_EQ(labels_of(logarithmic_ticks(1e-5, 1.0, 7)),
            (Labels{"10⁻⁵", "10⁻⁴", "0.001", "0.01", "0.1", "1"}));
  EXPECT_EQ(labels_of(logarithmic_ticks(1e-12, 1.0, 4)),
            (Labels{"10⁻¹²", "10⁻⁹", "10⁻⁶", "0.001", "1"}));
}

TEST(LogarithmicTicks, HaveFactorsInAShortRange) {
  EXPECT_EQ(labels_of(logarithmic_ticks(0.9, 12.0, 7)), (Labels{"1", "2", "5", "10"}));
  EXPECT_EQ(labels_of(logarithmic_ticks(3e-7, 3e-6, 7)),
            (Labels{"3×10⁻⁷", "5×10⁻⁷", "10⁻⁶", "2×10⁻⁶", "3×10⁻⁶"}));
  EXPECT_EQ(labels_of(logarithmic_ticks(0.218, 4.595, 7)), (Labels{"0.3", "0.5", "1", "2", "4"}));
  EXPECT_EQ(labels_of(logarithmic_ticks(1.0, 90.0, 7)),
            (Labels{"1", "2", "5", "10", "20", "50", "90"}));
  EXPECT_EQ(labels_of(logarithmic_ticks(10.5, 11.5, 7)), (Labels{"10.5", "11.0", "11.5"}));
}

TEST(PlotScale, MapsValuesToPlaces) {
  std::vector<double> const values{1.0, 100.0, nan, -5.0, infinity};
  PlotScale const scale({&values}, {"", true}, 5, false);
  EXPECT_DOUBLE_EQ(*scale.place(10.0), 0.5);
  EXPECT_FALSE(scale.place(0.0));
  EXPECT_FALSE(scale.place(nan));
}

TEST(PlotScale, IsFiniteForAnyValues) {
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr double smallest = std::numeric_limits<double>::denorm_min();
  for (std::vector<double> const& values : {std::vector<double>{},
                                            {0.0},
                                            {7.0, 7.0},
                                            {-largest, largest},
                                            {smallest, largest},
                                            {1.0, 1.0 + 1e-15},
                                            {nan, infinity}}) {
    for (bool const is_logarithmic : {false, true}) {
      PlotScale const scale({&values}, {"", is_logarithmic}, 6, true);
      EXPECT_LE(scale.ticks().size(), 60U);
      for (double const value : values) {
        auto const place = scale.place(value);
        EXPECT_TRUE(!place || (*place >= 0.0 && *place <= 1.0)) << value;
      }
    }
  }
}

TEST(InlinePlot, InterruptsCurvesAtGaps) {
  Plot const plot{"", {"x"}, {"y"}, {{"a", {0, 1, 2, 3, 4, 5}, {1, 2, nan, 3, 4, 5}}}};
  std::string const svg = inline_plot(plot);
  EXPECT_EQ(count_of(svg, "<polyline class=\"c0\""), 2U);
  EXPECT_EQ(count_of(svg, "<circle class=\"c0\""), 5U);
  Plot const logarithmic{"", {"x"}, {"y", true}, {{"a", {0, 1, 2}, {1, -2, 3}}}};
  EXPECT_EQ(count_of(inline_plot(logarithmic), "<polyline class=\"c0\""), 0U);
}

TEST(InlinePlot, DistinguishesCurvesOfOneColourByTheirDashes) {
  Plot plot{"", {"x"}, {"y"}, {}};
  for (int i = 0; i < 12; ++i) plot.curves.push_back({std::to_string(i), {0, 1}, {0.0, i * 1.0}});
  std::string const svg = inline_plot(plot);
  // Each curve has a line and a sample in the legend.
  EXPECT_EQ(count_of(svg, "<polyline class=\"c0\""), 4U);
  EXPECT_EQ(count_of(svg, "stroke-dasharray=\"8\""), 8U);
}

TEST(InlinePlot, EscapesLabels) {
  Plot const plot{"<script>", {"<b>&"}, {"\"y\""}, {{"<i>\x01", {0, 1}, {0, 1}}, {"b", {0}, {1}}}};
  std::string const svg = inline_plot(plot);
  for (char const* const tag : {"<script", "<b>", "<i>", "\x01"}) EXPECT_EQ(count_of(svg, tag), 0U);
  EXPECT_EQ(count_of(svg, "&lt;i&gt;\ufffd"), 1U);
}

TEST(InlinePlot, KeepsExtremaOfLongCurves) {
  PlotCurve curve{"a", {}, {}};
  for (int i = 0; i < 200'000; ++i) {
    curve.x.push_back(i);
    curve.y.push_back(i == 123'456 ? 5.0 : 0.0);
  }
  Plot const plot{"", {"x"}, {"y"}, {curve}};
  std::string const svg = inline_plot(plot);
  EXPECT_LT(svg.size(), 120'000U);
  auto const line = svg.find("<polyline class=\"c0\"");
  ASSERT_NE(line, std::string::npos);
  // The margins are 5 % of the range, so the summit is near the top of the frame.
  std::string const points = svg.substr(line, svg.find("/>", line) - line);
  double highest = 1e9;
  for (auto at = points.find(','); at != std::string::npos; at = points.find(',', at + 1)) {
    highest = std::min(highest, std::stod(points.substr(at + 1)));
  }
  EXPECT_LT(highest, 80.0);
}

TEST(Plots, AreFilesOfTheirFormats) {
  Plot plot{"title", {"time [s]"}, {"u"}, {}};
  for (int i = 0; i < 12; ++i)
    plot.curves.push_back({"curve " + std::to_string(i), {0, 1}, {0.0, i * 1.0}});
  BarChart const chart{
      "bars", "GB/s", {"a", "b"}, {{"one", 3.0, 0}, {"two", nan, 1}, {"three", 0.0, 1}}};
  for (auto const& [format, beginning] : {std::pair{PictureFormat::png, "\x89PNG"},
                                          {PictureFormat::svg, "<?xml"},
                                          {PictureFormat::pdf, "%PDF"}}) {
    EXPECT_TRUE(draw_plot(plot, format).starts_with(beginning));
    EXPECT_TRUE(draw_bars(chart, format).starts_with(beginning));
  }
  EXPECT_EQ(draw_plot(plot, PictureFormat::svg), draw_plot(plot, PictureFormat::svg));
}

TEST(Plots, KnowWhetherTheyHavePoints) {
  Plot plot{"", {"x"}, {"y"}, {{"a", {0, nan}, {nan, 1}}}};
  EXPECT_FALSE(has_points(plot));
  plot.curves[0].y[0] = -1.0;
  EXPECT_TRUE(has_points(plot));
  plot.y.is_logarithmic = true;
  EXPECT_FALSE(has_points(plot));
}

TEST(FieldCurve, HasThePlacesOfTheSamplesAndGapsAtExcludedPoints) {
  Grid const grid = make_grid(2, {4, 1, 1}, {1, 0, 0}, {3, 1, 0}, {false, true});
  SliceSamples samples{4, 1, {5.0, 6.0, 7.0, 8.0}, {0.0, 0.25, 0.5, 1.0}};
  samples.materials = {0, 0, SliceSamples::excluded, 0};
  std::vector<View> const views =
      views_of(grid, slices_of(grid, {}), grid.box(), std::vector<SliceSamples>{samples});
  ASSERT_TRUE(are_lines(views));
  Plot const plot = plot_of_lines(views, {5.0, 9.0}, {"rod", "u", PictureFormat::svg});
  EXPECT_EQ(plot.x.label, "x");
  std::vector<View> radial = views;
  radial[0].geometry = Geometry::spherical;
  EXPECT_EQ(plot_of_lines(radial, {5.0, 9.0}, {"ball", "u"}).x.label, "r");
  ASSERT_EQ(plot.curves.size(), 1U);
  EXPECT_EQ(plot.curves[0].x, (std::vector<double>{1.0, 1.5, 2.0, 3.0}));
  EXPECT_EQ(plot.curves[0].y[1], 6.0);
  EXPECT_TRUE(std::isnan(plot.curves[0].y[2]));
  EXPECT_EQ(plot.y.ends->upper, 9.0);
  EXPECT_NE(drawn_curves(views, {5.0, 9.0}, {"rod", "u", PictureFormat::svg}).find("<svg"),
            std::string::npos);
  samples.rows = 2;
  EXPECT_FALSE(are_lines(
      views_of(grid, slices_of(grid, {}), grid.box(), std::vector<SliceSamples>{samples})));
}

}  // namespace
}  // namespace isotherm::test
