#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace isotherm::app {

/// Refuses empty words, such as those of an unset shell variable ("--output=$DIR"). CLI11 would
/// treat them as missing.
/// @throws InputError  at the first empty word; the message names the option before it
void refuse_empty_words(int argc, char const* const* argv);

/// Returns the message about a command line that CLI11 could not parse. It explains the first word
/// that CLI11 did not expect, and suggests a valid one. If there is no such word, or if a value is
/// invalid, it is CLI11's own message.
/// @pre `app` is the app that has just failed to parse
///
///     try { app.parse(argc, argv); }
///     catch (CLI::ParseError const& error) { throw InputError(word_advice(app, error)); }
std::string word_advice(CLI::App const& app, CLI::ParseError const& error);

/// Returns a message if a word is an override without --set in the place of a case file, such as
/// "method.tolerance=1e-6"; else an empty text. A word with '=' counts as an override if the part
/// before it has a '.' and no '/'. CLI11 calls it as a validator.
std::string not_an_override(std::string const& word);

}  // namespace isotherm::app
