#pragma once

#include <optional>
#include <string>

#include "kernels/core/box.hpp"

/// Numbers as text for logs and messages, and some of the inverse conversions.

namespace isotherm {

/// Returns "512 x 512 x 512", "512 x 512" for two axes or "512" for one.
/// @param axes  1, 2 or 3, see axis_count()
std::string format_extent(Extent3 extent, int axes);

/// The inverse of format_extent(), without blanks: parses "1024x1024x1024", or "1024x1024" with one
/// point in z.
/// @param option  the preceding word on the command line, for the message
/// @throws InputError  with the text that was read and an example of a correct one
Extent3 parse_extent(std::string const& text, std::string const& option = "--grid");

/// Returns a byte count with three digits and a binary unit: "1.41 GiB".
std::string format_bytes(double bytes);

/// Returns a duration: with three digits below a minute ("0.135 s"), then as "12:05 min", from an
/// hour on as "1:02:05 h".
std::string format_seconds(double seconds);

/// Parses "hours:minutes:seconds" or "days-hours:minutes:seconds", SLURM's format of time limits.
/// Returns nothing if the text has another form.
std::optional<double> seconds_in(std::string const& text);

/// Returns a rate of updated grid points: "12.3 GCell/s".
std::string format_rate(double points_per_second);

/// Returns a count with its noun: "1 rank", "4 ranks".
/// The plural is formed by an s. @param thing  the noun in the singular
std::string format_count(long long count, std::string const& thing);

}  // namespace isotherm
