#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <unistd.h>

#include "app/machine/plan_file.hpp"
#include "case/case.hpp"
#include "case/data/value_file.hpp"
#include "case/expressions/expression.hpp"
#include "io/surface/stl_file.hpp"
#include "tests/case/case_texts.hpp"
#include "tests/fuzz/fuzzing.hpp"
#include "tests/io/value_files.hpp"

// Parsing mutated cases, overrides, expressions, plan tables, values and surfaces.

namespace isotherm::test {
using namespace app;
namespace {

using Words = std::vector<std::string>;

/// Values that are tried for any key.
Words const values{
    "0",     "-1",       "1e308", "1e-320",  "nan",  "inf",      "9223372036854775807",
    "true",  "\"\"",     "[]",    "{}",      "[[",   "]]",       "\"stable\"",
    "1_0",   "0x7f",     "'''",   "\"\"\"",  "\n",   "= ",       "#",
    "[1,2]", "99999999", "0.5",   "\\u0000", "\xff", "\xc3\xa9", "2024-01-01"};
Words const keys{"[constants]\n",
                 "[grid]\n",
                 "[initial]\n",
                 "[method]\n",
                 "[output]\n",
                 "[run]\n",
                 "[checkpoint]\n",
                 "points = ",
                 "upper = ",
                 "periodic",
                 "dirichlet",
                 "neumann",
                 "type = ",
                 "value = ",
                 "x_lower = ",
                 "multigrid",
                 "crank_nicolson",
                 "time_step = ",
                 "end_time = ",
                 "steps = ",
                 "tolerance = ",
                 "[[initial.box]]\n",
                 "[[initial.gaussian]]\n",
                 "[[material]]\n",
                 "[[fixed]]\n",
                 "[[insulated]]\n",
                 "[[boundary.patch]]\n",
                 "conductivity = ",
                 "coefficient = ",
                 "robin",
                 "where = ",
                 "box = ",
                 "ball = ",
                 "cylinder = ",
                 "cut = ",
                 "patience = ",
                 "wall_time = ",
                 "precision = "};
Words const terms{
    "x",    "y",        "z",    "t",    "pi",    "sin(",  "sqrt(", "exp(",   "min(",   "max(",
    ")",    "(",        "+",    "-",    "*",     "/",     "^",     "?",      ":",      ",",
    "==",   "<",        "0",    "1e9",  "._",    "1e999", "rnd",   "=",      ";",      "\"a\"",
    "sum(", "avg(",     "&&",   "||",   "!",     "x=1",   "if(",   "((((((", "_pi",    "e",
    "%",    "\xc3\xa9", "pow(", "mod(", "step(", "erf(",  "k",     "\"k\"",  "\"2*k\""};

Words both(Words first, Words const& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::string any_of(Random& random, Words const& texts) { return texts[random.below(texts.size())]; }

TEST(Fuzz, MutatedCasesAreHandled) {
  Words const texts =
      both(corpus(".toml"), {std::string(laplace_case), std::string(diffusion_case)});
  Words const words = both(both(values, keys), terms);
  ASSERT_GE(texts.size(), 8U);
  fuzz(1500, [&](std::uint64_t seed) {
    Random random(seed);
    (void)parse_case(mutated(random, any_of(random, texts), words), "case.toml");
  });
}

TEST(Fuzz, RandomOverridesAreHandled) {
  Words const assignments = corpus(".set");
  ASSERT_GE(assignments.size(), 1U);
  Words lines;
  for (std::string const& text : assignments) {
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
  }
  fuzz(1500, [&](std::uint64_t seed) {
    Random random(seed);
    Words overrides;
    for (std::size_t i = 1 + random.below(3); i > 0; --i) {
      overrides.push_back(mutated(random, any_of(random, lines),
                                  both(values, {".", "=", "run.", "method.", ".0."})));
    }
    (void)parse_case(std::string(random.chance(2) ? laplace_case : diffusion_case), "case.toml",
                     overrides);
  });
}

TEST(Fuzz, MutatedExpressionsAreHandled) {
  Words lines;
  for (std::string const& text : corpus(".expressions")) {
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
  }
  ASSERT_GE(lines.size(), 5U);
  fuzz(3000, [&](std::uint64_t seed) {
    Random random(seed);
    std::string const text = mutated(random, any_of(random, lines), terms);
    (void)expression_variables(text);
    ScalarFunction const function = parse_expression(text, random.chance(2));
    for (double const x : {0.0, 0.5, -1e300}) (void)function(x, 0.25, 1.0 / 3.0, 1.0);
    (void)constant_value(text, {{"k", random.chance(2) ? 2.0 : -1e300}, {"pi2", 0.0}});
  });
}

TEST(Fuzz, MutatedPlanTablesAreHandled) {
  Words const texts = corpus(".plans");
  ASSERT_GE(texts.size(), 1U);
  fuzz(1500, [&](std::uint64_t seed) {
    Random random(seed);
    (void)parse_plan_table(mutated(random, any_of(random, texts), both(values, keys)),
                           "plans.toml");
  });
}

/// A valid file, and the ending of its name.
struct Example {
  std::string ending;
  std::string bytes;
};

/// A file for mutated contents, which all processes of a test use in turn. It is removed in the
/// end.
class MutatedFile {
 public:
  explicit MutatedFile(std::string const& ending)
      : path_(testing::TempDir() + "mutated_" + std::to_string(getpid()) + ending) {}
  ~MutatedFile() { std::filesystem::remove(path_); }
  MutatedFile(MutatedFile const&) = delete;
  MutatedFile& operator=(MutatedFile const&) = delete;

  /// Writes the file and returns its path.
  [[nodiscard]] std::string with(std::string const& bytes) const { return written(path_, bytes); }

 private:
  std::string path_;
};

TEST(Fuzz, MutatedValuesAreHandled) {
  std::vector<double> const numbers(12, 0.5);
  std::string const array = npy("<f8", "(3, 4)", bytes_of(numbers));
  std::vector<Example> const examples{
      {".npy", array},
      {".npy", npy("<i2", "(3, 4)", bytes_of(std::vector<std::int16_t>(12, 3)), true)},
      {".npz", npz({{"a.npy", array, false}})},
      {".npz", npz({{"a.npy", array, true}})},
      {".csv", "# of numpy\n1 2 3 4\n1 2 3 4\n1 2 3 4\n"},
      {".csv",
       "x,y,v\n0,0,1\n1,0,2\n2,0,2\n3,0,2\n0,1,1\n1,1,2\n2,1,2\n3,1,2\n0,2,1\n1,2,2\n2,2,2\n3,2,"
       "2\n"},
      {".png", png(4, 3, std::string(12, 'a'))},
      {".png", png(4, 3, std::string(36, 'a'), 3)}};
  Words const words = both(values, {std::string(8, '\xff'), std::string(4, '\0'), "PK\1\2", "IDAT",
                                    "shape", "descr", "\n\n", ",,", ";"});
  RequiredShape const wanted{{3, 4}, "y, x", "the grid's", {{0, 1, 2}, {0, 1, 2, 3}}};
  std::map<std::string, MutatedFile> files;
  for (Example const& example : examples) files.try_emplace(example.ending, example.ending);
  fuzz(1500, [&](std::uint64_t seed) {
    Random random(seed);
    Example const& example = examples[random.below(examples.size())];
    ValueFile file{files.at(example.ending).with(mutated(random, example.bytes, words))};
    file.stretch = example.ending == ".png";
    auto const source = open_value_source(file, wanted);
    std::vector<double> read(12);
    source->read({{0, 0, 0}, {4, 3, 1}}, read.data());
  });
}

TEST(Fuzz, MutatedSurfacesAreHandled) {
  auto const triangles = box_triangles({0, 0, 0}, {1, 2, 3});
  Words const examples{stl(triangles), stl_text(triangles)};
  MutatedFile const file(".stl");
  fuzz(800, [&](std::uint64_t seed) {
    Random random(seed);
    std::string const path = file.with(mutated(random, any_of(random, examples), values));
    ClosedSurface const surface(read_stl(path, 0.5, {}), path);
    for (double const place : {0.25, 0.5, -1e300}) (void)surface.contains(place, 0.5, place);
    (void)surface.volume();
  });
}

}  // namespace
}  // namespace isotherm::test
