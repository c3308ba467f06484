#pragma once

#include <string>
#include <vector>

#include "kernels/core/error.hpp"

namespace isotherm {

/// Returns an override of a case whose value is a text: KEY="TEXT" with the escapes of TOML. For
/// example, --output 'a "b"' becomes output.directory="a \"b\"".
std::string text_override(std::string const& key, std::string const& text);

/// The options of a command line that are spellings of keys of the case, such as --device. They are
/// passed to the case as overrides, whose messages begin with "--set KEY=VALUE". The user has
/// written the option, so messages name that instead.
///
///     OptionSpellings spellings;
///     spellings.add("run.device=\"gpu\"", "--device gpu");
///     spellings.in_messages([&] { read_case(…); });  // throws "--device gpu: [run] device is …"
class OptionSpellings {
 public:
  /// @param assignment  the override, KEY=VALUE
  /// @param option      the option and its value, as the user has written them
  void add(std::string const& assignment, std::string const& option);

  /// Returns a message that names the options in place of their overrides.
  [[nodiscard]] std::string renamed(std::string message) const;

  /// Returns what `work` returns. @throws InputError  the one of `work`, with a renamed message
  template <class Work>
  [[nodiscard]] auto in_messages(Work const& work) const {
    try {
      return work();
    } catch (InputError const& error) {
      throw InputError(renamed(error.what()));
    }
  }

 private:
  struct Spelling {
    std::string place, option;
  };
  std::vector<Spelling> spellings_{};
};

}  // namespace isotherm
