#include "app/post/fields/derivation.hpp"

#include <algorithm>
#include <cmath>
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

/// Returns the gains over the periods, if they are three finite numbers.
std::optional<PerAxis<double>> gains_in(json const& object) {
  json const found = value_in(object, "gains", json::array());
  bool const fits = found.size() == 3 && std::ranges::all_of(found, [](json const& gain) {
                      return gain.is_number() && std::isfinite(gain.get<double>());
                    });
  if (!fits) return std::nullopt;
  return PerAxis<double>{found[0].get<double>(), found[1].get<double>(), found[2].get<double>()};
}

}  // namespace

Derivation derivation_of(std::string const& state) {
  json const all = object_in(state);
  json const found = value_in(all, member, json::object());
  return {value_in(found, "by", std::string()), value_in(found, "same_places", true),
          value_in(found, "same_quantity", true), value_in(found, "quantity", std::string()),
          gains_in(found)};
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
  if (auto const gains = last.gains ? last.gains : before.gains) {
    all[member]["gains"] = gains->values;
  }
  return all.dump();
}

}  // namespace isotherm::app
