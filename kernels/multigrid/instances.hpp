#pragma once

// The precisions that the operations of this folder are compiled for. A field has either precision.
// Its corrections have the same or, if it is float64, float32 (mixed-precision defect correction).

/// Expands `instantiate(Real, From, To)` for every residual: computed in Real from a field of From,
/// stored as To.
#define ISOTHERM_FOR_EACH_RESIDUAL(instantiate)                      \
  instantiate(float, float, float) instantiate(double, float, float) \
      instantiate(double, double, float) instantiate(double, double, double)

/// Expands `instantiate(From, To)` for every correction of type From to a field of type To.
#define ISOTHERM_FOR_EACH_CORRECTION(instantiate) \
  instantiate(float, float) instantiate(float, double) instantiate(double, double)
