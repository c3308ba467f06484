#pragma once

#include <filesystem>
#include <string>

#include "io/hdf5/hdf5.hpp"
#include "io/hdf5/own_data.hpp"
#include "io/hdf5/stored_bytes.hpp"
#include "io/hdf5/turn.hpp"
#include "io/snapshot/block_grid.hpp"

namespace isotherm {

/// Opens an HDF5 file for reading, by this rank alone.
/// @throws InputError  where there is no such file, it cannot be read, is not HDF5, or truncated
hdf5::File open_for_reading(std::filesystem::path const& path);

/// What an Error of the hdf5 functions says, from where HDF5 is quoted on.
std::string reason_of(Error const& error);

/// What to do with a file whose data lie elsewhere.
std::string advice_about_own_data();

/// What is read of a file, for messages: all but the values.
inline constexpr char const* in_description = "in its description: ";

/// Runs `work`, which reads `path`, one of isotherm's files; a failure of HDF5 then means that it
/// is damaged. In this thread's turn; it must not wait for other ranks. A file without data of its
/// own was changed since isotherm wrote it.
/// @param where  which part of it is read, for messages; may be empty
/// @throws InputError
template <class Work>
auto reading(std::filesystem::path const& path, std::string const& where, Work&& work) {
  hdf5::Turn const turn;
  hdf5::QuietErrors const quiet;
  try {
    return work();
  } catch (NotOwnData const& found) {
    throw InputError(path.string() + ": " + found.what() +
                     ", where isotherm's files hold their data themselves");
  } catch (hdf5::UnknownFilter const& found) {
    throw InputError(path.string() + ": " + found.what() +
                     " (there may be shuffle, deflate and "
                     "Fletcher-32, each once): rewrite it with h5repack -f NONE");
  } catch (Error const& error) {
    throw InputError(path.string() + " is damaged: " + where + reason_of(error));
  }
}

/// Runs `work`, which reads the values of `box`, some of so many points: a failure says of which.
template <class Work>
void naming_points(GlobalBox box, Extent3 points, Work&& work) {
  try {
    work();
  } catch (Error const& damage) {
    throw Error(std::string(damage.what()) + " (that of " + name_of_points(box, points) + ")",
                damage.place());
  }
}

/// "512 x 512 x 1": points in the order x, y, z.
std::string to_text(Extent3 points);

/// Reads the box of a dataset's values, dense, converted to Real. Serial.
/// @param rank  axes of the dataset, 2 (y, x), 3 (z, y, x) or 4 (of vectors; the box counts
/// numbers,
///              and holds all of a point's)
template <class Real>
void read_box(hdf5::Dataset const& dataset, int rank, GlobalBox box, Real* values);

}  // namespace isotherm
