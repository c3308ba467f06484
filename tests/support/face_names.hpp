#pragma once

#include "decomposition/grid/grid.hpp"

namespace isotherm::test {

inline constexpr Face x_lower{0, false};
inline constexpr Face x_upper{0, true};
inline constexpr Face y_lower{1, false};
inline constexpr Face y_upper{1, true};
inline constexpr Face z_lower{2, false};
inline constexpr Face z_upper{2, true};

}  // namespace isotherm::test
