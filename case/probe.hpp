#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/core/box.hpp"

// Probes: values of the field, and integrals over it, that a run records in CSV tables.
//
// `case/sections/probes.cpp` reads them from [[probe]] and [output] quantities;
// `app/run/probes/probe_meter.cpp` measures them.

namespace isotherm {

/// An integral quantity of the whole field: a single number, or for `flux` the heat flux through
/// each boundary.
enum class Quantity { integral, mean, min, max, flux, heat, energy };
/// All quantities, in the order of the enumeration.
inline constexpr std::array all_quantities{Quantity::integral, Quantity::mean, Quantity::min,
                                           Quantity::max,      Quantity::flux, Quantity::heat,
                                           Quantity::energy};
/// Returns the name in case files: "integral", "mean", "min", "max", "flux", "heat", "energy".
char const* name(Quantity quantity);

/// A measurement that is repeated while a case runs, and the table that records it.
struct Probe {
  /// The value at a point in space, interpolated from the grid.
  struct Point {
    /// Coordinates of a place on the grid; z is 0 in 2D.
    PerAxis<double> at;
    friend bool operator==(Point const&, Point const&) = default;
  };
  /// The values at equidistant places from `from` to `to`, including both.
  struct Line {
    PerAxis<double> from;
    PerAxis<double> to;
    /// Number of places, 2 to 100 000.
    std::int64_t points;
    friend bool operator==(Line const&, Line const&) = default;
  };
  /// Mean, minimum and maximum over a plane of grid points.
  struct Plane {
    int axis;            ///< the normal axis
    std::int64_t index;  ///< of the plane along that axis, in grid points
    friend bool operator==(Plane const&, Plane const&) = default;
  };
  /// Integral quantities of the whole field.
  struct Quantities {
    /// The quantities in the order of their columns. None occurs twice.
    std::vector<Quantity> which;
    /// For flux, the boundaries that it enters through: "x_lower" …, "fixed_NAME" …, "source",
    /// the named parts of the source "source_NAME" …, "reaction" if there is a reaction
    /// coefficient, "balance".
    std::vector<std::string> inflows{};
    friend bool operator==(Quantities const&, Quantities const&) = default;
  };
  using Where = std::variant<Point, Line, Plane, Quantities>;

  std::string table;  ///< file name of the table in the output directory
  /// The place of the measurement, which also determines the columns of the table.
  Where where;
  std::string said;  ///< the key of the case that requests it: "case.toml:12: [probe] name"

  /// Returns whether both record the same measurement in the same table, wherever the case requests
  /// them.
  friend bool operator==(Probe const& a, Probe const& b) {
    return a.table == b.table && a.where == b.where;
  }
};

/// Returns the places at which a line measures, from `from` to `to`.
/// The last place is exactly `to`. @pre  line.points >= 2
std::vector<PerAxis<double>> places_on(Probe::Line const& line);

/// Returns the first line of the probe's table: the names of its columns, separated by commas.
/// @param has_time  whether the method advances time, which then has a column
/// @return  for example "iteration,time,value" for a point
std::string table_heading(Probe const& probe, int dimension, bool has_time);

/// The heat flux into the domain, one value per boundary, in the order of
/// Probe::Quantities::inflows.
struct Inflows {
  std::vector<std::string> names{};
  std::vector<double> values{};
};
/// Extracts the heat fluxes from a row of the table of quantities; empty if the table has none.
/// @param row  without the columns iteration and time
std::optional<Inflows> inflows_in(Probe::Quantities const& quantities,
                                  std::vector<double> const& row);

/// Returns whether an inflow is a part of another one: a named source, or a patch of a face.
bool is_part_of_inflow(std::string_view inflow);

/// Returns whether a file name is that of a probe's table: "probe_NAME.csv" or "quantities.csv".
bool is_probe_table_name(std::string_view name);

}  // namespace isotherm
