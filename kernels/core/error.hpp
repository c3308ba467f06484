#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace isotherm {

/// Source file and line of a caller. It replaces std::source_location, which clang 14 (our linter)
/// cannot parse. A default argument Where::here() is evaluated at the call site.
struct Where {
  char const* file;
  int line;

  static constexpr Where here(char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// Thrown for every failure that the program detects during a run, such as a violated precondition
/// or a failed system call.
///
/// The message addresses the person who started the program. The place in the sources, for
/// developers, is stored separately. The program ends with exit code 1.
class Error : public std::runtime_error {
 public:
  /// @param problem  what is wrong, with the offending values
  /// @param where  the caller's place by default
  explicit Error(std::string_view problem, Where where = Where::here())
      : Error(problem, std::string(where.file) + ":" + std::to_string(where.line)) {}
  /// @param place  the place of another Error that this one rethrows
  Error(std::string_view problem, std::string place)
      : std::runtime_error(std::string(problem)), place_(std::move(place)) {}

  /// Returns the place of the failure in the sources, such as "PATH/queue.cpp:12".
  [[nodiscard]] std::string const& place() const { return place_; }

 private:
  std::string place_;
};

/// Thrown for errors that the user can fix: a bad case file, flag or input file.
///
/// The message is one line. It names the error, its place in the input, and the correct form. It
/// names no source line. The program ends with exit code 2 and writes nothing.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws Error unless `condition` holds. Write the message as "<what is wrong> (<the violated
/// rule>)" and include the offending values.
///
/// The message is built even if the condition holds. Do not call it in inner loops.
inline void require(bool condition, std::string_view problem, Where where = Where::here()) {
  if (!condition) {
    throw Error(problem, where);
  }
}

}  // namespace isotherm
