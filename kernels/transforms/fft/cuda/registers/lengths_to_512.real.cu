#include "kernels/transforms/fft/cuda/registers/start_registers.cuh"

namespace isotherm::cuda {

template bool start_registers<320>(Queue&, RegisterTask<ISOTHERM_REAL>, bool);
template bool start_registers<384>(Queue&, RegisterTask<ISOTHERM_REAL>, bool);
template bool start_registers<512>(Queue&, RegisterTask<ISOTHERM_REAL>, bool);

}  // namespace isotherm::cuda
