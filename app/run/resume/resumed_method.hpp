#pragma once

#include <optional>
#include <string>

#include "case/case.hpp"

namespace isotherm::app {

/// A change of a case so that it resumes with the method of a file.
struct ResumedMethod {
  std::string assignment;  ///< override, as in "method.name=multigrid"
  std::string remark;      ///< which method is kept, for the log
};

/// Returns the override with which a case that names no method resumes from a file.
///
/// The default method depends on the device, the number of ranks and the version of the program, so
/// it may differ from the file's. The file's method is then kept.
///
/// Returns nothing if the case names its method, or if the fingerprints differ in more than that.
/// Serial.
/// @param fingerprint  the fingerprint in the file's description; see SnapshotInfo
std::optional<ResumedMethod> resumed_method(Case const& chosen, std::string const& fingerprint);

}  // namespace isotherm::app
