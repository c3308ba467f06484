#include "app/post/verification.hpp"

#include <iostream>

#include "app/run/resume/solver_state.hpp"

namespace isotherm::app {

void require_sound(SnapshotFile const& file) {
  verify_snapshot(file.path, file.info);
  (void)solver_state_of(file);
}

void add_verification(nlohmann::ordered_json& json, std::string const& damage) {
  json["sound"] = damage.empty();
  json["damage"] = damage.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(damage);
}

void print_json(nlohmann::ordered_json const& json) {
  // Invalid UTF-8 is replaced instead of causing an exception.
  std::cout << json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) << "\n";
}

}  // namespace isotherm::app
