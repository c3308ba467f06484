#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/case/case.hpp"

namespace isotherm {

/// How a case is changed so that it goes on with the time step of a file.
struct KeptTimeStep {
  std::string assignment;  ///< "method.time_step=0.002"
  std::string remark;      ///< what is kept
};

/// Up to version 0.2 a file's time step was the one that an end had shortened. A case that says
/// when to end may ask for a longer one and go on from such a file with the file's; nothing where
/// the two differ in more than that, where the case's end_time has no part in it, or where the
/// case's own number is one that no end shortens to the file's.
/// @param fingerprint  the file's
std::optional<KeptTimeStep> kept_time_step(Case const& chosen, std::string const& fingerprint);

}  // namespace isotherm
