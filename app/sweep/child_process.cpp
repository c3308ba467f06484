#include "app/sweep/child_process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/queue.hpp"

// posix_spawn() instead of fork(): MPI forbids or discourages fork() once it has started.

namespace isotherm::app {

namespace {

/// Returns pointers to texts and a null pointer, as exec() takes them.
std::vector<char*> as_pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// What a new process does with its standard descriptors.
class DescriptorPlan {
 public:
  /// @param errors  receives what it writes to standard error
  explicit DescriptorPlan(int errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
  }
  ~DescriptorPlan() { posix_spawn_file_actions_destroy(&actions_); }
  DescriptorPlan(DescriptorPlan const&) = delete;
  DescriptorPlan& operator=(DescriptorPlan const&) = delete;

  [[nodiscard]] posix_spawn_file_actions_t const* actions() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// Returns the position of a variable in an environment, or its end.
auto find_variable(std::vector<std::string>& environment, std::string const& name) {
  return std::ranges::find_if(environment,
                              [&](std::string const& one) { return one.starts_with(name + '='); });
}

/// Gives a process one of the GPUs, in turn. A user's list of GPUs is divided in the same way.
void choose_gpu(std::vector<std::string>& environment, int slot) {
  auto const listed = find_variable(environment, "CUDA_VISIBLE_DEVICES");
  std::vector<std::string> devices;
  if (listed != environment.end()) {
    std::istringstream list(listed->substr(listed->find('=') + 1));
    for (std::string device; std::getline(list, device, ',');) devices.push_back(device);
    environment.erase(listed);
    if (devices.empty()) devices.emplace_back();  // the user allows no GPU
  } else {
    for (int i = 0; i < cuda_device_count(); ++i) devices.push_back(std::to_string(i));
  }
  if (devices.empty()) return;
  environment.push_back("CUDA_VISIBLE_DEVICES=" +
                        devices[static_cast<std::size_t>(slot) % devices.size()]);
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> const& words,
                           std::vector<std::string> const& environment)
    : errors_(memfd_create("isotherm-errors", MFD_CLOEXEC)) {
  std::error_code failure;
  std::string const program = std::filesystem::read_symlink("/proc/self/exe", failure).string();
  require(!failure && errors_.get() >= 0, "cannot start another process of this program");
  std::vector<std::string> all{program};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<std::string> variables = environment;
  DescriptorPlan const descriptors(errors_.get());
  int const fault = posix_spawn(&id_, program.c_str(), descriptors.actions(), nullptr,
                                as_pointers(all).data(), as_pointers(variables).data());
  require(fault == 0, "cannot start another process of this program: " +
                          std::generic_category().message(fault));
}

ChildProcess::~ChildProcess() {
  if (id_ == 0 || poll()) return;
  send(SIGKILL);
  int status = 0;
  (void)uninterrupted([&] { return static_cast<int>(waitpid(id_, &status, 0)); });
}

std::optional<int> ChildProcess::poll() {
  if (id_ == 0) return exit_code_;
  int status = 0;
  auto const ended =
      uninterrupted([&] { return static_cast<int>(waitpid(id_, &status, WNOHANG)); });
  if (ended == 0) return std::nullopt;
  id_ = 0;
  exit_code_ = ended < 0 ? 1 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return exit_code_;
}

void ChildProcess::send(int signal) const {
  if (id_ != 0) kill(id_, signal);
}

std::string ChildProcess::message() const {
  constexpr off_t max_bytes = 65536;  // the end of what it has written is enough
  off_t const size = lseek(errors_.get(), 0, SEEK_END);
  off_t const from = std::max(off_t{0}, size - max_bytes);
  std::string text(static_cast<std::size_t>(std::max(off_t{0}, size - from)), '\0');
  if (pread(errors_.get(), text.data(), text.size(), from) < 0) return "";
  std::istringstream lines(text);
  std::string last;
  std::string const mark = "isotherm: ";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(mark)) last = line.substr(mark.size());
  }
  return last;
}

std::vector<std::string> child_environment(int slot, int slots) {
  std::vector<std::string> environment;
  std::ifstream file("/proc/self/environ", std::ios::binary);
  for (std::string variable; std::getline(file, variable, '\0');) environment.push_back(variable);
  if (slots < 2) return environment;
  if (find_variable(environment, "OMP_NUM_THREADS") == environment.end()) {
    environment.push_back("OMP_NUM_THREADS=" + std::to_string(std::max(1, cpu_threads() / slots)));
  }
  choose_gpu(environment, slot);
  return environment;
}

}  // namespace isotherm::app
