#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/core/box.hpp"

namespace isotherm {

/// What is measured of the whole field: a number, or, of flux, what flows in from all sides.
enum class Quantity { integral, mean, min, max, flux };
/// "integral", "mean", "min", "max", "flux".
char const* name(Quantity quantity);

/// Something that is measured of the field again and again while a case runs, and the table that it
/// goes into.
struct Probe {
  /// The value at a place.
  struct Point {
    PerAxis<double> at;
    friend bool operator==(Point const&, Point const&) = default;
  };
  /// Values at equally spaced places, the first at `from`, the last at `to`.
  struct Line {
    PerAxis<double> from;
    PerAxis<double> to;
    std::int64_t points;
    friend bool operator==(Line const&, Line const&) = default;
  };
  /// Mean and extremes over a plane of the grid's points.
  struct Plane {
    int axis;            ///< across it
    std::int64_t index;  ///< of its points along that
    friend bool operator==(Plane const&, Plane const&) = default;
  };
  /// Of the whole field.
  struct Quantities {
    std::vector<Quantity> which;
    std::vector<std::string> inflows{};  ///< where from, if flux is among them: "x_lower" …
                                         ///< "fixed_NAME" … "source", "balance"
    friend bool operator==(Quantities const&, Quantities const&) = default;
  };
  using Where = std::variant<Point, Line, Plane, Quantities>;

  std::string table;  ///< its file's name in the output directory
  Where where;
  std::string said;  ///< where the case names it: "case.toml:12: [probe] name"

  /// Whether both measure the same into the same table.
  friend bool operator==(Probe const& a, Probe const& b) {
    return a.table == b.table && a.where == b.where;
  }
};

/// The places at which a line measures.
std::vector<PerAxis<double>> places_on(Probe::Line const& line);

/// The first line of the probe's table: the names of its columns, with commas between.
/// @param has_time  the method advances time
std::string table_heading(Probe const& probe, int dimension, bool has_time);

/// What has come in, in the order of Probe::Quantities::inflows.
struct Inflows {
  std::vector<std::string> names{};
  std::vector<double> values{};
};
/// Those of a row of the table of quantities, without the moment; none where flux is not among
/// them.
std::optional<Inflows> inflows_in(Probe::Quantities const& quantities,
                                  std::vector<double> const& row);

/// Whether a file's name is that of a probe's table.
bool is_probe_table_name(std::string_view name);

}  // namespace isotherm
