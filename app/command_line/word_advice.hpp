#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

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

/// Returns true if the first word of a command line is a case file, so that the command is `run`:
/// a name that ends with ".toml", or "-" for standard input.
bool is_case_file(std::string_view word);

/// Returns true if a word after the case file sets a key, such as "method.tolerance=1e-6", or
/// removes one, such as "!output.picture". The part before '=' has no '/'.
bool is_setting(std::string_view word);

/// Requires that a word in the place of a case file is not a setting.
/// @throws InputError  if it is
void require_case_file(std::string const& word);

/// Requires that a word after the case file is a setting.
/// @param command  full name of the command, for the message
/// @throws InputError  if it is not
void require_setting(std::string const& word, std::string const& command);

}  // namespace isotherm::app
