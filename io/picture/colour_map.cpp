#include "io/picture/colour_map.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "io/picture/colour_tables.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

constexpr Colour not_a_number_colour{118, 150, 124};  // grey-green
constexpr std::string_view reversed_ending = "_r";

/// A row of the table of colour maps.
struct Entry {
  std::string_view name;
  std::span<Colour const> nodes;
  Colour below, above;  ///< outside of the range
};

// Warm maps run from dark blue or black to light yellow: blue and green are not in them.
constexpr Colour sky{75, 165, 225}, green{50, 165, 85};
constexpr Colour pink{225, 130, 190}, orange{225, 95, 45};  // not in viridis
constexpr Colour navy{10, 15, 75}, maroon{70, 0, 15};       // beyond both ends of coolwarm
constexpr std::array entries{Entry{default_colour_map, colour_tables::isotherm, sky, green},
                             Entry{"viridis", colour_tables::viridis, pink, orange},
                             Entry{"magma", colour_tables::magma, sky, green},
                             Entry{"inferno", colour_tables::inferno, sky, green},
                             Entry{"plasma", colour_tables::plasma, sky, green},
                             Entry{"coolwarm", colour_tables::coolwarm, navy, maroon},
                             Entry{"gray", colour_tables::grey, sky, orange}};

/// The row of a map without "_r"; null if there is none.
Entry const* entry_of(std::string_view name) {
  auto const* const found = std::ranges::find(entries, name, &Entry::name);
  return found == entries.end() ? nullptr : &*found;
}

/// Removes "_r" from the end of a name.
std::string_view without_ending(std::string_view name) {
  if (name.ends_with(reversed_ending)) name.remove_suffix(reversed_ending.size());
  return name;
}

/// Interpolates linearly between the two nearest nodes. @pre 0 <= value <= 1
Colour interpolated(std::span<Colour const> nodes, double value) {
  double const place = value * static_cast<double>(nodes.size() - 1);
  // The value 1 belongs to the last interval.
  std::size_t const below = std::min(static_cast<std::size_t>(place), nodes.size() - 2);
  double const part = place - static_cast<double>(below);
  Colour colour{};
  for (std::size_t channel = 0; channel < colour.size(); ++channel) {
    double const from = nodes[below][channel];
    double const mixed = from + part * (nodes[below + 1][channel] - from);
    colour[channel] = static_cast<std::uint8_t>(std::floor(mixed + 0.5));
  }
  return colour;
}

}  // namespace

ColourMap::ColourMap(std::string_view name) : reversed_(name.ends_with(reversed_ending)) {
  Entry const* const entry = entry_of(without_ending(name));
  if (entry == nullptr) {
    throw InputError("the colour map \"" + std::string(name.substr(0, 40)) +
                     "\" is not known (known are " + known_colour_maps() + ")");
  }
  nodes_ = entry->nodes;
  below_ = reversed_ ? entry->above : entry->below;
  above_ = reversed_ ? entry->below : entry->above;
}

Colour ColourMap::operator()(double value) const {
  constexpr double tolerance = 1e-6;
  if (std::isnan(value)) return not_a_number();
  if (value < -tolerance) return below();
  if (value > 1.0 + tolerance) return above();
  double const place = std::clamp(value, 0.0, 1.0);
  return interpolated(nodes_, reversed_ ? 1.0 - place : place);
}

Colour ColourMap::below() const { return below_; }
Colour ColourMap::above() const { return above_; }
Colour ColourMap::not_a_number() { return not_a_number_colour; }

std::vector<std::string> colour_map_names() {
  std::vector<std::string> names;
  std::ranges::transform(entries, std::back_inserter(names),
                         [](Entry const& entry) { return std::string(entry.name); });
  return names;
}

bool is_colour_map(std::string_view name) { return entry_of(without_ending(name)) != nullptr; }

std::string known_colour_maps() {
  std::string line;
  for (std::string const& name : colour_map_names()) line += (line.empty() ? "" : ", ") + name;
  return line + "; with _r at the end reversed";
}

Colour colour_of(double value) {
  static ColourMap const map;
  return map(std::clamp(value, 0.0, 1.0));
}

double luminance(Colour colour) {
  constexpr std::array weights{0.2126, 0.7152, 0.0722};
  double sum = 0.0;
  for (std::size_t channel = 0; channel < colour.size(); ++channel) {
    double const c = colour[channel] / 255.0;
    sum += weights[channel] * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}

}  // namespace isotherm
