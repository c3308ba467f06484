#!/usr/bin/env python3
"""spack_recipe.py SOURCE_DIR

Runs the Spack recipe with stand-ins for Spack. Each option that it sets must exist in CMake's files, each
library that these search must be a dependency, and each version must exist: a branch, or a tag of the clone.
"""
import pathlib
import re
import subprocess
import sys
import types

source = pathlib.Path(sys.argv[1]).resolve()
recipe = source / "cmake/packaging/spack_repo/isotherm/packages/isotherm/package.py"

# The Spack package for each library that find_package, or a header, asks for.
PACKAGES = {
    "MPI": "mpi", "OpenMP": "cxx", "HDF5": "hdf5", "Cairo": "cairo",
    "Fontconfig": "fontconfig", "PNG": "libpng", "ZLIB": "zlib-api", "fmt": "fmt", "spdlog": "spdlog", "nlohmann_json": "nlohmann-json", "CLI11": "cli11", "tomlplusplus": "tomlplusplus",
    "muparser": "muparser", "Eigen3": "eigen", "CUDAToolkit": "cuda", "NCCL": "nccl", "GTest": "googletest",
}
CMAKES_OWN = {"BUILD_SHARED_LIBS", "BUILD_TESTING", "CMAKE_CUDA_ARCHITECTURES"}


class Said:
    """Records the declarations of the recipe."""
    def __init__(self):
        self.dependencies, self.versions, self.variants = [], {}, {"cuda", "cuda_arch"}

    def directives(self):
        return {
            "depends_on": lambda spec, **_: self.dependencies.append(re.split(r"[@ +~]", spec)[0]),
            "version": lambda name, **where: self.versions.update({name: where}),
            "variant": lambda name, **_: self.variants.add(name),
            "license": lambda *_: None,
            "conflicts": lambda *_, **__: None,
        }


class Value(str):
    """Stands for spec["nccl"], its prefix, and similar attributes."""
    prefix = include = property(lambda self: self)
    value = ("90",)


class Spec(dict):
    variants = {"cuda_arch": Value()}

    def satisfies(self, _):
        return True

    def __missing__(self, key):
        return Value(key)


class Package:
    spec, run_tests = Spec(), False

    def define(self, option, value):
        return option

    def define_from_variant(self, option, variant):
        assert variant in said.variants, f"there is no variant {variant}"
        return option


said = Said()
modules = {
    "spack.package": said.directives(),
    "spack_repo.builtin.build_systems.cmake": {"CMakePackage": Package},
    "spack_repo.builtin.build_systems.cuda": {"CudaPackage": type("CudaPackage", (), {})},
}
for name, contents in modules.items():
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        sys.modules.setdefault(".".join(parts[:end]), types.ModuleType(parts[end - 1]))
    vars(sys.modules[name]).update(contents)
scope = {"__file__": str(recipe), "__name__": "recipe"}
exec(compile(recipe.read_text(), str(recipe), "exec"), scope)
package = scope["Isotherm"]()

faults = []
cmake = "\n".join(path.read_text() for path in [source / "CMakeLists.txt", *source.glob("cmake/*.cmake")])
declared = set(re.findall(r"(?:option|set|find_program|find_path)\((\w+)", cmake))
for option in package.cmake_args():
    if option not in declared | CMAKES_OWN:
        faults.append(f"the recipe sets {option}, which CMake does not know")
# pip builds the Python package.
wanted = set(re.findall(r"^ *find_package\((\w+)", cmake, re.M)) - {"Git", "Python", "nanobind"} | {"NCCL"}
for library in sorted(wanted):
    if PACKAGES.get(library) not in said.dependencies:
        faults.append(f"the recipe does not depend on {library}")
if said.versions.get("main") != {"branch": "main"}:
    faults.append("the recipe does not offer the branch main")
tags = subprocess.run(["git", "-C", str(source), "tag"], capture_output=True, text=True, check=False).stdout.split()
for version, where in said.versions.items():
    if "branch" not in where and where.get("tag") not in tags:
        faults.append(f"the recipe offers version {version}, but the clone has no tag {where.get('tag')}")
if package.git != source.as_uri():
    faults.append(f"the recipe takes the sources from {package.git}")
print("\n".join(f"FAILED: {fault}" for fault in faults) or f"{len(said.dependencies)} dependencies")
sys.exit(1 if faults else 0)
