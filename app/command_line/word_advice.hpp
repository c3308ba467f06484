#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace isotherm {

/// Refuses empty words, as from an unset shell variable. CLI11 would treat them as missing.
/// @throws InputError  at the first one
void refuse_empty_words(int argc, char const* const* argv);

/// Returns the message about a command line that CLI11 could not parse: what is wrong with the
/// first word that it did not expect, if there is any, and which one was meant; else CLI11's own
/// message.
///
///     try { app.parse(argc, argv); }
///     catch (CLI::ParseError const& error) { throw InputError(word_advice(app, error)); }
std::string word_advice(CLI::App const& app, CLI::ParseError const& error);

/// Returns a complaint about an override without --set in the place of a case file, such as
/// "method.tolerance=1e-6"; else nothing. A path with '=' has a '/' or no '.' before it.
std::string not_an_override(std::string const& word);

}  // namespace isotherm
