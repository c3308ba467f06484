#include "jobs/basics/text.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <regex>

#include "kernels/core/error.hpp"

namespace isotherm {

std::string format_extent(Extent3 extent, int dimension) {
  return dimension == 2 ? fmt::format("{} x {}", extent.x, extent.y)
                        : fmt::format("{} x {} x {}", extent.x, extent.y, extent.z);
}

Extent3 parse_extent(std::string const& text) {
  static std::regex const form(R"(([1-9][0-9]{0,8})x([1-9][0-9]{0,8})(?:x([1-9][0-9]{0,8}))?)");
  std::smatch parts;
  if (!std::regex_match(text, parts, form)) {
    throw InputError("--grid " + text + ": give points per axis, like 512x512x512 or 4096x4096");
  }
  return {std::stoll(parts[1]), std::stoll(parts[2]), parts[3].matched ? std::stoll(parts[3]) : 1};
}

std::string format_bytes(double bytes) {
  static constexpr std::array<char const*, 6> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < units.size(); ++unit) {
    bytes /= 1024.0;
  }
  int const decimals = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", bytes, decimals, units[unit]);
}

std::string format_seconds(double seconds) {
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
  static std::regex const form(R"((?:([0-9]{1,4})-)?([0-9]{1,4}):([0-5][0-9]):([0-5][0-9]))");
  std::smatch parts;
  if (!std::regex_match(text, parts, form)) return std::nullopt;
  double const days = parts[1].matched ? std::stod(parts[1]) : 0.0;
  double const hours = std::stod(parts[2]);
  if (parts[1].matched && hours >= 24.0) return std::nullopt;
  return ((days * 24.0 + hours) * 60.0 + std::stod(parts[3])) * 60.0 + std::stod(parts[4]);
}

std::string format_rate(double points_per_second) {
  return fmt::format("{:.3g} GCell/s", points_per_second * 1e-9);
}

std::string format_count(long long count, std::string const& thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace isotherm
