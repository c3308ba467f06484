#include "app/run/resume/resumed_time_step.hpp"

#include <gtest/gtest.h>

#include "kernels/core/text.hpp"
#include "tests/case/case_texts.hpp"

// Resuming with the time step of a file if an end time has shortened it.

namespace isotherm::test {
using namespace app;
namespace {

Case diffusion(std::string const& length, std::string const& step = "0.002") {
  std::string const text = with(diffusion_case, "steps = 7", length);
  return parse_case(with(text, "time_step = 0.002", "time_step = " + step), "case.toml");
}

/// The fingerprint of a file of version 0.2, which contains the length of the steps as taken.
std::string old_file(double step) { return diffusion("steps = 7", shortest(step)).fingerprint; }

Case changed(Case const& chosen, ResumedTimeStep const& kept) {
  return parse_case(chosen.text, "case.toml", {kept.assignment});
}

TEST(ResumedTimeStep, KeepsAStepThatAnEndTimeShortened) {
  Case const longer = diffusion("end_time = 0.0111");

  auto const kept = resumed_time_step(longer, old_file(0.00175));

  ASSERT_TRUE(kept);
  Case const now = changed(longer, *kept);
  EXPECT_TRUE(fingerprint_differences(now.fingerprint, old_file(0.00175)).empty());
  EXPECT_EQ(now.method.end_time_s, 0.0111);
  EXPECT_EQ(kept->remark, "0.00175, kept from the file");
}

TEST(ResumedTimeStep, KeepsTheStepOfTheFileForStableSteps) {
  Case const longer = diffusion("end_time = 0.02", "\"stable\"");

  auto const kept = resumed_time_step(longer, old_file(0.00175));

  ASSERT_TRUE(kept);
  Case const now = changed(longer, *kept);
  EXPECT_EQ(now.method.time_step_s, 0.00175);
  EXPECT_FALSE(resumed_time_step(now, old_file(0.00175))) << "nothing is left to change";
}

TEST(ResumedTimeStep, UsesTheStepOfTheCaseForNewFiles) {
  EXPECT_FALSE(
      resumed_time_step(diffusion("end_time = 0.014"), diffusion("end_time = 0.007").fingerprint));
}

TEST(ResumedTimeStep, NotKeptIfTheCaseContradicts) {
  std::string const before = old_file(0.00175);

  EXPECT_FALSE(resumed_time_step(diffusion("steps = 20"), before)) << "no end";
  EXPECT_FALSE(resumed_time_step(diffusion("end_time = 0.0105", "0.0015"), before))
      << "a smaller step is asked for";
  EXPECT_FALSE(resumed_time_step(diffusion("end_time = 0.014"), old_file(0.0005)))
      << "a larger step is asked for";
  Case other = diffusion("end_time = 0.014");
  other.fingerprint = parse_case(other.text, "case.toml", {"equation.diffusivity=0.5"}).fingerprint;
  EXPECT_FALSE(resumed_time_step(other, before)) << "it is another problem";
}

}  // namespace
}  // namespace isotherm::test
