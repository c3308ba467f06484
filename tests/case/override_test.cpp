#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "case/case.hpp"
#include "case/toml/toml_overrides.hpp"
#include "kernels/core/error.hpp"
#include "tests/case/case_texts.hpp"
#include "tests/support/face_names.hpp"

// Overrides by --set, and the case text that a run stores.

namespace isotherm::test {
namespace {

Case laplace(std::vector<std::string> const& overrides) {
  return parse_case(std::string(laplace_case), "case.toml", overrides);
}

Case diffusion(std::vector<std::string> const& overrides) {
  return parse_case(std::string(diffusion_case), "case.toml", overrides);
}

/// Returns the message that refuses a removal; empty if it is accepted.
std::string said_of(std::string const& removal) {
  try {
    (void)laplace({removal});
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

TEST(CaseOverride, ReplacesTheValueOfTheFile) {
  EXPECT_EQ(laplace({"method.iterations=50"}).method.iterations, 50);
  EXPECT_EQ(laplace({"method.iterations = 50"}).method.iterations, 50);
  EXPECT_EQ(laplace({"grid.points=[5, 6, 7]"}).problem.grid.points, (Extent3{5, 6, 7}));
}

TEST(CaseOverride, LastOneWins) {
  EXPECT_EQ(laplace({"method.iterations=50", "method.iterations=60"}).method.iterations, 60);
}

TEST(CaseOverride, RemovesKeys) {
  EXPECT_EQ(diffusion({"method.steps=7", "!method.end_time"}).method.iterations, 7);
  EXPECT_EQ(laplace({"title=mine", "!title"}).title, "case");
  EXPECT_EQ(laplace({"checkpoint.every=5", "!checkpoint"}).checkpoint.every,
            laplace({}).checkpoint.every);
  EXPECT_EQ(laplace({"!output.compression"}).problem.grid.points, laplace({}).problem.grid.points);
  Case const without =
      laplace({"boundary.x_lower={type = 'neumann', value = 2}", "!boundary.x_lower"});
  EXPECT_EQ(without.problem.boundary[x_lower].kind, BoundaryKind::dirichlet);
  EXPECT_EQ(parse_case(without.text, "again.toml").problem.boundary[x_lower].kind,
            BoundaryKind::dirichlet);
}

TEST(CaseOverride, RemovesKeysOfEntriesOfLists) {
  std::string const text =
      with(laplace_case, "value = 0.0",
           "[[initial.box]]\nlower = [0, 0, 0]\nupper = [1, 1, 1]\nvalue = 1") +
      "\n[[insulated]]\nname = \"hole\"\nball = { center = [0.5, 0.5, 0.5], "
      "radius = 0.3 }\n";
  Case const unnamed = parse_case(text, "case.toml", {"!insulated.0.name"});
  EXPECT_EQ(unnamed.regions.at(0).name, "0");
  // Another shape replaces the ball, as in the file.
  Case const boxed = parse_case(
      text, "case.toml",
      {"!insulated.0.ball", "insulated.0.box={ lower = [0, 0, 0], upper = [0.5, 0.5, 0.5] }"});
  EXPECT_EQ(boxed.problem.medium.insulated.at(0).text, "box [0, 0, 0] to [0.5, 0.5, 0.5]");
  try {
    (void)parse_case(text, "case.toml", {"!insulated.1.ball"});
    FAIL() << "an entry that the case lacks";
  } catch (InputError const& error) {
    EXPECT_EQ(std::string(error.what()),
              "--set !insulated.1.ball: insulated is a list of 1 (the only entry is insulated.0 "
              "(\"hole\"))");
  }
}

TEST(CaseOverride, RefusesInvalidRemovals) {
  EXPECT_EQ(said_of("!method.nam"),
            "--set !method.nam: [method] nam is not a key (did you mean name?)");
  EXPECT_EQ(said_of("!grid.points.0"),
            "--set !grid.points.0: grid.points is a list, which can only be removed as a whole "
            "(write !grid.points)");
  EXPECT_EQ(said_of("!initial.gaussian.0"),
            "--set !initial.gaussian.0: initial.gaussian is a list, which can only be removed as a "
            "whole (write !initial.gaussian)");
  EXPECT_EQ(said_of("!initial.gaussian.width"),
            "--set !initial.gaussian.width: initial.gaussian is a list of tables (give the number "
            "of one, as in !initial.gaussian.0.width)");
  EXPECT_EQ(said_of("!insulated.0.cylinder"),
            "--set !insulated.0.cylinder: the case has no [[insulated]] number 0");
  EXPECT_EQ(said_of("!insulated.0.balls"),
            "--set !insulated.0.balls: [insulated] balls is not a key (did you mean "
            "ball?)");
  EXPECT_EQ(said_of("!title.x"),
            "--set !title.x: title is not a table and has no keys (write !title)");
  // it may be a table
  EXPECT_EQ(said_of("!equation.source.fil").find("not a table"), std::string::npos);
  EXPECT_EQ(said_of("!method.nam.x"),
            "--set !method.nam.x: [method] nam is not a key (did you mean name?)");
  EXPECT_NE(said_of("!grid.points").find("points"), std::string::npos);  // the key is required
}

TEST(CaseOverride, ExplainsRemoval) {
  for (auto const& [removal, key] :
       {std::pair("!", ""), std::pair("!method.tolerance=3", "method.tolerance=3"),
        std::pair("!title=1 #", "title=1 #")}) {
    EXPECT_EQ(said_of(removal),
              "--set " + std::string(removal) + ": \"" + key +
                  "\" is not a key (write !KEY, as in --set '!method.tolerance')");
  }
}

TEST(CaseOverride, CreatesMissingSections) {
  Case const chosen = diffusion({"checkpoint.every=5", "output.picture=false"});

  EXPECT_EQ(chosen.checkpoint.every, 5);
  EXPECT_FALSE(chosen.output.picture);
}

TEST(CaseOverride, ChangesInlineTablesAndLists) {
  Case const chosen = laplace({"boundary.all.value=4", "grid.points.0=33"});

  EXPECT_EQ(chosen.problem.boundary[y_upper].value.constant, 4.0);
  EXPECT_EQ(chosen.problem.grid.points.x, 33);
}

TEST(CaseOverride, ChangesListsOfTables) {
  std::string const text = with(laplace_case, "value = 0.0",
                                "[[initial.box]]\nlower = [0, 0, 0]\nupper = [1, 1, 1]\nvalue = 1");

  Case const chosen = parse_case(text, "case.toml", {"initial.box.0.value=2.5"});

  EXPECT_EQ(chosen.problem.initial.boxes.at(0).value, 2.5);
}

TEST(CaseOverride, FallsBackToPlainText) {
  EXPECT_EQ(laplace({"output.directory=first/run"}).output.directory, "first/run");
  EXPECT_EQ(laplace({"output.directory=\"second run\""}).output.directory, "second run");
  EXPECT_EQ(laplace({"title=a=b"}).title, "a=b");
  EXPECT_EQ(laplace({"initial.value=sin(pi*x)"}).problem.initial.value.text, "sin(pi*x)");
}

TEST(CaseOverride, CannotInjectKeys) {
  EXPECT_THROW(laplace({"output.directory=1\nkeep=2"}), InputError);
  EXPECT_THROW(laplace({"method.iterations=1\ntolerance=0.1"}), InputError);
}

TEST(CaseOverride, ReplacesAlternativeKeysOfTheFile) {
  EXPECT_EQ(diffusion({"method.end_time=0.01"}).method.iterations, 5);
  EXPECT_EQ(diffusion({"method.end_time=0.01", "method.time_step=stable"}).method.iterations, 5);
  EXPECT_TRUE(diffusion({"initial.file=u.h5", "initial.dataset=u"}).initial_file.has_value());
}

TEST(CaseOverride, ListsTheKeysThatItReplaces) {
  EXPECT_TRUE(diffusion({"method.time_step=stable"}).displaced.empty());
  EXPECT_EQ(diffusion({"method.end_time=0.01"}).displaced,
            std::vector<std::string>{"[method] steps, because of --set method.end_time=0.01"});
}

TEST(CaseOverride, InitialFileReplacesOtherInitialValues) {
  std::string const text = with(laplace_case, "value = 0.0",
                                "[[initial.box]]\nlower = [0, 0, 0]\nupper = [1, 1, 1]\nvalue = 1");
  std::vector<std::string> const file{"initial.file=u.vtkhdf", "initial.resample=true"};
  EXPECT_TRUE(parse_case(text, "case.toml", file).initial_file.has_value());
  std::vector<std::string> both{"initial.box.0.value=2.5"};
  both.insert(both.end(), file.begin(), file.end());
  EXPECT_THROW(parse_case(text, "case.toml", both), InputError);  // ambiguous

  std::string const begun = parse_case(text, "case.toml", file).text;
  EXPECT_FALSE(parse_case(begun, "case.toml", {"initial.value=1"}).initial_file.has_value());
}

TEST(CaseOverride, RegionReplacesOtherSelections) {
  std::string const text = with(laplace_case, "value = 0.0",
                                R"(value = 0.0
[[boundary.patch]]
face = "x_upper"
where = "y > 0.5"
type = "neumann"
[[insulated]]
box = { lower = [0.4, 0.4, 0.4], upper = [0.6, 0.6, 0.6] }
[[insulated]]
box = { lower = [0.1, 0.1, 0.1], upper = [0.3, 0.3, 0.3] })");
  auto const changed = [&](std::vector<std::string> const& overrides) {
    return parse_case(text, "case.toml", overrides).problem;
  };

  Problem const problem = changed({"insulated.0.ball={center=[0.5,0.5,0.5],radius=0.3}",
                                   "boundary.patch.0.ball={center=[1,1,1],radius=0.5}"});
  EXPECT_TRUE(problem.medium.insulated.at(0).contains(0.5, 0.5, 0.75));
  EXPECT_FALSE(problem.medium.insulated.at(1).contains(0.5, 0.5, 0.5));
  EXPECT_FALSE(problem.patches.at(0).where.contains(1.0, 1.0, 0.0));
  EXPECT_TRUE(changed({"insulated.1.where=x > 0.9"}).medium.insulated[1].contains(1.0, 0.0, 0.0));
  EXPECT_THROW(
      changed({"insulated.0.where=x > 0.9", "insulated.0.ball={center=[0.5,0.5,0.5],radius=0.3}"}),
      InputError);  // ambiguous
}

TEST(CaseOverride, DoesNotReplaceAnotherOverride) {
  EXPECT_THROW(diffusion({"method.steps=3", "method.end_time=0.01"}), InputError);
}

TEST(CaseOverride, ChangesNothingElse) {
  Case const plain = laplace({});
  Case const changed = laplace({"method.iterations=50"});

  EXPECT_EQ(plain.fingerprint, changed.fingerprint);
  EXPECT_EQ(plain.title, changed.title);
}

TEST(CaseText, EqualsTheFileWithoutOverrides) { EXPECT_EQ(laplace({}).text, laplace_case); }

TEST(CaseText, NamesOverridesAndReadsBack) {
  std::vector<std::string> const overrides{
      "method.iterations=50", "boundary.x_lower={type=\"neumann\", value=1e-3}",
      "initial.box=[{lower=[0,0,0.5], upper=[1,2,3], value=0.1}]", "title=a \"quoted\" \\ title",
      "output.cut={lower=[0,0,0], upper=[1,1,1]}"};

  Case const first = laplace(overrides);
  Case const second = parse_case(first.text, "other.toml");

  EXPECT_TRUE(first.text.starts_with("# as run: --set method.iterations=50 --set ")) << first.text;
  EXPECT_EQ(second.title, "a \"quoted\" \\ title");
  EXPECT_EQ(second.fingerprint, first.fingerprint);
  EXPECT_EQ(second.method.iterations, 50);
  EXPECT_EQ(second.output.cut, first.output.cut);
  EXPECT_EQ(second.problem.initial.boxes.at(0).lower[2], 0.5);
}

TEST(CaseText, CommentHasNoControlCharacters) {
  std::string const text = laplace({"grid.points=[5,\n 6,\n 7]"}).text;

  EXPECT_EQ(parse_case(text, "case.toml").problem.grid.points, (Extent3{5, 6, 7}));
}

TEST(CaseText, RefusesInvalidUtf8) { EXPECT_THROW(laplace({"title=\xff\xfe"}), InputError); }

TEST(CaseText, CommentIsCutBetweenCharacters) {
  for (int const letters : {70, 71, 72, 73, 74, 75}) {
    std::string const title = std::string(static_cast<std::size_t>(letters), 'a') + "éééééééé";
    std::string const text = laplace({"title=" + title}).text;

    EXPECT_EQ(parse_case(text, "case.toml").title, title);
  }
}

TEST(CaseText, ContainsTheTitleFromTheFileName) {
  std::string const untitled = with(laplace_case, "title = \"plain\"\n", "");

  EXPECT_EQ(parse_case(parse_case(untitled, "warm.toml").text, "out/case.toml").title, "warm");
}

TEST(CaseText, NamesTheInitialFileByAbsolutePath) {
  std::string const relative =
      with(laplace_case, "value = 0.0", "file = \"../data/u.h5\"\ndataset = \"/u\"");
  auto const wanted = std::filesystem::current_path() / "data/u.h5";

  Case const first = parse_case(relative, "cases/case.toml");
  Case const second = parse_case(first.text, "elsewhere/case.toml");

  EXPECT_EQ(first.initial_file->path, "../data/u.h5");
  EXPECT_EQ(second.initial_file->path, wanted);
  EXPECT_TRUE(fingerprint_differences(second.fingerprint, first.fingerprint).empty());
  EXPECT_EQ(parse_case(second.text, "third/case.toml").text, second.text);
}

TEST(TomlText, PreservesTypesOrderAndQuotedKeys) {
  std::string const text =
      "z = 1\na = [1.0, -2e-300, 3]\n\"odd key\" = \"tab\\t, \\u0001 and é\"\nf = false\n"
      "d = 2026-11-20\n[s]\nempty = {}\nnan = nan\n[[s.list]]\nx = inf\n[[s.list]]\nx = 0x10\n";

  std::string const once = to_toml(parse_toml(text, "a"));

  EXPECT_EQ(once,
            "z = 1\na = [1.0, -2e-300, 3]\n\"odd key\" = \"tab\\t, \\u0001 and é\"\nf = false\n"
            "d = 2026-11-20\n\n[s]\nempty = {}\nnan = nan\n\n[[s.list]]\nx = inf\n"
            "\n[[s.list]]\nx = 16\n");
  EXPECT_EQ(to_toml(parse_toml(once, "a")), once);
}

TEST(CaseOverride, ReadsATimeOfDayAsText) {
  EXPECT_EQ(diffusion({"run.wall_time=23:50:00"}).run.wall_time_s, 85800.0);
  EXPECT_EQ(diffusion({R"(run.wall_time="1-00:00:01")"}).run.wall_time_s, 86401.0);
}

}  // namespace
}  // namespace isotherm::test
