#pragma once

#include <string>
#include <utility>
#include <vector>

namespace isotherm {

/// Names the transports of an exchange, with the reasons for their choice.
struct TransportDescription {
  /// One transport. Messages within a host and between hosts may have different ones.
  struct Part {
    std::string name;
    std::string reasons{};  ///< its rate, and why no other one is used; may be empty
  };

  TransportDescription() = default;
  explicit TransportDescription(std::string name, std::string reasons = {})
      : parts{{std::move(name), std::move(reasons)}} {}

  /// Returns the names alone: "peer memory, mpi".
  [[nodiscard]] std::string names() const;
  /// Returns the names with their reasons: "peer memory (26 µs, 245 GB/s), mpi".
  [[nodiscard]] std::string text() const;
  /// Adds a reason to those of the last part; an empty one is ignored. @pre  parts is not empty
  void add_reason(std::string const& reason);
  /// Adds the parts of another description.
  void append(TransportDescription const& other);

  std::vector<Part> parts{};
};

}  // namespace isotherm
