#pragma once

#include <optional>
#include <string>

#include "kernels/core/box.hpp"

/// How a stored field was computed from that of a run. The file keeps it in its state, so pictures
/// show of the case only what still holds.
///
///   info.state = with_derivation(info.state, {.by = "moved", .same_places = false});
///   if (!derivation_of(info.state).same_places) …

namespace isotherm::app {

/// The last operation on a field, and what holds after all of them.
struct Derivation {
  std::string by{};           ///< "smoothed"; empty for the field of a run
  bool same_places = true;    ///< false if values lie elsewhere, or are those of whole lines
  bool same_quantity = true;  ///< false if values are not those of u, but of a difference, say
  std::string quantity{};     ///< what they are then: "a - b"
  /// What the values gain over a period of each axis; nullopt: what the case states.
  std::optional<PerAxis<double>> gains{};
};

/// Returns the derivation in a state (SnapshotInfo::state); that of a run's field if there is none.
Derivation derivation_of(std::string const& state);

/// Returns the state with one more operation.
std::string with_derivation(std::string const& state, Derivation const& last);

}  // namespace isotherm::app
