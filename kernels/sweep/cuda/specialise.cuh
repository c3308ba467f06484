#pragma once

#include <type_traits>

#include "kernels/sweep/sweep.hpp"

namespace isotherm::cuda {

/// Calls `launch` with two constants, whether the pass has a source and whether its change is
/// wanted: it picks the kernel that was compiled for both, so that what is absent costs nothing.
/// Kernels are compiled four times for it.
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
