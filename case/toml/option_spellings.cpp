#include "case/toml/option_spellings.hpp"

#include "case/basics/text/wording.hpp"
#include "case/toml/toml_overrides.hpp"

namespace isotherm {

std::string text_override(std::string const& key, std::string const& text) {
  std::string quoted;
  for (char const c : text) {
    quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  }
  return key + "=\"" + quoted + '"';
}

void OptionSpellings::add(std::string const& assignment, std::string const& option) {
  spellings_.push_back({override_position(assignment), one_line(option)});
}

std::string OptionSpellings::renamed(std::string message) const {
  for (Spelling const& one : spellings_) {
    std::size_t at = 0;
    while ((at = message.find(one.place, at)) != std::string::npos) {
      message.replace(at, one.place.size(), one.option);
      at += one.option.size();
    }
  }
  return message;
}

}  // namespace isotherm
