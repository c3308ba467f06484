#pragma once

#include <exception>
#include <functional>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// Collective error agreement: runs `work` on every rank, and if it throws on any of them, throws
/// on all of them. So no rank waits for others that have given up. Collective.
///
/// The exception is an InputError if every failure is one, otherwise an Error. A rank that failed
/// rethrows its own exception if that has the agreed kind. Every other rank throws the text of the
/// first failing rank; an Error also names that rank. `work` must not communicate: a rank that
/// fails in it would leave the others waiting.
///
///     // All ranks succeed, or all throw.
///     rethrow_on_all_ranks(ranks, [&] { file = open_my_share(path); });
///
/// The cost is one reduction of an integer if all ranks succeed.
/// @throws InputError, Error  on every rank, as described above
void rethrow_on_all_ranks(mpi::Communicator const& ranks, std::function<void()> const& work);

/// Like rethrow_on_all_ranks(), but only the root runs `work`. Collective.
void on_root(mpi::Communicator const& ranks, std::function<void()> const& work);

}  // namespace isotherm
