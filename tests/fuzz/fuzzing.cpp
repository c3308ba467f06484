#include "tests/fuzz/fuzzing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <new>
#include <sstream>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "kernels/core/error.hpp"
#include "tests/support/sanitized.hpp"

#if defined(__SANITIZE_ADDRESS__)
/// Crashes of libraries end the process by a signal, which distinguishes them from the sanitizer's
/// reports.
extern "C" char const* __asan_default_options() {
  return "handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:allocator_may_return_null=1";
}
#endif

namespace isotherm::test {
namespace {

constexpr int max_cpu_s = 10;
constexpr std::uint64_t batch = 2000;
constexpr std::uint64_t nobody = ~std::uint64_t{0};
constexpr std::size_t max_failures = 5;
constexpr int threw_wrong = 2, took_memory = 3;  // exit codes of child processes

/// Shared memory in which a child reports to its parent.
struct Board {
  std::atomic<std::uint64_t> seed{nobody};
  char fault[1024] = {};
};

void note(Board& board, std::string_view text) {
  text = text.substr(0, sizeof board.fault - 1);
  std::copy(text.begin(), text.end(), board.fault);
  board.fault[text.size()] = '\0';
}

/// Returns the fault in the handling of an input; empty if there is none.
std::string fault_of(std::function<void(std::uint64_t)> const& handle, std::uint64_t seed) {
  std::string said = "nothing";
  try {
    handle(seed);
  } catch (InputError const& error) {
    said = error.what();
  } catch (Error const& error) {
    said = error.what();
  } catch (std::exception const& error) {
    return std::string("threw something else: ") + error.what();
  }
  constexpr std::size_t long_line = 4000;
  if (said.empty()) return "the message is empty";
  if (said.find('\n') != std::string::npos) return "more than one line: " + said;
  if (said.size() > long_line) return "a line of " + std::to_string(said.size()) + " letters";
  return "";
}

void limit_cpu_time() {
  itimerval const limit{{}, {max_cpu_s, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

[[noreturn]] void handle_batch(Board& board, std::uint64_t from, std::uint64_t to,
                               std::function<void(std::uint64_t)> const& handle) {
  constexpr long max_kib = 1L << 20;
  long const before = peak_kib();
  rlimit const no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (std::uint64_t seed = from; seed < to; ++seed) {
    board.seed = seed;
    limit_cpu_time();
    std::string fault = fault_of(handle, seed);
    bool const too_much = fault.empty() && peak_kib() - before > max_kib;
    if (too_much) fault = "took more than 1 GiB";
    if (!fault.empty()) {
      note(board, fault);
      _exit(too_much ? took_memory : threw_wrong);
    }
  }
  _exit(0);
}

std::string death(int status) {
  if (WIFEXITED(status)) return "a sanitizer's report, or an exit";
  if (WTERMSIG(status) == SIGPROF) return "took more than 10 s of CPU time";
  return std::string("died by ") + strsignal(WTERMSIG(status));
}

std::uint64_t number_from(char const* name, std::uint64_t otherwise) {
  char const* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::string contents(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::uint64_t Random::next() { return splitmix64(std::exchange(state_, state_ + splitmix64_step)); }

std::size_t Random::below(std::size_t count) { return count == 0 ? 0 : next() % count; }

std::string mutated(Random& random, std::string input, std::vector<std::string> const& words) {
  for (std::size_t turns = 1 + random.below(4); turns > 0; --turns) {
    std::size_t const at = random.below(input.size() + 1);
    std::size_t const length =
        std::min(input.size() - at, 1 + random.below(random.chance(4) ? 200 : 8));
    std::string const part = input.substr(at, length);
    switch (random.below(7)) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1U << random.below(8)));
        break;
      case 1:
        if (at < input.size()) input[at] = static_cast<char>(random.next());
        break;
      case 2:
        input.erase(at, length);
        break;
      case 3:
        input.insert(random.below(input.size() + 1), part);
        break;
      case 4:
        if (random.chance(8)) input.resize(at);
        break;
      default:
        if (!words.empty())
          input.replace(at, random.chance(2) ? 0 : length, words[random.below(words.size())]);
    }
  }
  return input;
}

std::vector<std::string> corpus(std::string const& ending) {
  constexpr std::size_t small = 4096;
  std::vector<std::filesystem::path> paths;
  for (char const* const folder : {"/tests/fuzz/corpus", "/jobs/cases"}) {
    for (auto const& entry :
         std::filesystem::directory_iterator(std::string(ISOTHERM_SOURCE_DIR) + folder)) {
      bool const is_meant = entry.path().filename().string().ends_with(ending);
      if (is_meant && entry.file_size() <= small) paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  std::vector<std::string> texts;
  texts.reserve(paths.size());
  for (auto const& path : paths) texts.push_back(contents(path));
  return texts;
}

void fuzz(std::uint64_t few, std::function<void(std::uint64_t)> const& handle,
          Tolerance const& tolerance) {
  if (std::uint64_t const seed = number_from("ISOTHERM_FUZZ_SEED", nobody); seed != nobody) {
    EXPECT_EQ(fault_of(handle, seed), "");
    return;
  }
  std::uint64_t const from = number_from("ISOTHERM_FUZZ_FROM", 0);
  std::uint64_t const end =
      from + number_from("ISOTHERM_FUZZ_INPUTS", is_sanitized ? few / 4 : few);
  void* const memory =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto& board = *new (memory) Board;
  std::vector<std::string> failures;
  std::uint64_t tolerated = 0;
  for (std::uint64_t next = from; next < end && failures.size() < max_failures;) {
    board.fault[0] = '\0';
    pid_t const child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) handle_batch(board, next, std::min(next + batch, end), handle);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    next = board.seed + 1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    std::string const fault = "ISOTHERM_FUZZ_SEED=" + std::to_string(board.seed) + ": " +
                              (board.fault[0] != '\0' ? std::string(board.fault) : death(status));
    bool const may_be_the_librarys =
        WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == took_memory);
    if (may_be_the_librarys && !tolerance.reason.empty()) {
      ++tolerated;
      std::cout << fault << " (" << tolerance.reason << ")\n";
    } else {
      failures.push_back(fault);
    }
  }
  munmap(memory, sizeof(Board));
  for (std::string const& failure : failures) ADD_FAILURE() << failure;
  if (tolerated > 0) {
    EXPECT_LE(tolerated * tolerance.one_in, end - from + tolerance.one_in)
        << tolerated << " of " << end - from << " inputs, which is more than is known of";
  }
}

}  // namespace isotherm::test
