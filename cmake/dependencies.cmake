# The libraries that isotherm stands on. All are packages of Debian 12 and Ubuntu 24.04; see
# jobs/install-packages.sh for their names.

# Without MPI, decomposition/ranks/serial/mpi.h stands in for its header: everything runs on one rank.
option(ISOTHERM_MPI "Run on several ranks, with MPI" ON)
if(ISOTHERM_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
  set(ISOTHERM_MPI_LIBRARY MPI::MPI_CXX)
  set(ISOTHERM_MPI_LEFT_OUT decomposition/ranks/serial/serial_mpi.cpp)
else()
  message(STATUS "MPI: left out, so all runs have one rank (ISOTHERM_MPI=OFF)")
endif()
find_package(OpenMP REQUIRED COMPONENTS CXX)

find_package(HDF5 1.10.5 REQUIRED COMPONENTS C)  # serial or parallel: each rank uses it by itself

find_package(Cairo 1.16 REQUIRED)
find_package(Fontconfig REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(muparser REQUIRED)
find_package(Eigen3 3.3 REQUIRED NO_MODULE)
