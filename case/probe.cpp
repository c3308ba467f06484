#include "case/probe.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace isotherm {

namespace {

// Parts of the names of tables, by which `verify` and a new run recognise tables in a directory.
constexpr std::string_view beginning = "probe_";
constexpr std::string_view ending = ".csv";
constexpr std::string_view quantities_table = "quantities.csv";

/// Returns the columns of a point's table.
std::string columns(Probe::Point const&, int) { return "value"; }

/// Returns the columns of a line's table, with one row per place.
std::string columns(Probe::Line const&, int dimension) {
  return std::string("distance,x,y,") + (dimension == 3 ? "z," : "") + "value";
}

/// Returns the columns of a plane's table.
std::string columns(Probe::Plane const&, int) { return "mean,min,max"; }

/// Returns the columns of the table of quantities: one each, and for flux one per boundary.
std::string columns(Probe::Quantities const& quantities, int) {
  std::string names;
  auto const add = [&](std::string const& column) { names += (names.empty() ? "" : ",") + column; };
  for (Quantity const quantity : quantities.which) {
    if (quantity != Quantity::flux) {
      add(name(quantity));
      continue;
    }
    for (std::string const& from : quantities.inflows) add("flux_" + from);
  }
  return names;
}

}  // namespace

char const* name(Quantity quantity) {
  constexpr std::array names{"integral", "mean", "min", "max", "flux", "heat", "energy"};
  return names[static_cast<std::size_t>(quantity)];
}

std::vector<PerAxis<double>> places_on(Probe::Line const& line) {
  std::vector<PerAxis<double>> places;
  for (std::int64_t i = 0; i + 1 < line.points; ++i) {
    double const share = static_cast<double>(i) / static_cast<double>(line.points - 1);
    PerAxis<double> place;
    for (int axis = 0; axis < 3; ++axis) {
      place[axis] = line.from[axis] + share * (line.to[axis] - line.from[axis]);
    }
    places.push_back(place);
  }
  // The last place is `to` itself, without rounding errors.
  places.push_back(line.to);
  return places;
}

std::string table_heading(Probe const& probe, int dimension, bool has_time) {
  return std::string("iteration,") + (has_time ? "time," : "") +
         std::visit([&](auto const& where) { return columns(where, dimension); }, probe.where);
}

std::optional<Inflows> inflows_in(Probe::Quantities const& quantities,
                                  std::vector<double> const& row) {
  auto const flux = std::ranges::find(quantities.which, Quantity::flux);
  if (flux == quantities.which.end()) return std::nullopt;
  // All quantities before flux have one column each.
  auto const first = row.begin() + (flux - quantities.which.begin());
  auto const count = static_cast<std::ptrdiff_t>(quantities.inflows.size());
  return Inflows{quantities.inflows, {first, first + count}};
}

bool is_part_of_inflow(std::string_view inflow) {
  return inflow.starts_with("source_") || inflow.starts_with("patch_");
}

bool is_probe_table_name(std::string_view name) {
  if (name == quantities_table) return true;
  if (!name.starts_with(beginning) || !name.ends_with(ending)) return false;
  if (name.size() <= beginning.size() + ending.size()) return false;
  name.remove_prefix(beginning.size());
  name.remove_suffix(ending.size());
  return std::ranges::all_of(name, [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '_';
  });
}

}  // namespace isotherm
