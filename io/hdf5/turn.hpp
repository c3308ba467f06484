#pragma once

#include <mutex>

namespace isotherm::hdf5 {

/// This thread's right to call HDF5, which may be built without safety for several threads. Who has
/// it may take it again. What several threads of a reader do for it they do in its turn.
///
/// Nobody waits for other ranks in a turn, but the root of those that write a file: the others need
/// none for that, so that it comes to its end.
class Turn {
 public:
  Turn();  ///< waits for that of another thread

 private:
  std::lock_guard<std::recursive_mutex> lock_;
};

}  // namespace isotherm::hdf5
