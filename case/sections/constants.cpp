#include "case/sections/constants.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "case/basics/text/wording.hpp"
#include "case/expressions/expression.hpp"
#include "case/expressions/expression_advice.hpp"
#include "case/toml/value_type.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"

namespace isotherm {
namespace {

constexpr char const* section_name = "constants";
/// Maximum number of constants, a limit against generated input.
constexpr std::size_t max_constants = 1000;

/// Throws an error about a constant.
[[noreturn]] void fail(TomlEntry const& entry, std::string const& what) {
  throw InputError(entry.where + ": " + key_name(section_name, one_line(entry.key)) + what);
}

/// Returns whether a text is a single valid identifier.
bool is_name(std::string const& text) {
  auto const names = names_in(text);
  return names.size() == 1 && names[0].name == text;
}

/// Checks that a constant has a valid name without another meaning in expressions.
void check_name(TomlEntry const& entry) {
  if (!is_name(entry.key)) {
    fail(entry,
         " is not a valid name of a constant (needs letters a to z, digits and _, and no digit "
         "first)");
  }
  constexpr std::size_t max_letters = 60;  // muParser takes 100
  if (entry.key.size() > max_letters) {
    fail(entry, " has " + std::to_string(entry.key.size()) + " characters (needs at most " +
                    std::to_string(max_letters) + ")");
  }
  std::string const meaning = meaning_of(entry.key);
  if (!meaning.empty()) {
    fail(entry,
         " is a reserved name: in expressions it stands for " + meaning + " (choose another name)");
  }
}

/// Evaluates constants in topological order: those that a constant names come before it.
///
///     [constants]
///     width = 0.2
///     area  = "width*height"
///     height = "2*width"
///
/// Here the order of evaluation is width, height, area. The algorithm is a depth-first search,
/// which detects circles as constants that are on its stack.
class Evaluation {
 public:
  explicit Evaluation(TomlTable const& table) : table_(table) {
    for (TomlEntry const& entry : table.entries) {
      check_name(entry);
      // All names are known from the start, for advice; none is used before it has its value.
      values_[entry.key] = 0.0;
      entries_[entry.key] = &entry;
    }
  }

  /// Evaluates all constants and returns them.
  Constants const& values() {
    for (TomlEntry const& entry : table_.entries) find(entry);
    return values_;
  }

 private:
  /// A constant that is being evaluated: an entry of the depth-first search's stack.
  struct Wanted {
    TomlEntry const* entry;
    std::vector<std::string> named;  ///< the constants in its expression
    std::size_t next = 0;            ///< index of the next one to visit
  };

  /// Returns whether a constant has its value already.
  [[nodiscard]] bool is_found(std::string const& name) const {
    return std::ranges::binary_search(found_, name);
  }

  /// Pushes a constant onto the stack, with the constants that its expression names.
  void want(TomlEntry const& entry) {
    Wanted wanted{&entry, {}};
    if (auto const* text = entry.value.as<std::string>()) {
      for (auto const& [name, value] : named_in(*text, values_)) wanted.named.push_back(name);
    }
    wanted_.push_back(std::move(wanted));
  }

  /// Evaluates a constant after all those that it depends on, by a depth-first search. The stack is
  /// explicit, because a chain of constants may be too long for recursion.
  void find(TomlEntry const& first) {
    if (is_found(first.key)) return;
    want(first);
    while (!wanted_.empty()) {
      Wanted& last = wanted_.back();
      if (last.next == last.named.size()) {
        settle(*last.entry);
        wanted_.pop_back();
        continue;
      }
      std::string const& name = last.named[last.next++];
      // A dependency on the stack would close a circle; anything else not yet found must be
      // evaluated first.
      if (is_found(name)) continue;
      refuse_circle(name);
      want(*entries_.find(name)->second);
    }
  }

  /// Stores the value of a constant whose dependencies are known.
  void settle(TomlEntry const& entry) {
    values_[entry.key] = value_of(entry);
    found_.insert(std::ranges::lower_bound(found_, entry.key), entry.key);
  }

  /// Returns the value of a constant: its number, or its expression evaluated.
  [[nodiscard]] double value_of(TomlEntry const& entry) const {
    if (auto const* whole = entry.value.as<std::int64_t>()) return static_cast<double>(*whole);
    if (auto const* number = entry.value.as<double>()) return *number;
    try {
      return constant_value(entry.value.get<std::string>(), values_);
    } catch (InputError const& error) {
      fail(entry, std::string(": ") + error.what());
    }
  }

  /// Throws if a constant is on the stack already, and prints the circle (a prefix of a long one).
  void refuse_circle(std::string const& name) const {
    auto const begin = std::ranges::find_if(
        wanted_, [&](Wanted const& wanted) { return wanted.entry->key == name; });
    if (begin == wanted_.end()) return;
    constexpr std::ptrdiff_t max_shown = 8;
    std::string way;
    for (auto at = begin; at != wanted_.end() && at - begin < max_shown; ++at) {
      way += at->entry->key + " -> ";
    }
    if (wanted_.end() - begin > max_shown) way += "... -> ";
    fail(*begin->entry, " is defined by itself: " + way + name + " (give one of them a number)");
  }

  TomlTable const& table_;
  /// The entry of each constant.
  std::map<std::string, TomlEntry const*> entries_{};
  /// All constants; those that are not evaluated yet have the value 0.
  Constants values_{};
  std::vector<std::string> found_{};  ///< names of the evaluated constants, sorted
  /// The search's stack: each entry is a dependency of the one before.
  std::vector<Wanted> wanted_{};
};

/// Replaces texts by numbers in a document, as with_numbers() describes.
///
///     [grid]
///     points = ["4*n + 1", "n + 1"]     # becomes [65, 17] if n = 16
class NumberWriter {
 public:
  NumberWriter(std::span<KeyRule const> rules, Constants const& constants)
      : rules_(rules), constants_(constants) {}

  /// Visits a table recursively. check_names() has verified that each key has a rule and that
  /// tables are where they belong.
  void write_table(TomlTable& table, std::string const& path) const {
    for (TomlEntry& entry : table.entries) {
      KeyRule const* const rule = rule_for(rules_, path, entry.key);
      std::string const inner = path.empty() ? entry.key : path + '.' + entry.key;
      if (rule->type == KeyType::table) {
        write_table(*entry.value.as<TomlTable>(), inner);
      } else if (rule->type == KeyType::tables) {
        for (TomlValue& element : *entry.value.as<TomlValue::List>()) {
          write_table(*element.as<TomlTable>(), inner);
        }
      } else if (rule->type == KeyType::numbers || rule->type == KeyType::wholes) {
        write_list(entry.value, {rule, path, " contains "});
      } else {
        write_value(entry.value, {rule, path, " is "});
      }
    }
  }

 private:
  /// The key that a value belongs to, for messages.
  struct Place {
    KeyRule const* rule;
    std::string const& path;
    char const* verb;
  };

  /// Replaces the texts in a list of numbers.
  void write_list(TomlValue& value, Place const& place) const {
    auto* const list = value.as<TomlValue::List>();
    if (list == nullptr) return;  // check_type() reports it later
    for (TomlValue& element : *list) write_value(element, place);
  }

  /// Replaces a text by a number, if its key accepts numbers and the text is an expression.
  void write_value(TomlValue& value, Place const& place) const {
    auto const* const text = value.as<std::string>();
    if (text == nullptr || !takes_number(*text, *place.rule)) return;
    bool const whole = takes_whole(place.rule->type);
    double const number = number_in(*text, value, place);
    if (whole) {
      value.data = as_whole(*text, number, value, place);
    } else {
      value.data = number;
    }
  }

  /// Returns whether a type demands whole numbers.
  static bool takes_whole(KeyType type) {
    return type == KeyType::whole || type == KeyType::wholes || type == KeyType::flag_or_whole;
  }

  /// Returns whether a single word that is not a valid choice must be a constant, or a misspelled
  /// one.
  [[nodiscard]] bool is_constant_word(std::string const& word,
                                      std::vector<std::string> const& choices) const {
    if (std::ranges::find(choices, word) != choices.end()) return false;
    bool const known = constants_.contains(word) || !meaning_of(word).empty();
    return known || (nearest_name(word, choices).empty() && !nearest_constant(word).empty());
  }

  /// Returns whether a text stands for a number. A key that accepts numbers and certain words
  /// treats other texts as expressions, for example time_step = "2*dt". A key that accepts
  /// arbitrary texts never does.
  ///
  /// Types: `number` and `whole` (single or in lists) always. `number_or_text` only if the key has
  /// a list of choices and the text is not one of them, nor a misspelled choice. Functions keep
  /// their text, which parse_expression() reads with the constants.
  [[nodiscard]] bool takes_number(std::string const& text, KeyRule const& rule) const {
    if (rule.type == KeyType::number || rule.type == KeyType::numbers || takes_whole(rule.type)) {
      return true;
    }
    if (rule.type != KeyType::number_or_text || rule.choices.empty()) return false;
    return !is_name(text) || is_constant_word(text, words_of(rule.choices));
  }

  /// Throws an error about a value, naming its key.
  [[noreturn]] static void fail(std::string const& what, TomlValue const& value,
                                Place const& place) {
    throw InputError(value.where + ": " + key_name(place.path, std::string(place.rule->key)) +
                     what);
  }

  /// Evaluates an expression. A single unknown word is reported as a misspelling rather than as a
  /// faulty expression.
  [[nodiscard]] double number_in(std::string const& text, TomlValue const& value,
                                 Place const& place) const {
    if (is_name(text) && !constants_.contains(text) && meaning_of(text).empty()) {
      fail(place.verb + ("the string " + in_quotes(text)) + advice_on_word(text, *place.rule),
           value, place);
    }
    try {
      return constant_value(text, constants_);
    } catch (InputError const& error) {
      fail(std::string(": ") + error.what(), value, place);
    }
  }

  /// Returns the constant nearest to a word; empty if none is near. One-letter words must match.
  [[nodiscard]] std::string nearest_constant(std::string const& word) const {
    std::vector<std::string> names;
    for (auto const& [name, value] : constants_) names.push_back(name);
    return nearest_name(word, names, word.size() < 2 ? 0 : 1);
  }

  /// Suggests what a word may have meant.
  [[nodiscard]] std::string advice_on_word(std::string const& word, KeyRule const& rule) const {
    std::string const near = nearest_constant(word);
    if (!near.empty()) return ", which is not a constant (did you mean " + near + "?)";
    return " (needs " + needed(rule.type) + ", as in " + std::string(rule.key) + " = " +
           std::string(rule.example) + ", or an expression of constants in quotes)";
  }

  /// Converts a value to a whole number. The value may deviate by rounding errors: 0.3/0.1
  /// yields 3.
  ///
  /// The tolerance is 1e-14 relative, but at most 1e-6 absolute. Results above 2^53 are refused,
  /// because float64 does not represent all whole numbers there.
  static std::int64_t as_whole(std::string const& text, double number, TomlValue const& value,
                               Place const& place) {
    constexpr double rounding = 1e-14, largest = 9007199254740992.0;  // 2^53
    double const whole = std::rint(number);
    bool const near = std::abs(number - whole) <= std::min(rounding * std::abs(number), 1e-6);
    if (!near || std::abs(whole) > largest) {
      fail(place.verb + in_quotes(text) + ", which evaluates to " + shortest(number) +
               " (needs a whole number" + (near ? " up to 2^53)" : ")"),
           value, place);
    }
    return static_cast<std::int64_t>(whole);
  }

  /// The rules of the document's keys; they outlive the object, as do the constants.
  std::span<KeyRule const> rules_;
  Constants const& constants_;
};

/// Returns whether a text within a value names a constant.
bool names_constant(TomlValue const& value, std::string_view name) {
  auto const inner = [&](TomlValue const& part) { return names_constant(part, name); };
  if (auto const* text = value.as<std::string>()) {
    auto const names = names_in(*text);
    return std::ranges::find(names, name, &NameInText::name) != names.end();
  }
  if (auto const* list = value.as<TomlValue::List>()) return std::ranges::any_of(*list, inner);
  auto const* table = value.as<TomlTable>();
  return table != nullptr && std::ranges::any_of(table->entries, inner, &TomlEntry::value);
}

/// Returns whether a document uses a constant: in any text but the title and its own definition.
bool uses_constant(TomlTable const& root, std::string_view name) {
  return std::ranges::any_of(root.entries, [&](TomlEntry const& entry) {
    if (entry.key == "title") return false;
    if (entry.key != section_name) return names_constant(entry.value, name);
    return std::ranges::any_of(entry.value.get<TomlTable>().entries, [&](TomlEntry const& other) {
      return other.key != name && names_constant(other.value, name);
    });
  });
}

}  // namespace

std::vector<std::string> constant_names(TomlTable const& root) {
  TomlEntry const* const section = root.find(section_name);
  auto const* table = section == nullptr ? nullptr : section->value.as<TomlTable>();
  std::vector<std::string> names;
  if (table == nullptr) return names;
  std::ranges::transform(table->entries, std::back_inserter(names), &TomlEntry::key);
  return names;
}

void refuse_unused_constants(TomlTable const& root, std::vector<std::string> const& known) {
  TomlEntry const* const section = root.find(section_name);
  if (section == nullptr) return;
  for (TomlEntry const& entry : section->value.get<TomlTable>().entries) {
    bool const is_known = std::ranges::find(known, entry.key) != known.end();
    if (is_known || uses_constant(root, entry.key)) continue;
    std::string const near = nearest_name(entry.key, known);
    fail(entry, " is used by no expression of the case (" +
                    (near.empty() ? "leave it out)" : "did you mean " + near + "?)"));
  }
}

Constants read_constants(TomlTable const& root) {
  TomlEntry const* const section = root.find(section_name);
  if (section == nullptr) return {};
  auto const& table = section->value.get<TomlTable>();
  for (TomlEntry const& entry : table.entries) {
    check_type(entry, {section_name, entry.key, KeyType::number_or_expression, "400.0"},
               section_name);
  }
  if (table.entries.size() > max_constants) {
    throw InputError(section->where + ": [constants] contains " +
                     std::to_string(table.entries.size()) + " entries (at most " +
                     std::to_string(max_constants) + ')');
  }
  return Evaluation(table).values();
}

TomlTable with_numbers(TomlTable root, std::span<KeyRule const> rules, Constants const& constants) {
  NumberWriter(rules, constants).write_table(root, "");
  return root;
}

}  // namespace isotherm
