#include <gtest/gtest.h>

#include <vector>

/// Built and run with sanitizers, which must find what is lost here: a test that fails, as it
/// should.
TEST(Leak, IsFound) {
  auto* volatile lost = new std::vector<int>(1000);
  EXPECT_EQ(lost->size(), 1000U);
  lost = nullptr;
}
