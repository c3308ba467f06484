#include "case/toml/toml_depth.hpp"

#include <algorithm>

#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

/// Maximum depth. Valid documents use six levels, as in boundary.patch.0.box.lower.0.
constexpr int max_levels = 16;

/// A scanner that counts nested brackets and the dots of keys. It knows just enough of TOML to skip
/// comments and strings.
class DepthScan {
 public:
  DepthScan(std::string_view text, std::string const& name) : text_(text), name_(name) {}

  /// Scans the whole text.
  void run() {
    while (place_ < text_.size()) look_at(text_[place_]);
  }

 private:
  /// Processes one character, or skips a comment or string that begins with it.
  void look_at(char letter);
  void pass_comment() { place_ = std::min(text_.find('\n', place_), text_.size()); }
  void pass_quoted(char quote);
  void pass_letters(std::size_t count, char quote);
  void open();
  void count_dot();

  std::string_view text_;
  std::string const& name_;
  std::size_t place_ = 0;  ///< index of the next character
  std::size_t line_ = 1;   ///< its line, counted from 1, for messages
  int brackets_ = 0;
  int dots_ = 0;  ///< in the current key or number
};

// The number of dots is reset by '=', ',' and at line ends, so only the dots of one key add up.
// Brackets may span several lines.
void DepthScan::look_at(char letter) {
  switch (letter) {
    case '#':
      return pass_comment();
    case '"':
    case '\'':
      return pass_quoted(letter);
    case '[':
    case '{':
      open();
      break;
    case ']':
    case '}':
      brackets_ = std::max(brackets_ - 1, 0);
      break;
    case '.':
      count_dot();
      break;
    case '\n':
      ++line_;
      dots_ = 0;
      break;
    case '=':
    case ',':
      dots_ = 0;
      break;
    default:
      break;
  }
  ++place_;
}

/// Skips a string with one or three quotes. In a basic string (double quotes), a backslash escapes
/// the next character.
void DepthScan::pass_quoted(char quote) {
  std::string const three(3, quote);
  bool const long_text = text_.substr(place_).starts_with(three);
  std::string const end = long_text ? three : std::string(1, quote);
  place_ += end.size();
  while (place_ < text_.size() && !text_.substr(place_).starts_with(end)) {
    char const letter = text_[place_];
    if (letter == '\n' && !long_text) return;  // not TOML; the parser reports it
    bool const escape = letter == '\\' && quote == '"' && place_ + 1 < text_.size();
    place_ += escape ? 1 : 0;
    line_ += text_[place_] == '\n' ? 1 : 0;
    ++place_;
  }
  pass_letters(end.size(), quote);
  // A multi-line string may end with up to two quotes of its own.
  if (long_text) pass_letters(2, quote);
}

/// Skips up to `count` quotes.
void DepthScan::pass_letters(std::size_t count, char quote) {
  for (; count > 0 && place_ < text_.size() && text_[place_] == quote; --count) ++place_;
}

/// Counts an opening bracket, and throws if there are too many levels.
void DepthScan::open() {
  dots_ = 0;
  if (++brackets_ > max_levels) {
    throw InputError(name_ + ':' + std::to_string(line_) + ": more than " +
                     std::to_string(max_levels) + " nested brackets (no value needs more than 3)");
  }
}

/// Counts a dot within a key: "a.b.c" defines nested tables.
void DepthScan::count_dot() {
  if (++dots_ >= max_levels) {
    throw InputError(name_ + ':' + std::to_string(line_) + ": a key has more than " +
                     std::to_string(max_levels) +
                     " levels (no key needs more than 6, as in boundary.patch.0.box.lower.0)");
  }
}

}  // namespace

void check_depth(std::string_view text, std::string const& name) { DepthScan(text, name).run(); }

}  // namespace isotherm
