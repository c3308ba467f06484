#include "case/sections/section.hpp"

#include <filesystem>
#include <string_view>

#include "case/data/coefficient_table.hpp"
#include "case/data/data_field.hpp"
#include "case/data/value_file.hpp"
#include "case/expressions/expression.hpp"
#include "case/toml/case_schema.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"
#include "solver/solver.hpp"

namespace isotherm {
namespace {

/// Returns a number, whether it is written with or without a decimal point.
double as_number(TomlValue const& value) {
  auto const* whole = value.as<std::int64_t>();
  return whole != nullptr ? static_cast<double>(*whole) : value.get<double>();
}

/// Converts each element of a list.
template <class T, class Convert>
std::vector<T> as_list(TomlValue const& value, Convert const& convert) {
  std::vector<T> list;
  for (TomlValue const& element : value.get<TomlValue::List>()) {
    list.push_back(convert(element));
  }
  return list;
}

}  // namespace

// A case with the same problem (scope.known) has opened the file already. Otherwise it is opened
// here.
void settle_data(ScalarFunction& function, FunctionScope const& scope) {
  auto field = data_of(function);
  if (!field) return;
  // Files are opened in the order of the case, so the number of earlier fields identifies this one
  // in another case with the same problem.
  if (scope.known != nullptr && scope.data->size() < scope.known->size()) {
    field = (*scope.known)[scope.data->size()];
    function = function_of(field);
  } else {
    field->settle(*scope.grid, scope.face);
  }
  // The digest of the values will replace this placeholder in the fingerprint.
  function.text = mark_of(scope.data->size());
  scope.data->push_back(field);
}

CaseSection::CaseSection(TomlTable table, std::string path)
    : table_(std::move(table)), path_(std::move(path)) {}

CaseSection CaseSection::of(TomlTable const& root, std::string const& name,
                            std::string const& file) {
  if (TomlEntry const* entry = root.find(name)) {
    return {*entry->value.as<TomlTable>(), name};
  }
  // Messages about keys of a missing section name the file alone.
  TomlTable missing;
  missing.where = file;
  return {missing, name};
}

TomlValue const& CaseSection::value(std::string const& key) const {
  return table_.find(key)->value;
}

void CaseSection::fail(std::string const& key, std::string const& what) const {
  std::string const blank = what.starts_with(':') ? "" : " ";
  // A text that begins with a colon is the message of another error.
  throw InputError(place_of(key) + blank + what);
}

std::string CaseSection::place_of(std::string const& key) const {
  TomlEntry const* entry = table_.find(key);
  return (entry == nullptr ? table_.where : entry->where) + ": " + key_name(path_, key);
}

void CaseSection::refuse(std::string const& key, std::string const& what) const {
  if (has(key)) {
    fail(key, what);
  }
}

void CaseSection::require_key(std::string const& key, std::string const& needs) const {
  if (!has(key)) {
    fail(key, "is missing (needs " + needs + ')');
  }
}

std::string CaseSection::text(std::string const& key, std::string const& fallback) const {
  return has(key) ? text(key) : fallback;
}

std::string CaseSection::text(std::string const& key) const {
  require_key(key, "a string in quotes");
  auto const& text = value(key).get<std::string>();
  // Control characters could corrupt messages, file names and tables.
  for (char const letter : text) {
    if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) {
      fail(key, "contains a control character (needs plain text on one line)");
    }
  }
  if (text.find_first_not_of(' ') == std::string::npos) {
    fail(key, "is empty (leave the key out, or give it a value)");
  }
  return text;
}

bool CaseSection::flag(std::string const& key, bool fallback) const {
  return has(key) ? value(key).get<bool>() : fallback;
}

// The upper limit keeps every count exact in float64, and products of counts with small factors
// within 64 bits.
std::int64_t CaseSection::whole(std::string const& key, std::int64_t fallback,
                                std::int64_t minimum) const {
  std::int64_t const whole = has(key) ? value(key).get<std::int64_t>() : fallback;
  if (whole < minimum) {
    fail(key, "is " + std::to_string(whole) + " (needs at least " + std::to_string(minimum) + ')');
  }
  if (whole > max_iterations) {
    fail(key, "is " + std::to_string(whole) + " (needs at most " + std::to_string(max_iterations) +
                  ", 2^52)");
  }
  return whole;
}

double CaseSection::number(std::string const& key, double fallback) const {
  return has(key) ? as_number(value(key)) : fallback;
}

double CaseSection::positive(std::string const& key, double fallback) const {
  double const number = this->number(key, fallback);
  if (number <= 0.0) {
    fail(key, "is " + shortest(number) + " (needs a number above 0)");
  }
  return number;
}

double CaseSection::positive(std::string const& key) const {
  require_key(key, "a number above 0");
  return positive(key, 0.0);
}

bool CaseSection::is_number(std::string const& key) const {
  // In addition to numbers, such a key accepts texts only.
  return has(key) && value(key).as<std::string>() == nullptr;
}

bool CaseSection::is_flag(std::string const& key) const {
  return has(key) && value(key).as<bool>() != nullptr;
}

std::vector<double> CaseSection::numbers(std::string const& key) const {
  require_key(key, "a list of numbers");
  return as_list<double>(value(key), as_number);
}

std::vector<std::int64_t> CaseSection::wholes(std::string const& key) const {
  require_key(key, "a list of whole numbers");
  return as_list<std::int64_t>(
      value(key), [](TomlValue const& element) { return element.get<std::int64_t>(); });
}

std::vector<std::string> CaseSection::texts(std::string const& key) const {
  return as_list<std::string>(value(key),
                              [](TomlValue const& element) { return element.get<std::string>(); });
}

/// Throws an error about a list with the wrong number of entries.
void CaseSection::fail_count(std::string const& key, std::size_t count, int dimension) const {
  fail(key, "has " + std::to_string(count) + " entries (needs " + std::to_string(dimension) +
                ", one per axis, as in [grid] points)");
}

PerAxis<double> CaseSection::place(std::string const& key, int dimension) const {
  auto const list = numbers(key);
  if (list.size() != static_cast<std::size_t>(dimension)) fail_count(key, list.size(), dimension);
  return {list[0], list[1], dimension == 3 ? list[2] : 0.0};
}

/// Reads a table { table } or { enthalpy } as a function of u.
ScalarFunction CaseSection::as_coefficient(std::string const& key, TomlTable const& table,
                                           FunctionScope const& scope) const {
  CaseSection const section(table, path_ + '.' + key);
  bool const is_enthalpy = section.has("enthalpy");
  char const* const kind = is_enthalpy ? "enthalpy" : "table";
  if (!scope.field) section.fail(kind, "is a function of u, on which this value may not depend");
  if (is_enthalpy && key != "capacity") {
    section.fail("enthalpy", R"(applies only to capacity (write table = "values.csv"))");
  }
  for (char const* const other : {"table", "file", "dataset", "above", "below", "stretch"}) {
    if (other == std::string_view(kind)) continue;
    section.refuse(other, "conflicts with " + std::string(kind) + " (leave it out)");
  }
  auto const path = std::filesystem::path(scope.case_file).parent_path() / section.text(kind);
  try {
    return is_enthalpy ? read_capacity_of_enthalpy(path) : read_coefficient(path);
  } catch (InputError const& error) {
    section.fail(kind, std::string(": ") + error.what());
  }
}

/// Reads a table { file, dataset } as a function.
/// @param along  " on the x axis" for one entry of a list, for messages
ScalarFunction CaseSection::as_data(std::string const& key, TomlTable const& table,
                                    FunctionScope const& scope, std::string const& along) const {
  CaseSection const section(table, path_ + '.' + key);
  if (section.has("table") || section.has("enthalpy")) return as_coefficient(key, table, scope);
  std::string const example = key + R"( = { file = "data.h5", dataset = "/)" + key + R"(" })";
  section.require_key("file", "a file with values, as in " + example);
  ValueFile file{std::filesystem::path(scope.case_file).parent_path() / section.text("file")};
  if (needs_dataset(file.path)) {
    section.require_key("dataset", "the name of a dataset in the file, as in " + example);
  }
  if (section.has("dataset")) file.dataset = section.text("dataset");
  if (section.has("above")) file.above = section.number("above", 0.0);
  if (section.has("below")) file.below = section.number("below", 0.0);
  file.stretch = section.flag("stretch", false);
  ScalarFunction function =
      function_of(std::make_shared<DataField>(place_of(key) + along, std::move(file)));
  if (scope.grid != nullptr) settle_data(function, scope);
  return function;
}

/// Reads a value as a function: a number, an expression, or a table that names a file. In 2D, an
/// expression that names z is refused, because z has no meaning there.
ScalarFunction CaseSection::as_function(std::string const& key, TomlValue const& value,
                                        FunctionScope const& scope,
                                        std::string const& along) const {
  if (auto const* const table = value.as<TomlTable>()) return as_data(key, *table, scope, along);
  auto const* const text = value.as<std::string>();
  if (text == nullptr) return as_number(value);
  try {
    ScalarFunction function = parse_expression(*text, scope.time, scope.constants, scope.field);
    if (scope.dimension == 2 && !function.is_constant() && function.varies_along[2]) {
      throw InputError('"' + *text + "\" depends on z, but the grid is 2D");
    }
    return function;
  } catch (InputError const& error) {
    std::string const advice = advice_on_file_name(*text, scope.field);
    fail(key, ": " + (advice.empty() ? error.what() : advice));
  }
}

ScalarFunction CaseSection::function(std::string const& key, double fallback,
                                     FunctionScope const& scope) const {
  return has(key) ? as_function(key, value(key), scope) : fallback;
}

PerAxis<ScalarFunction> CaseSection::functions(std::string const& key, double fallback,
                                               FunctionScope const& scope) const {
  if (!is_list(key)) {
    ScalarFunction const all = function(key, fallback, scope);
    return {all, all, all};
  }
  auto const& list = value(key).get<TomlValue::List>();
  if (list.size() != static_cast<std::size_t>(scope.dimension)) {
    fail_count(key, list.size(), scope.dimension);
  }
  PerAxis<ScalarFunction> all{fallback, fallback, fallback};
  for (int axis = 0; axis < scope.dimension; ++axis) {
    all[axis] = as_function(key, list[static_cast<std::size_t>(axis)], scope,
                            std::string(" on the ") + "xyz"[axis] + " axis");
  }
  return all;
}

bool CaseSection::is_list(std::string const& key) const {
  return has(key) && value(key).as<TomlValue::List>() != nullptr;
}

bool CaseSection::is_table(std::string const& key) const {
  return has(key) && value(key).as<TomlTable>() != nullptr;
}

CaseSection CaseSection::section(std::string const& key) const {
  return {value(key).get<TomlTable>(), path_ + '.' + key};
}

std::vector<CaseSection> CaseSection::sections(std::string const& key) const {
  if (!has(key)) {
    return {};
  }
  return as_list<CaseSection>(value(key), [&](TomlValue const& element) {
    return CaseSection(element.get<TomlTable>(), path_.empty() ? key : path_ + '.' + key);
  });
}

}  // namespace isotherm
