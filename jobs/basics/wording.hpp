#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace isotherm {

/// The number of letters to insert, remove, change or swap with their neighbour to turn one word
/// into the other; upper and lower case count as equal.
std::size_t edit_distance(std::string_view from, std::string_view to);

/// The one of `names` that is nearest to `word`, where it is near enough to be meant; else "". Of
/// several, one that begins alike.
/// @param least_reach  slips that are allowed for in a short name, too, from two letters on
std::string nearest_name(std::string_view word, std::vector<std::string> const& names,
                         std::size_t least_reach = 0);

/// "a, b, c".
std::string join(std::vector<std::string> const& words, std::string_view between = ", ");

/// The beginning of a UTF-8 text: as many whole letters as so many bytes hold.
std::string_view cut(std::string_view text, std::size_t most_bytes);

/// The text as a terminal may have it, which would obey control characters: they are written out
/// (\x1b, \u009b), as are bytes that are no UTF-8 (\xff) and what turns the direction of writing.
/// For everything that is printed and may come from a file.
std::string visible(std::string_view text);

/// The same of a text of several lines, whose ends and tabs stay.
std::string visible_lines(std::string_view text);

/// The text on one line: blanks for the ends of lines and tabs, visible() for the rest, and a long
/// text is cut with "...".
std::string one_line(std::string_view text, std::size_t most_bytes = 80);

/// one_line() within double quotes.
std::string quoted(std::string_view text);

}  // namespace isotherm
