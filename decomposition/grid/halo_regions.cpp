#include "decomposition/grid/halo_regions.hpp"

#include <cstdlib>
#include <string>

#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

bool is_periodic(Subdomain const& subdomain, int axis) { return subdomain.grid().periodic[axis]; }

bool is_cut(Subdomain const& subdomain, int axis) { return subdomain.parts()[axis] > 1; }

/// True if the rank's own points fill the halo at both ends of the axis.
bool wraps_alone(Subdomain const& subdomain, int axis) {
  return axis < subdomain.grid().dimension && is_periodic(subdomain, axis) &&
         !is_cut(subdomain, axis);
}

/// The only axis whose ends are filled, or nullopt for all axes.
using Along = std::optional<int>;

/// Throws Error unless every rank owns at least `depth` points on each axis whose ends are filled.
/// A halo holds points of the next rank only. It reads the global decomposition, so all ranks
/// agree.
void check_depth(Subdomain const& subdomain, int depth, Along along) {
  require(depth >= 1, "a halo of depth " + std::to_string(depth) + " (it must be at least 1)");
  for (int axis = 0; axis < subdomain.grid().dimension; ++axis) {
    if (axis != along.value_or(axis)) continue;
    bool const filled = is_cut(subdomain, axis) || is_periodic(subdomain, axis);
    std::int64_t const smallest = subdomain.smallest_extent(axis);
    require(!filled || depth <= smallest,
            "a halo of depth " + std::to_string(depth) + " is deeper than the " +
                std::to_string(smallest) + " points that a rank owns on the " + "xyz"[axis] +
                " axis (use fewer parts there, or fewer steps per pass)");
  }
}

/// Returns a box together with the points that wrap around it.
LocalBox with_wrapped(Subdomain const& subdomain, LocalBox filled, int depth, Along along = {}) {
  for (int axis = 0; axis < 3; ++axis) {
    if (axis != along.value_or(axis) || !wraps_alone(subdomain, axis)) continue;
    filled.lower[axis] -= depth;
    filled.upper[axis] += depth;
  }
  return filled;
}

/// Returns the points of `outer` that lie outside `inner` along one axis only.
std::vector<LocalBox> faces_between(LocalBox inner, LocalBox outer) {
  std::vector<LocalBox> faces;
  for (int axis = 0; axis < 3; ++axis) {
    LocalBox below = inner;
    below.lower[axis] = outer.lower[axis];
    below.upper[axis] = inner.lower[axis];
    LocalBox above = inner;
    above.lower[axis] = inner.upper[axis];
    above.upper[axis] = outer.upper[axis];
    for (LocalBox const& face : {below, above}) {
      if (!face.empty()) faces.push_back(face);
    }
  }
  return faces;
}

/// Returns the `depth` outermost owned points of `box` towards `direction`. Along axes that the
/// direction does not cross, the box keeps its full extent with the wrapped points.
LocalBox sent(LocalBox box, Extent3 owned, Index3 direction, int depth) {
  for (int axis = 0; axis < 3; ++axis) {
    if (direction[axis] != 0) {
      box.lower[axis] = direction[axis] < 0 ? 0 : owned[axis] - depth;
      box.upper[axis] = box.lower[axis] + depth;
    }
  }
  return box;
}

/// Returns the halo points next to `sent_box` in `direction`. Their values arrive in the message
/// from that neighbour, which has the same shape.
LocalBox received(LocalBox sent_box, Index3 direction, int depth) {
  Index3 const step{direction.x * depth, direction.y * depth, direction.z * depth};
  return {sent_box.lower + step, sent_box.upper + step};
}

/// True if the direction leaves the rank along an axis that is not cut. Wrapping fills those
/// points, or they lie beyond a physical face, so no message is needed.
bool crosses_uncut_axis(Subdomain const& subdomain, Index3 direction) {
  for (int axis = 0; axis < 3; ++axis) {
    if (direction[axis] != 0 && !is_cut(subdomain, axis)) {
      return true;
    }
  }
  return false;
}

/// Returns the 6 directions across faces, or all 26 if edges and corners are included.
std::vector<Index3> directions(bool corners) {
  std::vector<Index3> all;
  for (int z = -1; z <= 1; ++z) {
    for (int y = -1; y <= 1; ++y) {
      for (int x = -1; x <= 1; ++x) {
        int const axes_crossed = std::abs(x) + std::abs(y) + std::abs(z);
        if (axes_crossed == 1 || (corners && axes_crossed > 1)) {
          all.push_back({x, y, z});
        }
      }
    }
  }
  return all;
}

}  // namespace

HaloRegions halo_regions(Subdomain const& subdomain, int depth, bool corners,
                         std::optional<int> axis) {
  check_depth(subdomain, depth, axis);
  HaloRegions all;
  LocalBox const owned = subdomain.owned();
  LocalBox const with_halo = with_wrapped(subdomain, owned, depth, axis);
  all.wrapped = corners ? difference(with_halo, owned) : faces_between(owned, with_halo);
  LocalBox const filled = corners ? with_halo : owned;
  for (Index3 const direction : directions(corners)) {
    std::optional<int> const peer = subdomain.neighbour(direction);
    bool const other_axis = axis && direction[*axis] == 0;
    if (!peer || other_axis || crosses_uncut_axis(subdomain, direction)) {
      continue;
    }
    LocalBox const send = sent(filled, subdomain.extent(), direction, depth);
    all.regions.push_back({direction, *peer, send, received(send, direction, depth)});
  }
  return all;
}

std::vector<LocalBox> wrapped_around(Subdomain const& subdomain, LocalBox box, int depth) {
  return difference(with_wrapped(subdomain, box, depth), box);
}

int direction_number(Index3 direction) {
  return static_cast<int>(direction.x + 1 + 3 * (direction.y + 1 + 3 * (direction.z + 1)));
}

}  // namespace isotherm
