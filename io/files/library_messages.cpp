#include "io/files/library_messages.hpp"

#include <hdf5.h>

namespace isotherm {

void silence_hdf5() { (void)H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

}  // namespace isotherm
