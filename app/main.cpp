#include <exception>
#include <iostream>

#include "app/command_line/process_setup.hpp"
#include "app/command_line/program.hpp"
#include "case/basics/exit_code.hpp"

/// The entry point of `isotherm`: configures the process, starts MPI, and runs the command on all
/// ranks. Returns one of the codes of case/basics/exit_code.hpp.
int main(int argc, char** argv) try {
  isotherm::app::set_up_process(argc, argv);
  isotherm::mpi::Session const session(argc, argv, isotherm::mpi::Daemon::none);
  auto const ranks = isotherm::mpi::Communicator::world();
  return isotherm::app::run_program(ranks, argc, argv);
} catch (std::exception const& error) {  // MPI has failed to start or to end
  std::cerr << "isotherm: " << error.what() << std::endl;
  return isotherm::exit_code::failed;
}
