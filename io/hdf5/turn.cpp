#include "io/hdf5/turn.hpp"

namespace isotherm::hdf5 {
namespace {

std::recursive_mutex& only() {
  static auto* const mutex = new std::recursive_mutex;  // also while the process is ending
  return *mutex;
}

}  // namespace

Turn::Turn() : lock_(only()) {}

}  // namespace isotherm::hdf5
