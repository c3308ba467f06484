#include "jobs/solver_state.hpp"

#include <nlohmann/json.hpp>

namespace isotherm {

std::string to_json(SolverState const& state) {
  nlohmann::json json{{"iteration", state.iteration}};
  if (state.first_residual) {
    json["first_residual"] = *state.first_residual;
  }
  if (auto const& last = state.last_residual) {
    json["last_residual"] = {
        {"iteration", last->iteration}, {"time_s", last->time_s}, {"value", last->value}};
  }
  return json.dump();
}

namespace {

SolverState read_state(nlohmann::json const& json) {
  SolverState state;
  json.at("iteration").get_to(state.iteration);
  if (json.contains("first_residual")) {
    state.first_residual = json.at("first_residual").get<double>();
  }
  if (json.contains("last_residual")) {
    nlohmann::json const& last = json.at("last_residual");
    state.last_residual = Residual{last.at("iteration"), last.at("time_s"), last.at("value")};
  }
  return state;
}

}  // namespace

SolverState solver_state_from_json(std::string const& text) {
  try {
    return read_state(nlohmann::json::parse(text));
  } catch (nlohmann::json::exception const& error) {
    throw InputError(std::string("the solver's state in the file cannot be read: ") + error.what());
  }
}

}  // namespace isotherm
