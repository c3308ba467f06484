#include "decomposition/transport/transport_description.hpp"

namespace isotherm {

std::string TransportDescription::names() const {
  std::string text;
  for (Part const& part : parts) text += (text.empty() ? "" : ", ") + part.name;
  return text;
}

std::string TransportDescription::text() const {
  std::string text;
  for (Part const& part : parts) {
    text += (text.empty() ? "" : ", ") + part.name;
    if (!part.reasons.empty()) text += " (" + part.reasons + ")";
  }
  return text;
}

void TransportDescription::add_reason(std::string const& reason) {
  if (reason.empty()) return;
  std::string& reasons = parts.back().reasons;
  reasons += (reasons.empty() ? "" : "; ") + reason;
}

void TransportDescription::append(TransportDescription const& other) {
  parts.insert(parts.end(), other.parts.begin(), other.parts.end());
}

}  // namespace isotherm
