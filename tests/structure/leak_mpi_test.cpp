#include <gtest/gtest.h>

#include <vector>

/// Built with sanitizers, which must detect this leak: the test is expected to fail.
TEST(Leak, IsFound) {
  auto* volatile lost = new std::vector<int>(1000);
  EXPECT_EQ(lost->size(), 1000U);
  lost = nullptr;
}
