#pragma once

#include <optional>
#include <string>

#include "kernels/core/box.hpp"

namespace isotherm {

/// "512 x 512 x 512", or "512 x 512" in 2D.
std::string format_extent(Extent3 extent, int dimension);

/// The inverse, without blanks: "1024x1024x1024", or "1024x1024" with one point in z.
/// @param option  the word before it on the command line, for the message
/// @throws InputError  naming what was read and what would be right
Extent3 parse_extent(std::string const& text, std::string const& option = "--grid");

/// Three digits and a binary unit: "1.41 GiB".
std::string format_bytes(double bytes);

/// Three digits below a minute ("0.135 s"), then "12:05 min", then "1:02:05 h".
std::string format_seconds(double seconds);

/// The seconds in "hours:minutes:seconds" or "days-hours:minutes:seconds", as SLURM writes them;
/// nothing where the text is none of these.
std::optional<double> seconds_in(std::string const& text);

/// Points updated a second: "12.3 GCell/s".
std::string format_rate(double points_per_second);

/// "1 rank", "4 ranks".
std::string format_count(long long count, std::string const& thing);

}  // namespace isotherm
