#include "app/command_line/choices.hpp"

namespace isotherm::app {

// The type name must list the words: completions and the manual page are generated from it.
void add_device(CLI::App& command, DeviceChoice& device, std::string const& what) {
  command.add_option("--device", device, what)
      ->type_name("auto|cuda|cpu")
      ->transform(one_of<DeviceChoice>({{"auto", DeviceChoice::automatic},
                                        {"cuda", DeviceChoice::cuda},
                                        {"cpu", DeviceChoice::cpu}}));
}

}  // namespace isotherm::app
