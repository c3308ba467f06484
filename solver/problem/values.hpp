#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>

#include "kernels/core/error.hpp"
#include "kernels/core/precision.hpp"
#include "kernels/core/queue/memory.hpp"

namespace isotherm {

/// A view of a field's values in host memory, dense, x fastest. The type of the alternative
/// determines their precision.
///
///     with_precision(precision, [&]<class Real>(Real) {
///       for (Real& value : span_of<Real>(values)) value *= 2;
///     });
using Values = std::variant<std::span<float>, std::span<double>>;
/// A read-only view, likewise.
using ConstValues = std::variant<std::span<float const>, std::span<double const>>;

/// Returns the values as a span of T. @throws Error  if they have another precision
template <class T, class SomeValues>
std::span<T> span_of(SomeValues const& values) {
  auto const* const found = std::get_if<std::span<T>>(&values);
  require(found != nullptr, "the precision of the values differs from that of the field");
  return *found;
}

/// Owns values of either precision in host memory.
class HostValues {
 public:
  HostValues() = default;
  /// Allocates `count` values, uninitialised.
  HostValues(Precision precision, std::size_t count) : precision_(precision) {
    Queue host(Backend::cpu);
    memory_ = Buffer(host, Space::host, count * value_bytes(precision));
  }

  /// True if no memory is allocated.
  [[nodiscard]] bool empty() const { return memory_.bytes() == 0; }
  /// The memory of all values, for copies that do not depend on the precision.
  [[nodiscard]] std::span<std::byte const> bytes() const {
    return {memory_.as<std::byte>(), memory_.bytes()};
  }
  [[nodiscard]] std::span<std::byte> bytes() { return {memory_.as<std::byte>(), memory_.bytes()}; }
  /// A view of the values in their precision.
  [[nodiscard]] Values view() {
    return with_precision(precision_, [&]<class Real>(Real) { return Values(as<Real>()); });
  }
  /// The same, read-only.
  [[nodiscard]] ConstValues view() const {
    return with_precision(precision_,
                          [&]<class Real>(Real) { return ConstValues(as<Real const>()); });
  }

 private:
  /// The memory as values of type T, which must be those of precision_.
  template <class T>
  [[nodiscard]] std::span<T> as() const {
    return {memory_.as<T>(), memory_.bytes() / sizeof(T)};
  }

  Precision precision_ = Precision::float64;
  Buffer memory_{};
};

}  // namespace isotherm
