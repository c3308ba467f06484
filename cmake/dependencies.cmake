# The libraries that isotherm stands on. All are packages of Debian 12 and Ubuntu 24.04; see
# jobs/install-packages.sh for their names.

find_package(MPI REQUIRED COMPONENTS CXX)
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
