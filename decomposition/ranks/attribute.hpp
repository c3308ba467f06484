#pragma once

#include <mpi.h>

#include <memory>
#include <utility>

#include "decomposition/ranks/mpi.hpp"

// Values that belong to an MPI communicator: at most one for each type T. MPI destroys them with
// the communicator, and duplicates do not get them. MPI_Finalize begins with those of
// MPI_COMM_SELF, while all ranks and the CUDA runtime still exist. When static objects are
// destroyed, they no longer do.
//
//     Rates* const known = mpi::find_attribute<Rates>(ranks.get());
//     Rates& rates = known != nullptr ? *known : mpi::set_attribute(ranks.get(), Rates{});

namespace isotherm::mpi {

#ifdef ISOTHERM_SERIAL_MPI

/// The value of all communicators, which contain the same rank.
template <class T>
std::unique_ptr<T>& only_attribute() {
  static std::unique_ptr<T> value;
  return value;
}

template <class T>
T* find_attribute(MPI_Comm /*comm*/) {
  return only_attribute<T>().get();
}

template <class T>
T& set_attribute(MPI_Comm /*comm*/, T value) {
  only_attribute<T>() = std::make_unique<T>(std::move(value));
  return *only_attribute<T>();
}

#else

/// The callback by which MPI destroys a value.
template <class T>
int destroy_attribute(MPI_Comm /*comm*/, int /*key*/, void* value, void* /*unused*/) {
  delete static_cast<T*>(value);
  return MPI_SUCCESS;
}

/// Returns MPI's key of the values of a type, which the first call creates.
template <class T>
int attribute_key() {
  static int const key = [] {
    int created = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, destroy_attribute<T>, &created, nullptr));
    return created;
  }();
  return key;
}

/// Returns the communicator's value of type T, or null if it has none. Not collective.
template <class T>
T* find_attribute(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(comm, attribute_key<T>(), static_cast<void*>(&value), &found));
  return found != 0 ? static_cast<T*>(value) : nullptr;
}

/// Sets the communicator's value of type T and returns it. Destroys the previous one. Not
/// collective.
template <class T>
T& set_attribute(MPI_Comm comm, T value) {
  auto owner = std::make_unique<T>(std::move(value));
  check(MPI_Comm_set_attr(comm, attribute_key<T>(), owner.get()));
  return *owner.release();
}

#endif

}  // namespace isotherm::mpi
