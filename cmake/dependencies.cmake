# The libraries that isotherm stands on. All are packages of Debian 12 and Ubuntu 24.04; see
# jobs/install-packages.sh for their names.

find_package(MPI REQUIRED COMPONENTS CXX)
find_package(OpenMP REQUIRED COMPONENTS CXX)

set(HDF5_PREFER_PARALLEL TRUE)
find_package(HDF5 REQUIRED COMPONENTS C)
if(NOT HDF5_IS_PARALLEL)
  message(FATAL_ERROR "The HDF5 that was found is serial; isotherm writes from all ranks into one "
                      "file and needs a parallel one (Debian: libhdf5-openmpi-dev)")
endif()

find_package(PNG REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(muparser REQUIRED)
