#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/case/case.hpp"

namespace isotherm {

/// How a case is changed so that it goes on with the time step of a file.
struct KeptTimeStep {
  std::vector<std::string> overrides;  ///< "method.time_step=0.002" …
  std::string remark;                  ///< what is kept, and when the run now ends
};

/// A case that says when to end may come to another time step than the run that it extends, as that
/// was shortened for another end. Then the file's is kept, and the run ends with the step that
/// reaches the end; nothing where the two differ in more than that, where the case's end_time has
/// no part in it, or where the case's own number is one that no end shortens to the file's.
/// @param fingerprint  the file's
std::optional<KeptTimeStep> kept_time_step(Case const& chosen, std::string const& fingerprint);

}  // namespace isotherm
