#pragma once

#include <functional>
#include <string>

#include "jobs/case/case.hpp"

namespace isotherm {

/// Does `work`, which goes by the key ("run.decomposition") of the case. Where it refuses what the
/// case says there, the message begins with file, line, key and value: `case.toml:12: [run] plan =
/// "fast": …`. Where the case leaves the key out, the message stays as it is.
/// @throws InputError  what `work` throws, so worded
void blaming(Case const& chosen, std::string const& key, std::function<void()> const& work);

}  // namespace isotherm
