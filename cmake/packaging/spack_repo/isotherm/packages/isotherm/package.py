# How Spack builds isotherm: `spack repo add` the folder that holds repo.yaml, then
#
#   spack install isotherm@main                    # or isotherm@main +cuda cuda_arch=90
#
# The sources are those of the Git clone that this file lies in.

from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Isotherm(CMakePackage, CudaPackage):
    """Solves the Laplace, Poisson and diffusion equations on regular grids in two and three
    dimensions, by multigrid, Jacobi sweeps, or explicit and implicit steps in time, on the cores of
    CPUs and on CUDA GPUs, on one rank or on many."""

    # .../cmake/packaging/spack_repo/isotherm/packages/isotherm/package.py
    git = Path(__file__).resolve().parents[6].as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")  # the only version until a release has a tag

    variant("shared", default=False, description="Build shared libraries")
    variant("exact", default=False, description="Round after each operation, as plain loops do")
    variant("nccl", default=True, when="+cuda", description="Exchange halos over NCCL, too")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("mpi")
    depends_on("hdf5@1.10.5:")  # with MPI or without: each rank uses it by itself
    depends_on("cairo@1.16: +pdf+png+svg+ft+fc")
    depends_on("fontconfig")
    depends_on("libpng@1.6:")
    depends_on("zlib-api")
    depends_on("fmt@9:")
    depends_on("spdlog@1.10: +fmt_external")
    depends_on("nlohmann-json@3.11:")
    depends_on("cli11@2.1:")
    depends_on("tomlplusplus@3.2:")
    depends_on("muparser@2.3:")
    depends_on("eigen@3.3:", type="build")
    depends_on("cuda@12:", when="+cuda")
    depends_on("nccl", when="+nccl")
    depends_on("googletest@1.12:", type="test")

    conflicts("%gcc@:11", msg="isotherm is written in C++20")

    sanity_check_is_file = ["bin/isotherm", "share/man/man1/isotherm.1"]

    def cmake_args(self):
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("ISOTHERM_EXACT", "exact"),
            self.define_from_variant("ISOTHERM_CUDA", "cuda"),
            self.define("ISOTHERM_NATIVE", "GIVEN"),  # by Spack's compiler wrappers: target=...
            self.define("ISOTHERM_CCACHE", False),  # Spack has its own setting for this
            self.define("BUILD_TESTING", self.run_tests),
        ]
        if self.spec.satisfies("+cuda"):
            capabilities = self.spec.variants["cuda_arch"].value
            if "none" not in capabilities:
                args.append(self.define("CMAKE_CUDA_ARCHITECTURES", capabilities))
        if self.spec.satisfies("+nccl"):
            args.append(self.define("NCCL_INCLUDE_DIR", self.spec["nccl"].prefix.include))
        return args

    def check(self):
        """The rooms below the program: what tests it starts jobs, and takes its time."""
        ctest = which("ctest", required=True)
        with working_dir(self.build_directory):
            ctest("--output-on-failure", "-R", r"^(kernels|decomposition|solver|io)\.")
