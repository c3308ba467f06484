#include "app/post/fields/derivation.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>

#include "case/basics/text/wording.hpp"

namespace isotherm::app {

namespace {

using nlohmann::json;

constexpr char const* member = "derived";
constexpr std::size_t max_letters = 200;  // of a quantity: the state of a file is bounded

/// Returns a text as a JSON object; an empty one if it is none.
json object_in(std::string const& text) {
  json found = json::parse(text, nullptr, false);
  return found.is_object() ? found : json::object();
}

/// Returns a member if it has the type of the default, else the default. Files may be manipulated.
template <class Value>
Value value_in(json const& object, char const* key, Value const& otherwise) {
  auto const found = object.find(key);
  bool const fits = found != object.end() && found->type() == json(otherwise).type();
  return fits ? found->template get<Value>() : otherwise;
}

}  // namespace

Derivation derivation_of(std::string const& state) {
  json const all = object_in(state);
  json const found = value_in(all, member, json::object());
  return {value_in(found, "by", std::string()), value_in(found, "same_places", true),
          value_in(found, "same_quantity", true), value_in(found, "quantity", std::string())};
}

std::string with_derivation(std::string const& state, Derivation const& last) {
  Derivation const before = derivation_of(state);
  json all = object_in(state);
  // A smoothed difference is still a difference.
  all[member] = {
      {"by", last.by},
      {"same_places", before.same_places && last.same_places},
      {"same_quantity", before.same_quantity && last.same_quantity},
      {"quantity", last.same_quantity ? before.quantity : one_line(last.quantity, max_letters)}};
  return all.dump();
}

}  // namespace isotherm::app
