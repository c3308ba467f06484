#include "case/basics/text/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// A parser of integers and single separators. It consumes its text from the beginning, and neither
/// skips blanks nor accepts signs.
class Numbers {
 public:
  explicit Numbers(std::string_view text) : rest_(text) {}

  /// Consumes a number if it has an allowed count of digits. At most 18 digits are allowed, so the
  /// number fits into 64 bits.
  std::optional<std::int64_t> take(std::size_t min_digits, std::size_t max_digits) {
    auto const is_digit = [](char c) { return c >= '0' && c <= '9'; };
    auto const end = std::ranges::find_if_not(rest_, is_digit);
    auto const digits = static_cast<std::size_t>(end - rest_.begin());
    if (digits < min_digits || digits > max_digits) return std::nullopt;
    std::int64_t number = 0;
    for (char const digit : rest_.substr(0, digits)) number = 10 * number + (digit - '0');
    rest_.remove_prefix(digits);
    return number;
  }

  /// Consumes the character if it comes next; returns whether it did.
  bool take(char c) {
    bool const next = rest_.starts_with(c);
    rest_.remove_prefix(next ? 1 : 0);
    return next;
  }

  [[nodiscard]] bool starts_with(char c) const { return rest_.starts_with(c); }
  [[nodiscard]] bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

/// Parses "8x16x4" or "8x16"; returns nothing if the text has another form. Counts have at most 9
/// digits and no leading zero.
std::optional<Extent3> extent_in(std::string_view text) {
  Numbers numbers(text);
  std::array<std::int64_t, 3> points{1, 1, 1};
  std::size_t axes = 0;
  do {
    if (axes == points.size() || numbers.starts_with('0')) return std::nullopt;
    auto const along = numbers.take(1, 9);
    if (!along) return std::nullopt;
    points[axes++] = *along;
  } while (numbers.take('x'));
  if (axes < 2 || !numbers.empty()) return std::nullopt;
  return Extent3{points[0], points[1], points[2]};
}

}  // namespace

std::string format_extent(Extent3 extent, int axes) {
  std::string text = fmt::format("{}", extent.x);
  for (int axis = 1; axis < axes; ++axis) text += fmt::format(" x {}", extent[axis]);
  return text;
}

Extent3 parse_extent(std::string const& text, std::string const& option) {
  auto const extent = extent_in(text);
  if (!extent) {
    throw InputError(option + " " + text +
                     ": give the points per axis, like 512x512x512 or 4096x4096");
  }
  return *extent;
}

std::string format_bytes(double bytes) {
  static constexpr std::array<char const*, 6> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  // From 999.5 on, rounding would give four digits, so the next unit is used. The decimals below
  // are chosen likewise.
  for (; bytes >= 999.5 && unit + 1 < units.size(); ++unit) {
    bytes /= 1024.0;
  }
  // Bytes are integers; other units show three significant digits.
  int const decimals = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", bytes, decimals, units[unit]);
}

std::string format_seconds(double seconds) {
  // 59.5 s and more would be printed as "60 s".
  if (seconds < 59.5) {
    return fmt::format("{:.3g} s", seconds);
  }
  auto const whole = std::llround(seconds);
  if (whole < 3600) {
    return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  }
  return fmt::format("{}:{:02}:{:02} h", whole / 3600, whole / 60 % 60, whole % 60);
}

std::optional<double> seconds_in(std::string const& text) {
  Numbers numbers(text);
  // The first number means hours, or days if a hyphen follows.
  auto hours = numbers.take(1, 4);
  std::optional<std::int64_t> days;
  if (hours && numbers.take('-')) {
    // The number before the hyphen was the days.
    days = std::exchange(hours, numbers.take(1, 4));
  }
  if (!hours || (days && *hours >= 24) || !numbers.take(':')) return std::nullopt;
  auto const minutes = numbers.take(2, 2);
  if (!minutes || *minutes >= 60 || !numbers.take(':')) return std::nullopt;
  auto const seconds = numbers.take(2, 2);
  if (!seconds || *seconds >= 60 || !numbers.empty()) return std::nullopt;
  // At most 9999 days, so all numbers are exact.
  return static_cast<double>(((days.value_or(0) * 24 + *hours) * 60 + *minutes) * 60 + *seconds);
}

std::string format_rate(double points_per_second) {
  return fmt::format("{:.3g} GCell/s", points_per_second * 1e-9);
}

std::string format_count(long long count, std::string const& thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace isotherm
