#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "io/snapshot/snapshot_info.hpp"

namespace isotherm {

/// Reads this rank's part of the field, on any number of ranks, and compares the checksums of all
/// blocks, and so of all values. Collective.
///
///     std::vector<double> u(static_cast<std::size_t>(subdomain.owned().point_count()));
///     read_snapshot(ranks, "u_000500.vtkhdf", subdomain, u.data());
///
/// @param owned  receives the values of the owned points, dense, x fastest
/// @pre  the owned points of all ranks cover the grid once
/// @throws InputError  on every rank, if the values are damaged or of another type or shape, or not
///                     finite in a file that can be resumed
template <class Real>
void read_snapshot(mpi::Communicator const& ranks, std::filesystem::path const& path,
                   Subdomain const& subdomain, Real* owned);

/// Reads a box of a field and converts its values to Real; each rank may read another box.
/// Collective.
///
/// Before that, the ranks share the work of reading all values of the field. They compare the
/// checksums and, if a run can resume from the file, check that the values are finite.
/// @param info   as read_snapshot_info returned it
/// @param field  info.field, or one of info.extra_fields
/// @throws InputError  on every rank, if the values are damaged
template <class Real>
void read_snapshot_box(mpi::Communicator const& ranks, std::filesystem::path const& path,
                       SnapshotInfo const& info, std::string const& field, GlobalBox box,
                       Real* values);

/// Reads several boxes, any number on each rank. Their values are stored one box after another in
/// `values`. Otherwise like read_snapshot_box().
template <class Real>
void read_snapshot_boxes(mpi::Communicator const& ranks, std::filesystem::path const& path,
                         SnapshotInfo const& info, std::string const& field,
                         std::span<GlobalBox const> boxes, Real* values);

}  // namespace isotherm
