#include "jobs/run/kept_time_step.hpp"

#include <gtest/gtest.h>

#include "tests/jobs/case_texts.hpp"

namespace isotherm::test {
namespace {

Case diffusion(std::string const& length, std::string const& step = "0.002") {
  std::string const text = with(diffusion_case, "steps = 7", length);
  return parse_case(with(text, "time_step = 0.002", "time_step = " + step), "case.toml");
}

Case changed(Case const& chosen, KeptTimeStep const& kept) {
  return parse_case(chosen.text, "case.toml", kept.overrides);
}

TEST(KeptTimeStep, IsTheFilesWhereAnEndHasShortenedIt) {
  Case const before = diffusion("end_time = 0.007");  // 4 steps of 0.00175
  Case const longer = diffusion("end_time = 0.014");  // would be 7 of 0.002

  auto const kept = kept_time_step(longer, before.fingerprint);

  ASSERT_TRUE(kept);
  Case const now = changed(longer, *kept);
  EXPECT_TRUE(fingerprint_differences(now.fingerprint, before.fingerprint).empty());
  EXPECT_EQ(now.method.iterations, 8);
  EXPECT_EQ(kept->remark, "0.00175 is kept; 8 steps end at t = 0.014");
}

TEST(KeptTimeStep, EndsWithTheStepThatReachesTheEnd) {
  Case const before = diffusion("end_time = 0.007");
  Case const longer = diffusion("end_time = 0.0111");

  auto const kept = kept_time_step(longer, before.fingerprint);

  ASSERT_TRUE(kept);
  EXPECT_EQ(changed(longer, *kept).method.iterations, 7);
  EXPECT_EQ(kept->remark,
            "0.00175 is kept; 7 steps end at t = 0.01225, the first end of a step after 0.0111");
}

TEST(KeptTimeStep, IsTheFilesWhereTheCaseAsksForAStableOne) {
  Case const before = diffusion("end_time = 0.007", "\"stable\"");
  Case const longer = diffusion("end_time = 0.02", "\"stable\"");
  ASSERT_NE(before.method.time_step_s, longer.method.time_step_s);

  auto const kept = kept_time_step(longer, before.fingerprint);

  ASSERT_TRUE(kept);
  Case const now = changed(longer, *kept);
  EXPECT_EQ(now.method.time_step_s, before.method.time_step_s);
  EXPECT_GE(static_cast<double>(now.method.iterations) * now.method.time_step_s, 0.02 * (1 - 1e-9));
  EXPECT_FALSE(kept_time_step(now, before.fingerprint)) << "nothing is left to change";
  EXPECT_TRUE(kept_time_step(diffusion("end_time = 0.03", "\"stable\""), now.fingerprint))
      << "and so once more";
}

TEST(KeptTimeStep, IsNotKeptAgainstWhatTheCaseSays) {
  Case const before = diffusion("end_time = 0.007");

  EXPECT_FALSE(kept_time_step(diffusion("steps = 20"), before.fingerprint)) << "no end";
  EXPECT_FALSE(kept_time_step(diffusion("end_time = 0.0105", "0.0015"), before.fingerprint))
      << "a smaller step is asked for";
  Case const fine = diffusion("end_time = 0.007", "0.0005");
  EXPECT_FALSE(kept_time_step(diffusion("end_time = 0.014"), fine.fingerprint))
      << "a larger step is asked for";
  Case other = diffusion("end_time = 0.014");
  other.fingerprint = parse_case(other.text, "case.toml", {"equation.diffusivity=0.5"}).fingerprint;
  EXPECT_FALSE(kept_time_step(other, before.fingerprint)) << "it is another problem";
}

}  // namespace
}  // namespace isotherm::test
