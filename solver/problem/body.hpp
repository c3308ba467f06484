#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/core/box.hpp"
#include "solver/problem/scalar_function.hpp"

namespace isotherm {

/// Some of the points of space.
struct Region {
  using Contains = std::function<bool(double x, double y, double z)>;

  Contains contains{};  ///< may be called from several threads at once
  std::string text{};   ///< as the user wrote it
};

/// Points that keep a value, as an electrode or a pipe through the box does.
struct FixedRegion {
  Region where{};
  ScalarFunction value{};
  std::string name{};  ///< for tables of what flows into it; may be empty
};

/// What fills the box. Values of materials are looked at at the grid's points; between two points
/// the conductivity is the harmonic mean of theirs, so that a flux is the same on both sides of a
/// jump that lies midway.
struct Body {
  bool is_correction = false;  ///< of a correction, whose operator has been made already
  PerAxis<ScalarFunction> conductivity{1.0, 1.0, 1.0};  ///< κ along each axis, > 0, steady
  bool isotropic = false;        ///< the three are the same function, so one of them is evaluated
  ScalarFunction capacity{1.0};  ///< c > 0, steady; diffusion only
  std::vector<FixedRegion> fixed{};  ///< of several the last one that contains a point holds;
                                     ///< Dirichlet faces win
  std::vector<Region> insulated{};   ///< points that take no part: nothing flows into them, and
                                     ///< their values stay as they are
};

}  // namespace isotherm
