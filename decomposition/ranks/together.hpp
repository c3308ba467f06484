#pragma once

#include <exception>
#include <functional>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// Runs `work` on every rank and, if it throws on any of them, throws on all: an InputError if
/// every failure is one, else an Error. Ranks on which it succeeded name the first rank that failed
/// and its reason. So no rank waits for others that have given up. `work` must not communicate.
/// Collective.
void together(mpi::Communicator const& ranks, std::function<void()> const& work);

/// Like together, but only the root runs `work`.
void on_root(mpi::Communicator const& ranks, std::function<void()> const& work);

}  // namespace isotherm
