#include "app/command_line/process_setup.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/auxv.h>
#include <system_error>
#include <unistd.h>

#include "app/command_line/word_advice.hpp"
#include "case/basics/stop_request.hpp"

namespace isotherm::app {

namespace {

/// Opens missing descriptors in the wrong direction: standard input for writing, the others for
/// reading. So any use fails as with a closed descriptor.
void open_missing_descriptors() {
  for (int const descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) < 0) {  // open() takes the lowest number that is free
      (void)!open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

/// Number of times that a thread polls for the others before it sleeps; the default of GNU's OpenMP
/// library is 300000. If another program occupies a core, spinning threads waste the time in which
/// the delayed thread could run. docs/explanation/performance.md has measurements.
constexpr char const* spin_count = "5000";

/// Makes waiting OpenMP threads sleep soon. GNU's library reads the environment before main(), so
/// the program is executed again in the same process. Does nothing after that restart, or if the
/// user has set one of the variables. The process keeps its identifier, its descriptors and its
/// environment across execv(), so launchers such as mpirun do not notice the restart.
void limit_spinning(char* const* argv) {
  if (std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  if (getauxval(AT_BASE) == 0) return;  // started through the loader: exe is the loader
  std::error_code failure;
  auto const program = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure || setenv("GOMP_SPINCOUNT", spin_count, 0) != 0) return;
  execv(program.c_str(), argv);
  // execv() has failed: continue with the default number of polls.
  unsetenv("GOMP_SPINCOUNT");
}

/// Returns whether the command is `run`, or `sweep`, which passes signals on to its runs. The
/// command line is not parsed yet.
bool handles_signals(int argc, char const* const* argv) {
  if (argc < 2) return false;
  std::string_view const word = argv[1];
  return word == "run" || word == "sweep" || is_case_file(word);
}

}  // namespace

// The restart comes first, since everything else would be lost or repeated.
void set_up_process(int argc, char* const* argv) {
  limit_spinning(argv);
  open_missing_descriptors();
  // The write call then fails with EFBIG, and the message can name the file.
  std::signal(SIGXFSZ, SIG_IGN);
  if (handles_signals(argc, argv)) {
    StopRequest::listen_from_now_on();
  }
}

}  // namespace isotherm::app
