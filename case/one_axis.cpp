#include "case/one_axis.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace isotherm {
namespace {

/// A key whose list has an entry for each axis, and the entry of the second axis.
struct AxisKey {
  std::string_view key;
  TomlValue second;
};

/// Returns all such keys.
std::array<AxisKey, 9> const& axis_keys() {
  constexpr std::int64_t one = 1;
  static std::array<AxisKey, 9> const keys{
      AxisKey{"points", {one}}, AxisKey{"spacing", {1.0}}, AxisKey{"decomposition", {one}},
      AxisKey{"lower", {0.0}},  AxisKey{"upper", {1.0}},   AxisKey{"at", {0.0}},
      AxisKey{"from", {0.0}},   AxisKey{"to", {0.0}},      AxisKey{"center", {0.0}}};
  return keys;
}

/// Returns a value of a table as a list with one entry; null if it is none.
TomlValue::List* list_of_one(TomlTable* table, std::string_view key) {
  TomlEntry* const entry = table == nullptr ? nullptr : table->find(key);
  auto* const list = entry == nullptr ? nullptr : entry->value.as<TomlValue::List>();
  return list != nullptr && list->size() == 1 ? list : nullptr;
}

/// Adds the second entry to all lists of one number in a table and in those below it.
void add_second_entries(TomlTable& table) {
  for (TomlEntry& entry : table.entries) {
    if (auto* const inner = entry.value.as<TomlTable>()) add_second_entries(*inner);
    auto* const list = entry.value.as<TomlValue::List>();
    if (list == nullptr) continue;
    for (TomlValue& element : *list) {
      if (auto* const inner = element.as<TomlTable>()) add_second_entries(*inner);
    }
    auto const* const found = std::ranges::find(axis_keys(), entry.key, &AxisKey::key);
    bool const is_number = list->size() == 1 && list->front().as<TomlTable>() == nullptr;
    if (found == axis_keys().end() || !is_number) continue;
    TomlValue second = found->second;
    second.where = list->front().where;
    list->push_back(std::move(second));
  }
}

/// Makes the second axis periodic, unless the case gives it conditions.
void add_condition(TomlTable& root) {
  TomlEntry* const section = root.find("boundary");
  auto* const boundary = section == nullptr ? nullptr : section->value.as<TomlTable>();
  if (boundary == nullptr) return;
  for (char const* const key : {"y", "y_lower", "y_upper"}) {
    if (boundary->find(key) != nullptr) return;
  }
  TomlTable condition;
  condition.where = section->where;
  condition.entries.push_back({"type", {std::string("periodic"), section->where}, section->where});
  boundary->entries.push_back({"y", {std::move(condition), section->where}, section->where});
}

}  // namespace

void add_second_axis(TomlTable& root) {
  TomlEntry* const section = root.find("grid");
  auto* const grid = section == nullptr ? nullptr : section->value.as<TomlTable>();
  if (list_of_one(grid, "points") == nullptr && list_of_one(grid, "spacing") == nullptr) return;
  add_second_entries(root);
  add_condition(root);
}

}  // namespace isotherm
