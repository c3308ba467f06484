#pragma once

#include <type_traits>

#include "kernels/sweep/sweep.hpp"

namespace isotherm::cuda {

/// Calls launch(has_source, has_change) with two integral constants that describe the pass.
///
/// They select the kernel that was compiled for this case, so an absent source or norm costs
/// nothing. Each kernel is compiled four times for this.
template <class Real, class Launch>
void specialised(Pass<Real> const& pass, Launch const& launch) {
  auto const for_source = [&](auto has_source) {
    if (pass.change != nullptr) {
      launch(has_source, std::true_type{});
    } else {
      launch(has_source, std::false_type{});
    }
  };
  if (pass.source) {
    for_source(std::true_type{});
  } else {
    for_source(std::false_type{});
  }
}

}  // namespace isotherm::cuda
