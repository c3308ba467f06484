#include "jobs/command_line/process_setup.hpp"

#include <csignal>
#include <fcntl.h>
#include <string_view>
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

bool is_run(int argc, char const* const* argv) {
  return argc > 1 && std::string_view(argv[1]) == "run";
}

}  // namespace

void set_up_process(int argc, char const* const* argv) {
  open_missing_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);
  if (is_run(argc, argv)) {
    StopRequest::listen_from_now_on();
  }
}

}  // namespace isotherm
