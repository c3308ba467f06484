#pragma once

#include <exception>
#include <functional>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// Runs `work` on every rank and, where it throws on any, throws on all of them: an InputError
/// where every failure is one, else an Error. Ranks on which it went well name the first that
/// failed and its reason. Collective; keeps a rank from waiting for others that have given up.
void together(mpi::Communicator const& ranks, std::function<void()> const& work);

/// Like together, but only the root works.
void on_root(mpi::Communicator const& ranks, std::function<void()> const& work);

}  // namespace isotherm
