#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Texts for messages: suggestions for misspelt names, and making foreign text safe to print.
///
///   std::string const meant = nearest_name("tollerance", keys);  // "tolerance"
///   std::cerr << visible(path.string()) << ": " << in_quotes(value) << "\n";

namespace isotherm {

/// Returns the edit distance (Damerau–Levenshtein, optimal string alignment) of two words: the
/// minimum number of insertions, deletions, substitutions and swaps of neighbouring letters. Upper
/// and lower case are equal. The cost is proportional to the product of the lengths.
std::size_t edit_distance(std::string_view from, std::string_view to);

/// Returns the element of `names` that is most similar to `word`, if it is similar enough to be
/// meant; else "". If several have the same distance, one with the same first letter is preferred.
///
/// A name of n letters tolerates (n + 1) / 3 errors, rounded down, and none below four letters.
/// @param min_reach  errors that are allowed even in short names, of two letters or more
std::string nearest_name(std::string_view word, std::vector<std::string> const& names,
                         std::size_t min_reach = 0);

/// Joins words: "a, b, c".
std::string join(std::vector<std::string> const& words, std::string_view between = ", ");

/// Compares names such that the numbers in them ascend: "q2" precedes "q10". Digits are compared as
/// numbers without a sign, with the digits behind a point as their fraction: "x0.05" precedes
/// "x0.1". Everything else is compared byte by byte.
bool precedes_naturally(std::string_view a, std::string_view b);

/// Returns the beginning of a UTF-8 text: as many complete characters as fit into `max_bytes`
/// bytes.
std::string_view cut(std::string_view text, std::size_t max_bytes);

/// Makes a text safe for terminals, which would interpret control characters. These are written as
/// escapes (\x1b, \u009b). So are bytes that are not UTF-8 (\xff) and characters that change the
/// direction of writing. Use it for all printed text that may come from a file.
std::string visible(std::string_view text);

/// Like visible(), but keeps newlines and tabs.
std::string visible_lines(std::string_view text);

/// Returns the text on one line: newlines and tabs become blanks, everything else is treated as in
/// visible(). A long text is cut and ends with "...".
std::string one_line(std::string_view text, std::size_t max_bytes = 80);

/// Returns one_line() in double quotes.
std::string in_quotes(std::string_view text);

}  // namespace isotherm
