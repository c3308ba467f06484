#pragma once

#include <array>
#include <vector>

#include "solver/discretise/shapes/cell.hpp"

// Lines through a cell along an axis, at the nodes of a quadrature over the other axes.

namespace isotherm {

/// Where lines cross an axis, with the weight of a quadrature.
struct LineNode {
  double at;
  double weight;
};

/// Calls visit(place, weight) for the lines along an axis at all pairs of nodes on the other axes.
template <class Visit>
void for_each_line(int axis, PerAxis<std::vector<LineNode>> const& nodes, Visit const& visit) {
  int const first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
  PerAxis<double> place{};
  for (LineNode const& a : nodes[first]) {
    for (LineNode const& b : nodes[second]) {
      place[first] = a.at;
      place[second] = b.at;
      visit(place, a.weight * b.weight);
    }
  }
}

/// Returns the nodes of Gauss–Legendre quadrature over the sides of a cell; one node of weight 1
/// along an axis on which it has no length.
inline PerAxis<std::vector<LineNode>> quadrature_over(Cell const& cell) {
  constexpr std::array<LineNode, 6> unit{{{0.033765242898423975, 0.085662246189585178},
                                          {0.16939530676686775, 0.18038078652406930},
                                          {0.38069040695840155, 0.23395696728634552},
                                          {0.61930959304159845, 0.23395696728634552},
                                          {0.83060469323313225, 0.18038078652406930},
                                          {0.96623475710157603, 0.085662246189585178}}};
  PerAxis<std::vector<LineNode>> nodes;
  for (int axis = 0; axis < 3; ++axis) {
    double const length = cell[axis].length();
    if (!(length > 0.0)) {
      nodes[axis] = {{cell[axis].middle(), 1.0}};
      continue;
    }
    for (auto const& [at, weight] : unit) {
      nodes[axis].push_back({cell[axis].lower + at * length, weight * length});
    }
  }
  return nodes;
}

}  // namespace isotherm
