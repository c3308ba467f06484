#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace isotherm {

/// The caller's file and line. Stands in for std::source_location, which clang 14 (our linter)
/// cannot parse; as a default argument it is evaluated where the call is written.
struct Where {
  char const* file;
  int line;

  static constexpr Where here(char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// Thrown for every failure of a run that the program detects (a broken rule, a failed call). The
/// message is for the person who started the program; the place in the sources, which is for the
/// one who changes it, stands beside it. Ends the program with exit code 1.
class Error : public std::runtime_error {
 public:
  explicit Error(std::string_view problem, Where where = Where::here())
      : Error(problem, std::string(where.file) + ":" + std::to_string(where.line)) {}
  /// @param place  that of another Error, which this one hands on
  Error(std::string_view problem, std::string place)
      : std::runtime_error(std::string(problem)), place_(std::move(place)) {}

  /// "PATH/queue.cpp:12"
  [[nodiscard]] std::string const& place() const { return place_; }

 private:
  std::string place_;
};

/// Thrown for what the person who started the program can mend: a bad case file, flag or input
/// file. The message is one line that says what is wrong, where, and what would be right; it names
/// no source line. Ends the program with exit code 2, before anything is written.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws Error unless `condition` holds. Write the message as
/// "<what is wrong> (<the rule it breaks>)", with the offending values in it.
inline void require(bool condition, std::string_view problem, Where where = Where::here()) {
  if (!condition) {
    throw Error(problem, where);
  }
}

}  // namespace isotherm
