#pragma once

#include <optional>
#include <string>
#include <vector>

#include "case/case.hpp"

namespace isotherm::app {

/// A change of a case so that it resumes with the time step of a file.
struct ResumedTimeStep {
  std::string assignment;  ///< override, as in "method.time_step=0.002"
  std::string remark;      ///< which step is kept, for the log
};

/// Returns the override with which a case can resume from a file of version 0.2 or before.
///
/// Up to version 0.2 a file stored the time step that the end time had shortened. A case with an
/// end time may have the longer step and still resume from such a file with the file's step.
///
/// Returns nothing if the fingerprints differ in more than the time step, or if the case has no
/// end_time. The same holds if no end time can shorten the case's step to the file's. Serial.
/// @param fingerprint  the fingerprint in the file's description; see SnapshotInfo
std::optional<ResumedTimeStep> resumed_time_step(Case const& chosen,
                                                 std::string const& fingerprint);

}  // namespace isotherm::app
