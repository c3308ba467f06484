#pragma once

// What the operations of this folder are compiled for: a field of either precision, with
// corrections in its own or, where it is float64, in float32.

/// Expands `instantiate(Real, From, To)` for every residual: computed in Real, of a field of From,
/// left in To.
#define ISOTHERM_FOR_EACH_RESIDUAL(instantiate)                      \
  instantiate(float, float, float) instantiate(double, float, float) \
      instantiate(double, double, float) instantiate(double, double, double)

/// Expands `instantiate(From, To)` for every correction.
#define ISOTHERM_FOR_EACH_CORRECTION(instantiate) \
  instantiate(float, float) instantiate(float, double) instantiate(double, double)
