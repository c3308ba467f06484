#include "io/hdf5/turn.hpp"

namespace isotherm::hdf5 {
namespace {

std::recursive_mutex& only() {
  static auto* const mutex = new std::recursive_mutex;  // never freed: used until the process ends
  return *mutex;
}

}  // namespace

Turn::Turn() : lock_(only()) {}

}  // namespace isotherm::hdf5
