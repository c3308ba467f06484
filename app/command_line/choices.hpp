#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "case/basics/text/wording.hpp"
#include "case/case.hpp"

namespace isotherm::app {

/// Returns a validator for CLI11 that accepts one of several words and replaces it by the number of
/// its enumerator, which CLI11 then converts. Its error message lists the valid words.
/// @tparam Value  an enumeration or an integer type
/// @param choices  each valid word with its value
///
///     app.add_option("--by", projection, "…")
///         ->transform(one_of<Projection>({{"mean", Projection::mean}, {"sum", Projection::sum}}));
template <class Value>
CLI::Validator one_of(std::vector<std::pair<std::string, Value>> const& choices) {
  return CLI::Validator(
      [choices](std::string& word) -> std::string {
        std::vector<std::string> words;  // the valid ones, for the error message
        for (auto const& [name, value] : choices) {
          if (name != word) {
            words.push_back(name);
            continue;
          }
          word = std::to_string(static_cast<int>(value));
          return "";
        }
        return word + " is not one of " + join(words);
      },
      "");
}

/// Returns a validator for CLI11 that refuses NaN, which CLI::Range accepts.
CLI::Validator no_nan();

/// Adds the option --device to a command.
/// @param device  receives the choice when the command line is parsed; must outlive `command`
/// @param what    its purpose, for the help
void add_device(CLI::App& command, DeviceChoice& device, std::string const& what);

}  // namespace isotherm::app
