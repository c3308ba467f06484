#include "app/command_line/word_check.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "app/command_line/app_parts.hpp"
#include "case/basics/text/wording.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// Returns the names of the direct subcommands.
std::vector<std::string> command_names(CLI::App const& app) {
  std::vector<std::string> names;
  for (CLI::App const* const command : commands_of(app)) names.push_back(command->get_name());
  return names;
}

/// Returns the long names of all options.
std::vector<std::string> long_names(CLI::App const& app) {
  std::vector<std::string> names;
  for (CLI::Option const* const option : options_of(app)) {
    for (std::string const& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// A state machine that follows the words of a command line: the current command, and the values
/// that its last option still expects. It does not convert values. CLI11 does that afterwards, and
/// reports errors that concern several words.
class Walk {
 public:
  explicit Walk(CLI::App const& app) : app_(&app), name_(app.get_name()) {}

  /// Processes the next word. Values of an option come first. "--" ends the options. A word is then
  /// an optional value, a subcommand, or an argument.
  void take(std::string_view word) {
    if (values_ > 0) {
      refuse_empty(option_, word);
      --values_;
    } else if (word == "--") {
      options_end_ = true;
    } else if (!options_end_ && word.size() > 1 && word[0] == '-') {
      take_option(word);
    } else if (may_have_value_) {
      refuse_empty(option_, word);
      may_have_value_ = false;
    } else if (!commands_of(*app_).empty()) {
      take_command(std::string(word));
    } else {
      take_argument(word);
    }
  }
  [[nodiscard]] std::string const& name() const { return name_; }

 private:
  /// Processes "-o", "-oVALUE", "--option" or "--option=VALUE". A short flag without a value may
  /// not be combined with others.
  void take_option(std::string_view word) {
    auto const equals = word.find('=');
    bool const is_long = word[1] == '-';
    std::string const name(is_long ? word.substr(0, equals) : word.substr(0, 2));
    CLI::Option const* const option = app_->get_option_no_throw(name);
    if (option == nullptr || (!is_long && word.size() > 2 && option->get_expected_min() == 0)) {
      fail_unknown(std::string(word.substr(0, equals)));
    }
    bool const has_value = is_long ? equals != std::string_view::npos : word.size() > 2;
    if (is_long && has_value) refuse_empty(option, word.substr(equals + 1));
    option_ = option;
    values_ = has_value ? 0 : option->get_items_expected_min();
    may_have_value_ = !has_value && option->get_items_expected_max() > values_;
  }

  /// Refuses an empty value, as from an unset shell variable. CLI11 would treat it as missing.
  void refuse_empty(CLI::Option const* option, std::string_view value) const {
    if (!value.empty()) return;
    std::string const needed = option->get_type_name();
    throw InputError(option->get_name() + " is empty (" +
                     (needed.empty() ? "" : "needs " + needed + ", ") + "see " + name_ +
                     " --help)");
  }

  /// Processes a positional argument. The last argument of a command may accept any number of
  /// words. A word such as "method.tolerance=1e-6" in the place of the case file is probably an
  /// override without --set. A path may contain '=', too, but then it usually has a '/' or no '.'
  /// before it.
  void take_argument(std::string_view word) {
    auto const all = arguments_of(*app_);
    auto const equals = word.find('=');
    bool const names_key = word.substr(0, equals).find('/') == std::string_view::npos &&
                           word.substr(0, equals).find('.') != std::string_view::npos;
    if (arguments_ == 0 && names_key) refuse_assignment(word);
    // A list such as FILE... accepts all further words.
    bool const goes_to_last =
        arguments_ == all.size() && !all.empty() && all.back()->get_items_expected_max() > 1;
    if (goes_to_last) --arguments_;
    if (arguments_ < all.size()) refuse_empty(all[arguments_], word);
    if (++arguments_ > all.size()) {
      refuse_assignment(word);
      throw InputError(isotherm::quoted(word) + " is one argument more than " + name_ +
                       " takes (see " + name_ + " --help)");
    }
  }

  /// Refuses "method.tolerance=1e-6" without --set, a form that other programs accept.
  void refuse_assignment(std::string_view word) const {
    if (app_->get_option_no_throw("--set") == nullptr || word.find('=') == std::string_view::npos) {
      return;
    }
    throw InputError(isotherm::quoted(word) + " is not a case file (to change a key of the case: " +
                     "--set " + isotherm::quoted(word) + ")");
  }

  /// Descends into a subcommand. A case file in its place means that `run` is missing. A
  /// misspelling of one letter is enough for advice in short names.
  void take_command(std::string const& word) {
    auto const names = command_names(*app_);
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      if (word.ends_with(".toml") && std::find(names.begin(), names.end(), "run") != names.end()) {
        throw InputError(isotherm::quoted(word) + " is not a command of " + name_ +
                         " (to run this case: " + name_ + " run " + isotherm::quoted(word) + ")");
      }
      std::string const near = nearest_name(word, names, 1);
      throw InputError(isotherm::quoted(word) + " is not a command of " + name_ + " (" +
                       (near.empty() ? "there are " + join(names) : "did you mean " + near + "?") +
                       ", see " + name_ + " --help)");
    }
    app_ = app_->get_subcommand(word);
    name_ += ' ' + word;
  }

  /// Throws an error about an unknown option.
  [[noreturn]] void fail_unknown(std::string const& word) const {
    std::string const near = option_near(word);
    throw InputError(isotherm::quoted(word) + " is not an option of " + name_ + " (" +
                     (near.empty() ? "" : "did you mean " + near + "? ") + "see " + name_ +
                     " --help)");
  }

  /// Returns the option that begins with the word, or else the nearest one.
  [[nodiscard]] std::string option_near(std::string const& word) const {
    auto const names = long_names(*app_);
    auto const begins = [&](std::string const& name) {
      return word.size() > 3 && name.starts_with(word);
    };
    auto const first = std::find_if(names.begin(), names.end(), begins);
    return first != names.end() ? *first : nearest_name(word, names);
  }

  CLI::App const* app_;
  std::string name_;
  CLI::Option const* option_ = nullptr;  ///< the last option
  int values_ = 0;                       ///< number of mandatory values that it still expects
  bool may_have_value_ = false;          ///< whether an optional value may follow it
  std::size_t arguments_ = 0;            ///< number of arguments up to here
  bool options_end_ = false;             ///< whether "--" has occurred
};

}  // namespace

std::string check_words(CLI::App const& app, int argc, char const* const* argv) {
  Walk walk(app);
  for (int i = 1; i < argc; ++i) {
    walk.take(argv[i]);
  }
  return walk.name();
}

}  // namespace isotherm
