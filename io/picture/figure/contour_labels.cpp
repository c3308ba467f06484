#include "io/picture/figure/contour_labels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace isotherm::figure {
namespace {

constexpr double padding = 4.0;           // between a number and the ends of its line
constexpr double distance_apart = 320.0;  // of the numbers on a line
constexpr int max_labels = 3;             // on a line
constexpr double shortest_line = 2.5;     // relative to the width of the number

double distance(Paper::Place a, Paper::Place b) { return std::hypot(b.x - a.x, b.y - a.y); }

Paper::Place between(Paper::Place a, Paper::Place b, double share) {
  return {std::lerp(a.x, b.x, share), std::lerp(a.y, b.y, share)};
}

/// A line by the distance along it. A closed line begins again after its length.
class Track {
 public:
  explicit Track(DrawnLine const& line) : places_(line.places), closed_(line.closed) {
    if (closed_) places_.push_back(places_.front());
    distances_.push_back(0.0);
    for (std::size_t i = 1; i < places_.size(); ++i) {
      distances_.push_back(distances_.back() + distance(places_[i - 1], places_[i]));
    }
  }
  [[nodiscard]] double length() const { return distances_.back(); }
  [[nodiscard]] bool closed() const { return closed_; }
  [[nodiscard]] Paper::Place at(double along) const {
    along = wrapped(along);
    auto const above = std::ranges::upper_bound(distances_, along);
    if (above == distances_.end()) return places_.back();
    auto const i = static_cast<std::size_t>(above - distances_.begin());
    double const step = distances_[i] - distances_[i - 1];
    return between(places_[i - 1], places_[i], (along - distances_[i - 1]) / step);
  }
  /// The distance along the line between two of its places; the shorter way around a closed one.
  [[nodiscard]] double apart(double a, double b) const {
    double const direct = std::abs(a - b);
    return closed_ ? std::min(direct, length() - direct) : direct;
  }
  /// The places of a part of the line.
  [[nodiscard]] std::vector<Paper::Place> part(double from, double to) const {
    std::vector<Paper::Place> places{at(from)};
    for (int const turn : {0, 1}) {
      for (std::size_t i = 0; i < places_.size(); ++i) {
        double const along = distances_[i] + turn * length();
        if (along > from && along < to) places.push_back(places_[i]);
      }
    }
    places.push_back(at(to));
    return places;
  }

 private:
  [[nodiscard]] double wrapped(double along) const {
    if (!closed_) return std::clamp(along, 0.0, length());
    double const rest = std::fmod(along, length());
    return rest < 0.0 ? rest + length() : rest;
  }

  std::vector<Paper::Place> places_;
  bool closed_;
  std::vector<double> distances_{};
};

/// The lines and numbers in small squares of an area.
class Occupancy {
 public:
  explicit Occupancy(LabelArea const& area)
      : area_(area),
        columns_(1 + static_cast<int>(area.width / square)),
        rows_(1 + static_cast<int>(area.height / square)),
        squares_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_)) {}

  static constexpr double square = 3.0;

  void add(int line, Track const& track) {
    for (double along = 0.0; along <= track.length(); along += 0.5 * square) {
      if (Square* const found = at(track.at(along))) {
        found->line = found->line == none || found->line == line ? line : several;
        found->along = along;
      }
    }
  }
  /// Marks a number, which no other one may touch.
  void block(Paper::Place place) {
    if (Square* const found = at(place)) found->line = several;
  }
  /// True if a place is inside the area, and no line but the own one passes it.
  /// @param reach  distance from `along` in which the own line may pass
  [[nodiscard]] bool is_free(Paper::Place place, int line, Track const& track, double along,
                             double reach) const {
    Square const* const found = at(place);
    if (found == nullptr) return false;
    if (found->line == none) return true;
    return found->line == line && track.apart(found->along, along) <= reach;
  }

 private:
  static constexpr int none = -1;
  static constexpr int several = -2;
  struct Square {
    int line = none;
    double along = 0.0;
  };
  [[nodiscard]] Square const* at(Paper::Place place) const {
    double const x = (place.x - area_.left) / square;
    double const y = (place.y - area_.top) / square;
    if (!(x >= 0.0 && y >= 0.0 && x < columns_ && y < rows_)) return nullptr;
    return &squares_[static_cast<std::size_t>(y) * static_cast<std::size_t>(columns_) +
                     static_cast<std::size_t>(x)];
  }
  Square* at(Paper::Place place) {
    return const_cast<Square*>(std::as_const(*this).at(place));  // NOLINT: the same lookup
  }

  LabelArea area_;
  int columns_, rows_;
  std::vector<Square> squares_;
};

/// A place for a number on a line.
struct Spot {
  double along;
  Paper::Place middle;
  double right, down;  ///< unit vector along the text
};

/// Calls visit(place) for places that cover a number and its margin.
template <class Visit>
void for_each_place(Spot const& spot, double half, double height, Visit const& visit) {
  constexpr double step = 0.8 * Occupancy::square;
  for (double along = -half; along <= half; along += step) {
    for (double across = -0.5 * height; across <= 0.5 * height; across += step) {
      visit(Paper::Place{spot.middle.x + along * spot.right - across * spot.down,
                         spot.middle.y + along * spot.down + across * spot.right});
    }
  }
}

/// Returns the place of a number, if the line is nearly straight there.
std::optional<Spot> straight_spot(Track const& track, double along, double half, double height) {
  constexpr double straight = 0.96;   // chord over length
  constexpr double deviation = 0.25;  // of the line from the chord, relative to the height
  constexpr int checks = 6;
  if (!track.closed() && (along < half || along + half > track.length())) return std::nullopt;
  Paper::Place const from = track.at(along - half);
  Paper::Place const to = track.at(along + half);
  double const chord = distance(from, to);
  if (chord < straight * 2.0 * half) return std::nullopt;
  double right = (to.x - from.x) / chord;
  double down = (to.y - from.y) / chord;
  double sum = 0.0;
  for (int i = 0; i <= checks; ++i) {
    Paper::Place const place = track.at(along + half * (2.0 * i / checks - 1.0));
    double const off = (place.y - from.y) * right - (place.x - from.x) * down;
    if (std::abs(off) > deviation * height) return std::nullopt;
    sum += off;
  }
  double const mean = sum / (checks + 1);
  Paper::Place const middle{0.5 * (from.x + to.x) - mean * down,
                            0.5 * (from.y + to.y) + mean * right};
  // Texts are read from the left, or upwards.
  constexpr double level = 1e-6;
  if (right < -level || (std::abs(right) <= level && down > 0.0)) {
    right = -right;
    down = -down;
  }
  return Spot{along, middle, right, down};
}

/// The search for places on one line.
class Search {
 public:
  Search(Occupancy& occupancy, Track const& track, int line, double width, double height)
      : occupancy_(occupancy),
        track_(track),
        line_(line),
        half_(0.5 * width + padding),
        height_(height) {}

  /// Returns the free place nearest to a distance along the line, if there is one in reach.
  [[nodiscard]] std::optional<Spot> near(double target, double reach) const {
    constexpr double step = 6.0;
    for (double off = 0.0; off <= reach; off += step) {
      for (double const side : {1.0, -1.0}) {
        auto const spot = straight_spot(track_, target + side * off, half_, height_);
        if (spot && is_free(*spot)) return spot;
      }
    }
    return std::nullopt;
  }
  void take(Spot const& spot) {
    for_each_place(spot, half_, height_ + 2.0 * padding,
                   [&](Paper::Place place) { occupancy_.block(place); });
  }

 private:
  [[nodiscard]] bool is_free(Spot const& spot) const {
    bool free = true;
    for_each_place(spot, half_, height_ + padding, [&](Paper::Place place) {
      free = free && occupancy_.is_free(place, line_, track_, spot.along, half_ + 2.0 * padding);
    });
    return free;
  }

  Occupancy& occupancy_;
  Track const& track_;
  int line_;
  double half_, height_;
};

/// Appends the parts of a line between its numbers.
void append_parts(std::vector<DrawnLine>& parts, DrawnLine const& line, Track const& track,
                  std::vector<double> along, double half) {
  if (along.empty()) {
    parts.push_back(line);
    return;
  }
  std::ranges::sort(along);
  double from = along.front() + half;
  if (!line.closed) parts.push_back({track.part(0.0, along.front() - half), false, line.level});
  for (std::size_t i = 1; i < along.size(); ++i) {
    parts.push_back({track.part(from, along[i] - half), false, line.level});
    from = along[i] + half;
  }
  double const end = line.closed ? along.front() - half + track.length() : track.length();
  parts.push_back({track.part(from, end), false, line.level});
}

}  // namespace

bool LineLabel::covers(Paper::Place place, double height, double distance) const {
  double const right = std::cos(angle), down = std::sin(angle);
  double const x = place.x - middle.x, y = place.y - middle.y;
  return std::abs(x * right + y * down) <= 0.5 * width + distance &&
         std::abs(y * right - x * down) <= 0.5 * height + distance;
}

LabelledLines labelled(std::vector<DrawnLine> const& lines, std::vector<double> const& widths,
                       double height, LabelArea const& area) {
  std::vector<Track> tracks(lines.begin(), lines.end());
  Occupancy occupancy(area);
  for (std::size_t i = 0; i < lines.size(); ++i) occupancy.add(static_cast<int>(i), tracks[i]);
  LabelledLines result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Track const& track = tracks[i];
    double const width = widths[lines[i].level];
    std::vector<double> taken;
    if (track.length() >= shortest_line * width) {
      Search search(occupancy, track, static_cast<int>(i), width, height);
      int const count =
          std::clamp(static_cast<int>(track.length() / distance_apart), 1, max_labels);
      double const share = track.length() / count;
      for (int n = 0; n < count; ++n) {
        // A distance of a fifth remains to the numbers of the neighbouring shares.
        auto const spot = search.near((n + 0.5) * share, 0.4 * share);
        if (!spot) continue;
        search.take(*spot);
        taken.push_back(spot->along);
        result.labels.push_back(
            {spot->middle, std::atan2(spot->down, spot->right), width, lines[i].level});
      }
    }
    append_parts(result.lines, lines[i], track, taken, 0.5 * width + padding);
  }
  return result;
}

}  // namespace isotherm::figure
