#include "jobs/post/smooth.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <sstream>
#include <utility>

#include "decomposition/field/distributed_field.hpp"
#include "decomposition/ranks/together.hpp"
#include "jobs/basics/exit_code.hpp"
#include "jobs/basics/text_file.hpp"
#include "jobs/basics/wording.hpp"
#include "jobs/machine/device_choice.hpp"
#include "kernels/core/text.hpp"
#include "kernels/filters/convolution.hpp"
#include "kernels/filters/smoothing.hpp"

namespace isotherm {

namespace {

constexpr std::size_t most_weights_in_file = 63;

using Weights = std::vector<double>;

/// Where there is more than one point.
std::vector<int> axes_of(Grid const& grid) {
  std::vector<int> axes;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] > 1) axes.push_back(axis);
  }
  return axes;
}

double weight_in(std::string const& word, std::filesystem::path const& file) {
  double weight = 0.0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), weight);
  if (error != std::errc{} || end != word.data() + word.size() || !(std::abs(weight) < 1e30)) {
    throw InputError(
        fmt::format("{}: \"{}\" is no weight (needs finite numbers with blanks or new "
                    "lines between them)",
                    file.string(), one_line(word, 40)));
  }
  return weight;
}

Weights weights_in(std::filesystem::path const& file) {
  std::istringstream words(read_text_file(file, "a file of weights"));
  Weights weights;
  for (std::string word; words >> word && weights.size() <= most_weights_in_file;) {
    weights.push_back(weight_in(word, file));
  }
  if (weights.size() % 2 == 0 || weights.size() > most_weights_in_file) {
    throw InputError(fmt::format(
        "{} has {} weights (needs an odd number, at most {})", file.string(),
        weights.size() > most_weights_in_file ? "more than " + std::to_string(most_weights_in_file)
                                              : std::to_string(weights.size()),
        most_weights_in_file));
  }
  return weights;
}

/// Those of each axis: a width takes more points where they lie closer together.
PerAxis<Weights> weights_along(SmoothOptions const& options, Grid const& grid) {
  if (options.weights.has_value() == options.width.has_value()) {
    throw InputError("smooth: give one of --width and --weights");
  }
  PerAxis<Weights> along{};
  Weights const given = options.weights ? weights_in(*options.weights) : Weights{};
  for (int const axis : axes_of(grid)) {
    if (options.weights) {
      along[axis] = given;
      continue;
    }
    double const points = *options.width / grid.spacing[axis];
    try {
      along[axis] = options.box ? box_weights(points) : gaussian_weights(points);
    } catch (InputError const& fault) {
      throw InputError(fmt::format("--width {} is, on the {} axis, {}", shortest(*options.width),
                                   "xyz"[axis], fault.what()));
    }
  }
  return along;
}

int radius_of(Weights const& weights) { return static_cast<int>(weights.size() / 2); }

int largest_radius(PerAxis<Weights> const& along) {
  return std::max({radius_of(along[0]), radius_of(along[1]), radius_of(along[2])});
}

Edges edges_on(Grid const& grid, int axis, Edges wanted) {
  if (wanted != Edges::as_grid) return wanted;
  return grid.periodic[axis] ? Edges::wrap : Edges::mirror;
}

/// What lies beyond an edge must be there, once.
void check_reach(Grid const& grid, PerAxis<Weights> const& along, Edges wanted) {
  for (int const axis : axes_of(grid)) {
    Edges const edges = edges_on(grid, axis, wanted);
    std::int64_t const points = grid.points[axis];
    std::int64_t const most = edges == Edges::wrap     ? points
                              : edges == Edges::mirror ? points - 1
                                                       : most_radius;
    int const radius = radius_of(along[axis]);
    if (radius <= most) continue;
    throw InputError(fmt::format(
        "the weights reach {} points to each side, of which the {} axis has {} (needs a smaller "
        "width, or --edges clamp or zero)",
        radius, "xyz"[axis], most));
  }
}

/// The grid as it is to be taken here: periodic where its edges wrap around.
Grid with_edges(Grid grid, Edges wanted) {
  Grid const as_it_is = grid;
  for (int axis = 0; axis < 3; ++axis) {
    grid.periodic[axis] = grid.points[axis] > 1 && edges_on(as_it_is, axis, wanted) == Edges::wrap;
  }
  return grid;
}

HaloShape halo_shape(Grid const& grid, Edges wanted, int axis, int radius) {
  HaloShape shape;
  shape.depth = std::max(1, radius);
  shape.axis = axis;
  Edges const edges = edges_on(grid, axis, wanted);
  for (bool const upper : {false, true}) {
    shape.mirrored[{axis, upper}] = edges == Edges::mirror;
    shape.extended[{axis, upper}] = edges == Edges::clamp;
  }
  return shape;
}

/// Parts along one axis, where these are not thinner than its weights reach.
std::optional<Extent3> slabs(Grid const& grid, int ranks, PerAxis<Weights> const& along) {
  for (int axis = 2; axis >= 0; --axis) {
    if (grid.points[axis] / ranks < std::max(1, radius_of(along[axis]))) continue;
    Extent3 parts{1, 1, 1};
    parts[axis] = ranks;
    return parts;
  }
  return std::nullopt;
}

/// Parts that are not thinner than what they take from each other.
Extent3 parts_of(Grid const& grid, int ranks, PerAxis<Weights> const& along) try {
  return choose_decomposition(grid, ranks, std::max(1, largest_radius(along)));
} catch (InputError const&) {
  if (auto const parts = slabs(grid, ranks, along)) return *parts;
  throw;
}

/// A field with its halo at the ends of one axis.
template <class Real>
struct Ahead {
  FieldSpace<Real> space;
  DistributedField<Real> field{space};

  Ahead(mpi::Communicator const& ranks, Subdomain const& part, Queue& queue, HaloShape const& shape)
      : space(ranks, part, queue, shape, TransportKind::automatic) {}
};

/// Along one axis after the other, which is the same as all at once.
template <class Real>
void convolve_all(mpi::Communicator const& ranks, SmoothOptions const& options,
                  Subdomain const& part, Queue& queue, PerAxis<Weights> const& along,
                  std::vector<Real>& values) {
  auto const ahead_of = [&](int axis) {
    return std::make_unique<Ahead<Real>>(
        ranks, part, queue, halo_shape(part.grid(), options.edges, axis, radius_of(along[axis])));
  };
  std::vector<int> const axes = axes_of(part.grid());
  if (axes.empty()) return;  // a point
  auto from = ahead_of(axes.front());
  from->field.write(values);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    auto to = ahead_of(axes[std::min(i + 1, axes.size() - 1)]);
    from->field.fill_halo();
    convolve<Real>(queue, std::as_const(from->field).view(), to->field.view(), part.owned(),
                   axes[i], along[axes[i]]);
    queue.wait();
    from = std::move(to);
  }
  from->field.read(values);
}

template <class Real>
void smooth_field(mpi::Communicator const& ranks, SmoothOptions const& options,
                  SnapshotInfo const& info, PerAxis<Weights> const& along) {
  Device const device = choose_device(ranks, options.device);
  Grid const grid = with_edges(info.grid, options.edges);
  Extent3 const parts = parts_of(grid, ranks.size(), along);
  Subdomain const part(grid, parts, ranks.rank());
  std::vector<Real> values(static_cast<std::size_t>(part.owned().point_count()));
  read_snapshot(ranks, options.files.input, part, values.data());
  Queue queue(device.backend, device.number);
  convolve_all(ranks, options, part, queue, along, values);
  write_result<Real>(ranks, options.files, info, {info.grid, parts, ranks.rank()}, values.data(),
                     "smoothed");
}

}  // namespace

int smooth(mpi::Communicator const& ranks, SmoothOptions const& asked) {
  SmoothOptions options = asked;
  SnapshotInfo const info = open_operation(ranks, options.files);
  PerAxis<Weights> along{};
  together(ranks, [&] {
    along = weights_along(options, info.grid);
    check_reach(info.grid, along, options.edges);
  });
  with_precision(info.stored_type,
                 [&]<class Real>(Real) { smooth_field<Real>(ranks, options, info, along); });
  return exit_code::done;
}

}  // namespace isotherm
