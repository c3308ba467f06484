#pragma once

#include <string>
#include <string_view>

namespace isotherm::test {

/// A Laplace problem in 3D; line 1 is the title.
constexpr std::string_view laplace_case = R"toml(title = "plain"
[grid]
points = [9, 10, 11]
upper = [1.0, 2.0, 3.0]
precision = "float64"
[equation]
type = "laplace"
[boundary]
all = { type = "dirichlet", value = 1.0 }
[initial]
value = 0.0
[method]
name = "jacobi"
iterations = 20
[output]
directory = "plain"
[checkpoint]
keep = 2
[run]
device = "cpu"
)toml";

/// A diffusion problem on a periodic plane with spacing 0.1; the largest stable time step is
/// 0.0025.
constexpr std::string_view diffusion_case = R"toml(title = "wave"
[grid]
points = [10, 10]
[equation]
type = "diffusion"
diffusivity = 1.0
[boundary]
x = { type = "periodic" }
y = { type = "periodic" }
[initial]
value = "sin(2*pi*x)"
[method]
time_step = 0.002
steps = 7
)toml";

/// Returns `text` with the single occurrence of `from` replaced by `to`. Empty if there is none, so
/// a mistake in a test makes it fail.
inline std::string with(std::string_view text, std::string_view from, std::string_view to) {
  std::string changed(text);
  auto const place = changed.find(from);
  if (place == std::string::npos || changed.find(from, place + 1) != std::string::npos) {
    return "";
  }
  return changed.replace(place, from.size(), to);
}

}  // namespace isotherm::test
