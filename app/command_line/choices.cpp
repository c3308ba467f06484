#include "app/command_line/choices.hpp"

#include <cctype>
#include <string>

namespace isotherm::app {

CLI::Validator no_nan() {
  auto const refuse = [](std::string const& word) -> std::string {
    std::size_t const sign = word.starts_with('-') || word.starts_with('+') ? 1 : 0;
    bool const is_nan = word.size() > sign && std::tolower(word[sign]) == 'n';
    return is_nan ? word + " is not a number" : "";
  };
  return {refuse, ""};
}

// The type name must list the words: completions and the manual page are generated from it.
void add_device(CLI::App& command, DeviceChoice& device, std::string const& what) {
  command.add_option("--device", device, what)
      ->type_name("auto|cuda|cpu")
      ->transform(one_of<DeviceChoice>({{"auto", DeviceChoice::automatic},
                                        {"cuda", DeviceChoice::cuda},
                                        {"cpu", DeviceChoice::cpu}}));
}

}  // namespace isotherm::app
