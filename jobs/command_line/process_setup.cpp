#include "jobs/command_line/process_setup.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/auxv.h>
#include <system_error>
#include <unistd.h>

#include "jobs/basics/stop_request.hpp"

namespace isotherm {

namespace {

/// Opened the wrong way round, so that their use fails as that of a closed one does.
void open_missing_descriptors() {
  for (int const descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) < 0) {  // open() takes the lowest number that is free
      (void)!open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

/// How often a thread looks for the others before it sleeps; GNU's default is 300000. If another
/// program takes a core, threads that spin so long wait in vain. docs/performance.md has
/// measurements.
constexpr char const* spin_count = "5000";

/// Makes OpenMP's threads sleep soon while they wait for each other. GNU's library reads the
/// environment before main(), so the program is started once more, in the same process. Does
/// nothing if the user has chosen, and after the restart.
void limit_spinning(char* const* argv) {
  if (std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  if (getauxval(AT_BASE) == 0) return;  // /proc/self/exe is the loader, which was started by name
  std::error_code failure;
  auto const program = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure || setenv("GOMP_SPINCOUNT", spin_count, 0) != 0) return;
  execv(program.c_str(), argv);
  unsetenv("GOMP_SPINCOUNT");  // it could not be started again: threads spin as long as they do by
                               // default
}

bool is_run(int argc, char const* const* argv) {
  return argc > 1 && std::string_view(argv[1]) == "run";
}

}  // namespace

void set_up_process(int argc, char* const* argv) {
  limit_spinning(argv);
  open_missing_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);
  if (is_run(argc, argv)) {
    StopRequest::listen_from_now_on();
  }
}

}  // namespace isotherm
