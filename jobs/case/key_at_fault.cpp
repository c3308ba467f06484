#include "jobs/case/key_at_fault.hpp"

#include "kernels/core/error.hpp"

namespace isotherm {

void blaming(Case const& chosen, std::string const& key, std::function<void()> const& work) {
  auto const said = chosen.said.find(key);
  if (said == chosen.said.end()) {
    work();
    return;
  }
  try {
    work();
  } catch (InputError const& refusal) {
    throw InputError(said->second + ": " + refusal.what());
  }
}

}  // namespace isotherm
