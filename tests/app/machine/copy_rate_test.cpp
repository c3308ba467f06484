#include "app/machine/copy_rate.hpp"

#include <gtest/gtest.h>

// The number of bytes that a measurement of the copy rate uses.

namespace isotherm::app {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t plenty = 1024 * 1024 * mib;

TEST(BytesToCopy, MatchTheField) {
  EXPECT_EQ(bytes_to_copy(Backend::cpu, 200 * mib + 3, plenty), 200 * mib + 3);
  EXPECT_EQ(bytes_to_copy(Backend::cuda, 700 * mib + 3, plenty), 700 * mib + 3);
}

TEST(BytesToCopy, ExceedTheCachesWithinLimits) {
  EXPECT_EQ(bytes_to_copy(Backend::cpu, 8, plenty), 64 * mib);
  EXPECT_EQ(bytes_to_copy(Backend::cuda, 8, plenty), 512 * mib);
  for (Backend const backend : {Backend::cpu, Backend::cuda}) {
    EXPECT_EQ(bytes_to_copy(backend, 5000 * mib, plenty), 1024 * mib);
  }
}

TEST(BytesToCopy, LeaveHostMemoryFree) {
  EXPECT_EQ(bytes_to_copy(Backend::cpu, 200 * mib, 400 * mib), 100 * mib);
  EXPECT_EQ(bytes_to_copy(Backend::cpu, 8, 100 * mib), 25 * mib);
  EXPECT_EQ(bytes_to_copy(Backend::cpu, 8, 0), mib);
  // limited by the device's own memory only
  EXPECT_EQ(bytes_to_copy(Backend::cuda, 8, 0), 512 * mib);
}

}  // namespace
}  // namespace isotherm::app
