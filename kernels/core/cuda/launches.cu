#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <string>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/device/device_attribute.hpp"
#include "kernels/core/cuda/lane.hpp"
#include "kernels/core/cuda/launches.hpp"

namespace isotherm::cuda {

namespace {

/// Destroys a graph.
struct DestroyGraph {
  void operator()(cudaGraph_t graph) const noexcept { (void)cudaGraphDestroy(graph); }
};
using Graph = std::unique_ptr<CUgraph_st, DestroyGraph>;

/// Records the work of a stream. If the work throws, the recording ends and its graph is dropped.
Graph record(cudaStream_t stream, std::function<void()> const& work) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  try {
    work();
  } catch (...) {
    (void)cudaStreamEndCapture(stream, &graph);
    (void)cudaGetLastError();
    Graph const dropped(graph);
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph));
  return Graph(graph);
}

/// Returns the nodes of a graph.
std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) check(cudaGraphGetNodes(graph, nodes.data(), &count));
  return nodes;
}

/// Returns the name of a kernel without its namespaces, template arguments and parameters.
std::string short_name(char const* mangled) {
  if (mangled == nullptr) return "a kernel without a name";
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> const full(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  std::string name = full ? full.get() : mangled;
  name.resize(std::min(name.find_first_of("<("), name.size()));
  std::size_t const start = name.find_last_of(": ");
  return start == std::string::npos ? name : name.substr(start + 1);
}

/// Returns the short name of a kernel. Before CUDA 12.3 names are not known.
std::string name_of([[maybe_unused]] void const* function) {
  char const* name = nullptr;
#if CUDART_VERSION >= 12030
  check(cudaFuncGetName(&name, function));
#endif
  return short_name(name);
}

/// Returns the resources of a launch on a device.
KernelLaunch launch_of(cudaKernelNodeParams const& node, int device) {
  cudaFuncAttributes function{};
  check(cudaFuncGetAttributes(&function, node.func));
  KernelLaunch launch;
  launch.kernel = name_of(node.func);
  launch.blocks = std::int64_t{node.gridDim.x} * node.gridDim.y * node.gridDim.z;
  launch.threads = static_cast<int>(node.blockDim.x * node.blockDim.y * node.blockDim.z);
  launch.registers = function.numRegs;
  launch.local_bytes = function.localSizeBytes;
  launch.shared_bytes = function.sharedSizeBytes + node.sharedMemBytes;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&launch.blocks_a_multiprocessor, node.func,
                                                      launch.threads, node.sharedMemBytes));
  int const max_threads = device_attribute(device, cudaDevAttrMaxThreadsPerMultiProcessor);
  launch.occupancy =
      static_cast<double>(launch.blocks_a_multiprocessor) * launch.threads / max_threads;
  return launch;
}

}  // namespace

std::vector<KernelLaunch> launches_of(Queue& queue, std::function<void()> const& work) {
  Graph const graph = record(make_current(queue), work);
  std::vector<KernelLaunch> launches;
  for (cudaGraphNode_t const node : nodes_of(graph.get())) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type));
    if (type != cudaGraphNodeTypeKernel) continue;
    cudaKernelNodeParams params{};
    check(cudaGraphKernelNodeGetParams(node, &params));
    launches.push_back(launch_of(params, queue.device()));
  }
  return launches;
}

}  // namespace isotherm::cuda
