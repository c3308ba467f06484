#pragma once

#include <mutex>

namespace isotherm::hdf5 {

/// A lock on HDF5, which may be built without thread safety. A thread that holds it may lock it
/// again. Threads that share an HDF5 reader also use it to protect that reader.
///
///     hdf5::Turn const turn;
///     hdf5::Dataset const dataset = open_dataset(group, "u");
///
/// While a thread holds the lock, it must not wait for other ranks. The only exception is the root
/// of the ranks that write a file: the others need no lock for that, so the wait ends.
class Turn {
 public:
  Turn();  ///< waits until no other thread holds the lock

 private:
  std::lock_guard<std::recursive_mutex> lock_;
};

}  // namespace isotherm::hdf5
