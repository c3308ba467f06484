#include "io/picture/plot/plot_canvas.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>

#include "io/files/xml_text.hpp"
#include "io/picture/figure/labels.hpp"

namespace isotherm {
namespace {

constexpr Colour ink{38, 38, 46};
constexpr Colour grid_lines{222, 222, 226};
/// The colours of series, which differ in lightness, too.
constexpr std::array<Colour, 8> series_colours{{{31, 111, 180},
                                                {217, 115, 13},
                                                {42, 143, 77},
                                                {132, 85, 184},
                                                {194, 59, 59},
                                                {127, 90, 60},
                                                {210, 98, 160},
                                                {95, 107, 118}}};

/// Returns the colour of a tone on white paper. The lightest colours of the map are left out.
Colour colour_of_tone(Tone tone) {
  constexpr double darkest_part = 0.85;
  switch (tone.role) {
    case Tone::Role::ink:
      return ink;
    case Tone::Role::grid:
      return grid_lines;
    case Tone::Role::series:
      break;
  }
  return tone.share >= 0.0 ? colour_of(darkest_part * tone.share)
                           : series_colours[tone.index % series_colours.size()];
}

/// Returns the length of the dashes of a tone; 0: a solid line. Series that share a colour have
/// different dashes.
double dash_of(Tone tone) {
  constexpr std::array dashes{0.0, 8.0, 3.0};
  if (tone.role != Tone::Role::series || tone.share >= 0.0) return 0.0;
  return dashes.at(tone.index / series_colours.size() % dashes.size());
}

/// Returns the class of a tone in the stylesheet of a page.
std::string class_of(Tone tone) {
  switch (tone.role) {
    case Tone::Role::ink:
      return "ink";
    case Tone::Role::grid:
      return "grid";
    case Tone::Role::series:
      break;
  }
  return fmt::format("c{}", tone.index % series_colours.size());
}

}  // namespace

double estimated_width(std::string const& line, double font_size) {
  constexpr double widths_a_size = 0.62;  // of letters of DejaVu Sans, on average
  std::size_t letters = 0;
  for (char const c : line) {
    // Bytes that continue a character of UTF-8 begin with the bits 10.
    letters += (static_cast<unsigned char>(c) & 0xc0U) == 0x80U ? 0U : 1U;
  }
  return static_cast<double>(letters) * widths_a_size * font_size;
}

PaperCanvas::PaperCanvas(PictureFormat format, int width, int height, double font_size,
                         double pixels)
    : paper_(format, width, height, pixels), font_size_(font_size) {}

void PaperCanvas::line(std::vector<Paper::Place> const& places, double thickness, Tone tone) {
  paper_.line(places, Paper::Ends::open, thickness, colour_of_tone(tone), dash_of(tone));
}

/// A small square with a thick outline, whose corners are round.
void PaperCanvas::dot(Paper::Place place, Tone tone) {
  constexpr double half = 0.9;
  paper_.line({{place.x - half, place.y - half},
               {place.x + half, place.y - half},
               {place.x + half, place.y + half},
               {place.x - half, place.y + half}},
              Paper::Ends::closed, 3.6, colour_of_tone(tone));
}

void PaperCanvas::fill(int left, int top, int width, int height, Tone tone) {
  paper_.fill(left, top, width, height, colour_of_tone(tone));
}

void PaperCanvas::text(Paper::Place place, std::string const& line, Tone tone, Paper::Align align) {
  paper_.text(place, line, {font_size_}, colour_of_tone(tone), align);
}

void InlineCanvas::line(std::vector<Paper::Place> const& places, double thickness, Tone tone) {
  double const dash = dash_of(tone);
  std::string const dashes = dash > 0.0 ? fmt::format(R"( stroke-dasharray="{:g}")", dash) : "";
  elements_ += fmt::format(R"(<polyline class="{}" stroke-width="{:g}"{} points=")", class_of(tone),
                           thickness, dashes);
  for (Paper::Place const place : places)
    elements_ += fmt::format("{:.1f},{:.1f} ", place.x, place.y);
  elements_.pop_back();
  elements_ += "\"/>\n";
}

void InlineCanvas::dot(Paper::Place place, Tone tone) {
  elements_ += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"/>\n",
                           class_of(tone), place.x, place.y);
}

void InlineCanvas::fill(int left, int top, int width, int height, Tone tone) {
  elements_ += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                           class_of(tone), left, top, width, height);
}

void InlineCanvas::text(Paper::Place place, std::string const& line, Tone tone,
                        Paper::Align align) {
  char const* const anchor = align == Paper::Align::left     ? "start"
                             : align == Paper::Align::centre ? "middle"
                                                             : "end";
  elements_ += fmt::format(
      "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" dy=\"0.35em\">{}</text>\n",
      class_of(tone), place.x, place.y, anchor, xml_text(drawable(line)));
}

std::string InlineCanvas::finish(std::string const& title) const {
  return fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
      width_, height_, xml_text(drawable(title)), elements_);
}

}  // namespace isotherm
