#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/post/pictures/look_changes.hpp"
#include "app/post/pictures/stored_field.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "io/picture/picture.hpp"

/// Functions that `isotherm picture` and `isotherm film` share.

namespace isotherm::app {

/// How stored fields are drawn.
struct DrawingOrder {
  LookChanges look{};
  std::optional<std::string> of{};
  PictureFormat format = PictureFormat::png;
};

/// Returns the options of a field's picture. Collective.
/// @throws InputError  if the changes do not fit the field
PictureOptions options_for(mpi::Communicator const& ranks, StoredField const& field,
                           DrawingOrder const& order);

/// Draws several fields one after another, with one range. Each is read twice, unless the range is
/// given. Collective.
/// @param fields  paths of files, the same on every rank
/// @param take    receives the path of each field and the bytes of its picture, on the root
void draw_series(
    mpi::Communicator const& ranks, std::vector<std::string> const& fields,
    DrawingOrder const& order,
    std::function<void(std::filesystem::path const& field, std::string bytes)> const& take);

/// Returns the paths of a directory's snapshots, on every rank; checkpoints are omitted.
/// Collective.
/// @throws InputError  if there is none
std::vector<std::string> snapshots_in(mpi::Communicator const& ranks,
                                      std::filesystem::path const& directory);

}  // namespace isotherm::app
