#pragma once

#include <string>

namespace isotherm {

/// A commented case, ready to run, to start one's own from.
/// @param kind  "laplace", "poisson" or "diffusion"
/// @throws InputError  naming the nearest valid kind
std::string new_case(std::string const& kind);

}  // namespace isotherm
