#pragma once

#include <algorithm>
#include <limits>

#include "io/hdf5/hdf5.hpp"

namespace isotherm::hdf5 {

/// Returns the common part of isotherm's virtual file drivers (H5FD_class_t), without callbacks.
/// Callers set the functions that open, read, write and close, and register the driver with
/// H5FDregister().
/// @param name    of the driver; must outlive it
/// @param number  unique number of the driver, at least 512 (lower ones belong to HDF5 and to
/// registered drivers)
inline H5FD_class_t blank_driver(char const* name, [[maybe_unused]] int number) {
  H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION  // 1.14 and later
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(number);
#endif
  driver.name = name;
  driver.maxaddr = std::numeric_limits<std::int64_t>::max();
  driver.fc_degree = H5F_CLOSE_WEAK;
  std::fill(std::begin(driver.fl_map), std::end(driver.fl_map), H5FD_MEM_DEFAULT);
  return driver;
}

}  // namespace isotherm::hdf5
