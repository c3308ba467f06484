#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "kernels/core/queue/queue.hpp"

namespace isotherm::test {

/// Returns the backend under test: CUDA if the environment has ISOTHERM_TEST_BACKEND=cuda, else the
/// CPU.
inline Backend tested_backend() {
  char const* const wanted = std::getenv("ISOTHERM_TEST_BACKEND");
  return wanted != nullptr && std::string(wanted) == "cuda" ? Backend::cuda : Backend::cpu;
}

inline bool cuda_is_required() {
  char const* const required = std::getenv("ISOTHERM_REQUIRE_CUDA");
  return required != nullptr && std::string(required) == "1";
}

/// Returns why the tested backend cannot be used here; empty if it can.
inline std::string backend_missing() {
  if (tested_backend() == Backend::cpu || cuda_device_count() > 0) return "";
  return "no CUDA device to test on: " + cuda_absence_reason();
}

/// Base class of tests that run on either backend. Without a device, CUDA tests are skipped with a
/// message, or fail if ISOTHERM_REQUIRE_CUDA=1. All ranks of a host decide alike.
template <class Base = testing::Test>
class OnTestedBackend : public Base {
 protected:
  void SetUp() override {
    std::string const missing = backend_missing();
    if (missing.empty()) return;
    if (cuda_is_required()) FAIL() << missing << " (ISOTHERM_REQUIRE_CUDA=1)";
    GTEST_SKIP() << missing;
  }
};
using BackendTest = OnTestedBackend<>;

/// Returns a queue on the tested backend; `rank` selects one of several devices.
inline Queue make_queue(int rank = 0) {
  int const devices = cuda_device_count();
  return Queue(tested_backend(), devices > 0 ? rank % devices : 0);
}

}  // namespace isotherm::test
