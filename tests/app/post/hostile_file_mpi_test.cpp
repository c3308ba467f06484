#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/post/info.hpp"
#include "app/run/resume/resume.hpp"
#include "case/basics/exit_code.hpp"
#include "tests/case/case_texts.hpp"
#include "tests/io/support.hpp"

// Resuming from well-formed files with invalid contents, and describing and verifying them.

namespace isotherm::test {
using namespace app;
namespace {

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

/// Complete and well-formed files with contents that no run would have written.
class HostileFile : public testing::Test {
 protected:
  HostileFile() { chosen.output.directory = directory.path(); }

  [[nodiscard]] SnapshotInfo info_of(std::int64_t iteration) const {
    SnapshotInfo info;
    info.iteration = iteration;
    info.case_text = std::string(laplace_case);
    info.fingerprint = chosen.fingerprint;
    info.state = "{\"iteration\": " + std::to_string(iteration) + "}";
    info.version = "0.1.0";
    return info;
  }

  std::filesystem::path write(SnapshotInfo const& info) {
    auto const path = snapshot_path(directory.path(), "u", info.iteration);
    write_snapshot<double>(world, path, info, subdomain, values.data(), {}, {});
    world.barrier();
    return path;
  }

  /// Returns the reason why a named file cannot be resumed from; empty if it can.
  std::string refusal_of(std::filesystem::path const& file) {
    return message_of<InputError>([&] { (void)loaded(file); });
  }

  std::int64_t loaded(std::optional<std::filesystem::path> const& file) {
    warnings.clear();
    auto const points = resume_points(world, chosen, file, warnings);
    HostValues found(chosen.problem.precision, values.size());
    return load_newest(world, subdomain, points, found, warnings).state.iteration;
  }

  /// What `info` prints on this rank, followed by its exit code.
  std::string printed(InfoOptions const& options) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    code = show_info(mpi::Communicator(MPI_COMM_SELF), options);
    errors = testing::internal::GetCapturedStderr();
    return testing::internal::GetCapturedStdout();
  }

  mpi::Communicator world{MPI_COMM_WORLD};
  SharedDirectory directory{world};
  Case chosen = parse_case(std::string(laplace_case), "case.toml");
  Subdomain subdomain{chosen.problem.grid, choose_decomposition(chosen.problem.grid, world.size()),
                      world.rank()};
  std::vector<double> values = values_of<double>(subdomain);
  std::vector<std::string> warnings;
  std::string errors;
  int code = -1;
};

testing::AssertionResult says(std::string const& message, std::string const& part) {
  if (message.find(part) != std::string::npos) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << '"' << message << "\" does not say \"" << part << '"';
}

TEST_F(HostileFile, ValidStateIsResumed) {
  auto const file = write(info_of(12));

  EXPECT_EQ(refusal_of(file), "");
  EXPECT_EQ(loaded({}), 12);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(HostileFile, InvalidStateIsRefusedIfNamedAndSkippedOtherwise) {
  write(info_of(5));
  for (auto const& [state, said] :
       {std::pair{std::string(R"({"iteration": 39})"),
                  "its field belongs to iteration 12, but its state to"},
        {R"({"iteration": 9223372036854775808})", "iteration is 9223372036854775808"},
        {R"({"iteration": -12})", "iteration is -12"},
        {R"({"iteration": 12.0})", "iteration is 12.0"},
        {R"({"iteration": 12, "first_residual": -1})", "first_residual is -1"},
        {R"({"iteration": 12, "first_residual": 1e999})", "is not a JSON"},
        {R"({"iteration": 12, "last_residual": {"iteration": 13, "time_s": 0, "value": 1}})",
         "last_residual belongs to iteration 13"},
        {R"({"iteration": 12, "time_s": -0.5})", "time_s is -0.5"},
        {R"({"iteration": 12, "time_steps": []})", "time_steps is not an object"},
        {R"({"iteration": 12, "time_steps": {"first": -1, "begin_s": 0, "step_s": 1}})",
         "first is -1"},
        {R"({"iteration": 12, "time_steps": {"first": 13, "begin_s": 0, "step_s": 1}})",
         "does not match the time steps"},
        {R"({"iteration": 12, "time_steps": {"first": 0, "begin_s": 0, "step_s": 1}})",
         "does not match the time steps"},
        {nested(300'000), "is not a JSON"},
        {"", "is not a JSON"}}) {
    SnapshotInfo info = info_of(12);
    info.state = state;

    EXPECT_TRUE(says(refusal_of(write(info)), said));
    EXPECT_EQ(loaded({}), 5);
    if (world.is_root()) {
      EXPECT_EQ(warnings.size(), 1U);
      EXPECT_TRUE(says(warnings.at(0), said));
    }
  }
}

TEST_F(HostileFile, IterationBeyondTheLimitIsRefused) {
  EXPECT_TRUE(says(refusal_of(write(info_of(39))), "after the last one of the case, 20"));
}

TEST_F(HostileFile, DeeplyNestedFingerprintIsRefused) {
  SnapshotInfo info = info_of(12);
  info.fingerprint = nested(300'000);
  EXPECT_TRUE(says(refusal_of(write(info)), "does not record the problem"));

  info.fingerprint =
      "{\"equation.type\": " + nested(30) + ", \"a\": \"" + std::string(1'000'000, 'x') + "\"}";
  std::string const said = refusal_of(write(info));
  EXPECT_TRUE(says(said, "belongs to another problem"));
  EXPECT_LT(said.size(), 1000U);
}

TEST_F(HostileFile, NonFiniteValuesAreSkipped) {
  write(info_of(5));
  if (world.rank() == world.size() - 1) {
    values.back() = std::numeric_limits<double>::infinity();
  }
  auto const file = write(info_of(12));

  EXPECT_TRUE(says(refusal_of(file), "infinite or not a number"));
  EXPECT_EQ(loaded({}), 5);
  EXPECT_TRUE(says(warnings.at(0), "infinite or not a number"));
}

/// Flips a bit of the byte that lies `offset` bytes after the first occurrence of `what` in a file.
void flip_after(std::filesystem::path const& path, std::string const& what, std::size_t offset) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::size_t const at = bytes.find(what);
  ASSERT_NE(at, std::string::npos);
  bytes[at + offset] = static_cast<char>(bytes[at + offset] ^ 4);
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST_F(HostileFile, DamagedFileFallsBackToTheOneBefore) {
  write(info_of(5));
  write(info_of(8));
  auto const bytes_of = [](auto const& number) {
    return std::string(reinterpret_cast<char const*>(&number), sizeof number);
  };
  using Spoil = std::function<void(std::filesystem::path const&)>;
  for (auto const& [said, spoil] : std::initializer_list<std::pair<std::string, Spoil>>{
           {"truncated",
            [](auto const& file) {
              std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
            }},
           {"in the values of \"u\": the checksum of the block of all points",
            [&](auto const& file) { flip_after(file, bytes_of(values[1]), 3); }},
           {"in its description: ",
            [](auto const& file) { flip_after(file, "iteration\": 12", 12); }},
           {"in its description: its checksum is wrong",
            [&](auto const& file) {
              flip_after(file, bytes_of(read_snapshot_info(file).checksum), 6);
            }},
           {"in its description: ", [](auto const& file) { flip_after(file, "periodic", 30); }}}) {
    auto const file = write(info_of(12));
    if (world.is_root()) spoil(file);
    world.barrier();

    EXPECT_EQ(loaded({}), 8);
    if (world.is_root()) {
      ASSERT_EQ(warnings.size(), 1U);
      EXPECT_TRUE(says(warnings[0], file.string() + " is "));
      EXPECT_TRUE(says(warnings[0], said));
    }
    world.barrier();
  }
}

TEST_F(HostileFile, DamageInAnUnusedFieldDoesNotPreventResuming) {
  write(info_of(5));
  auto const file = snapshot_path(directory.path(), "u", 12);
  std::vector<double> const source = values_of<double>(subdomain, -0.5);
  write_snapshot<double>(world, file, info_of(12), subdomain, values.data(),
                         {{"source", source.data()}}, {});
  if (world.is_root()) {
    flip_after(file, std::string(reinterpret_cast<char const*>(&source[1]), sizeof(double)), 3);
  }
  world.barrier();

  EXPECT_EQ(loaded({}), 12);
  EXPECT_TRUE(warnings.empty());
  if (world.is_root()) {
    EXPECT_TRUE(says(printed({file, false, false, true}), "contents    damaged"));
    EXPECT_TRUE(
        says(errors, "in the values of \"source\": the checksum of the block of all points"));
  }
}

TEST_F(HostileFile, ControlCharactersAreEscapedOnTerminals) {
  SnapshotInfo info = info_of(12);
  info.version =
      "\x1b[2J\xc2\x9b"
      "2J";
  info.can_resume = false;
  info.reason_not_resumable = "\x1b]0;title\x07";
  info.case_text = "\x1b[2J";
  info.state = R"({"iteration": 12, "x": "\u009b\u007f\u001b"})";
  auto const file = write(info);
  if (!world.is_root()) {
    return;
  }

  for (auto const& options : {InfoOptions{file}, InfoOptions{file, true},
                              InfoOptions{directory.path()}, InfoOptions{directory.path(), true}}) {
    std::string const text = printed(options);
    for (char const* const order : {"\x1b", "\x07", "\x7f", "\xc2\x9b"}) {
      EXPECT_EQ(text.find(order), std::string::npos) << text;
    }
  }
  EXPECT_TRUE(says(printed({file}), "isotherm \\x1b[2J\\u009b2J"));
  // unchanged, because it does not go to a terminal
  EXPECT_EQ(printed({file, false, true}), "\x1b[2J");
}

TEST_F(HostileFile, DeeplyNestedTextsAreDescribed) {
  SnapshotInfo info = info_of(12);
  info.state = nested(300'000);
  info.fingerprint = nested(300'000);
  auto const file = write(info);
  if (world.is_root()) {
    auto const json = nlohmann::json::parse(printed({file, true}));
    EXPECT_TRUE(json.at("state").is_null());
    EXPECT_TRUE(json.at("fingerprint").is_null());
  }
}

TEST_F(HostileFile, VerifyFindsDamage) {
  write(info_of(5));
  SnapshotInfo info = info_of(12);
  info.state = R"({"iteration": 13})";
  auto const file = write(info);
  if (!world.is_root()) {
    return;
  }

  EXPECT_TRUE(
      says(printed({directory / "u_000005.vtkhdf", false, false, true}), "contents    sound"));
  EXPECT_EQ(code, exit_code::done);
  EXPECT_TRUE(says(printed({file, false, false, true}), "contents    damaged"));
  EXPECT_EQ(code, exit_code::bad_input);
  EXPECT_TRUE(says(errors, "its state to 13"));
  std::string const list = printed({directory.path(), false, false, true});
  EXPECT_TRUE(says(list, "u_000005.vtkhdf  sound"));
  EXPECT_TRUE(says(list, "u_000012.vtkhdf  damaged"));
  EXPECT_EQ(code, exit_code::bad_input);
  auto const json = nlohmann::json::parse(printed({directory.path(), true, false, true}));
  EXPECT_EQ(json.at(0).at("sound"), true);
  EXPECT_TRUE(json.at(0).at("damage").is_null());
  EXPECT_EQ(json.at(1).at("sound"), false);
  EXPECT_EQ(code, exit_code::bad_input);

  std::filesystem::remove(file);
  (void)printed({directory.path(), false, false, true});
  EXPECT_EQ(code, exit_code::done);
  std::ofstream(directory / "u_000099.vtkhdf") << "text";
  (void)printed({directory.path(), false, false, true});
  EXPECT_EQ(code, exit_code::bad_input);
  (void)printed({directory.path()});
  EXPECT_EQ(code, exit_code::done);
}

}  // namespace
}  // namespace isotherm::test
