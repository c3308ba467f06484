#include "solver/multigrid/aggregates/node_inverse.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/core/connections.hpp"

namespace isotherm {

namespace {

/// What holds the nodes of a component.
struct Component {
  double hold = 0.0;
  double stiffness = 0.0;
  double smallest = std::numeric_limits<double>::infinity();  ///< diagonal entry
  std::vector<std::size_t> nodes{};
};

/// Returns the connected components, at the indices of their representatives.
template <class Real>
std::vector<Component> components_of(NodeOperator<Real> const& a,
                                     std::vector<double> const& diagonal) {
  std::size_t const n = diagonal.size();
  Connections connections(n);
  for (std::size_t p = 0; p < n; ++p) {
    a.links.each(p, [&](std::size_t q, Real) { connections.join(p, q); });
  }
  std::vector<Component> components(n);
  for (std::size_t p = 0; p < n; ++p) {
    Component& component = components[connections(p)];
    component.hold += static_cast<double>(a.hold[p]);
    component.stiffness += a.stiffness[p];
    component.smallest = std::min(component.smallest, diagonal[p]);
    component.nodes.push_back(p);
  }
  return components;
}

Eigen::Index index_of(std::size_t p) { return static_cast<Eigen::Index>(p); }

/// Returns the dense matrix of an operator.
template <class Real>
Eigen::MatrixXd matrix_of(NodeOperator<Real> const& a, std::vector<double> const& diagonal) {
  Eigen::MatrixXd matrix =
      Eigen::MatrixXd::Zero(index_of(diagonal.size()), index_of(diagonal.size()));
  for (std::size_t p = 0; p < diagonal.size(); ++p) {
    matrix(index_of(p), index_of(p)) = diagonal[p];
    a.links.each(p, [&](std::size_t q, Real value) {
      matrix(index_of(p), index_of(q)) += static_cast<double>(value);
    });
  }
  return matrix;
}

/// Returns the inverse of a symmetric matrix. The matrix is scaled to a diagonal of 1, to which its
/// rounding is added.
Eigen::MatrixXd inverse_of(Eigen::MatrixXd matrix) {
  constexpr double rounding = 1e-14;
  Eigen::VectorXd const scale =
      matrix.diagonal().cwiseMax(std::numeric_limits<double>::min()).cwiseSqrt().cwiseInverse();
  matrix = scale.asDiagonal() * matrix * scale.asDiagonal();
  matrix = 0.5 * (matrix + matrix.transpose()).eval();
  matrix.diagonal().array() += rounding;
  return scale.asDiagonal() *
         matrix.ldlt().solve(Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols())) *
         scale.asDiagonal();
}

}  // namespace

template <class Real>
NodeInverse::NodeInverse(NodeOperator<Real> const& a, double weak) : nodes_(a.nodes.owned()) {
  std::vector<double> const diagonal = a.diagonal();
  Eigen::MatrixXd matrix = matrix_of(a, diagonal);
  // A multiple of 1 1ᵀ makes a component regular if it is not held, or weakly.
  std::vector<std::size_t> omitted;
  for (Component const& component : components_of(a, diagonal)) {
    if (component.nodes.empty()) continue;
    bool const is_held = component.hold > weak * component.stiffness;
    if (is_held) continue;
    floats_ = floats_ || component.stiffness > 0.0;
    if (component.nodes.size() == 1) {
      omitted.push_back(component.nodes.front());
      continue;
    }
    double const term = component.smallest / static_cast<double>(component.nodes.size());
    for (std::size_t const p : component.nodes) {
      for (std::size_t const q : component.nodes) matrix(index_of(p), index_of(q)) += term;
    }
  }
  // A single node that nothing holds has no correction.
  for (std::size_t const p : omitted) matrix(index_of(p), index_of(p)) = 1.0;
  Eigen::MatrixXd const inverse = inverse_of(std::move(matrix));
  matrix_.resize(diagonal.size() * diagonal.size());
  for (std::size_t p = 0; p < diagonal.size(); ++p) {
    for (std::size_t q = 0; q < diagonal.size(); ++q) {
      matrix_[p * diagonal.size() + q] = inverse(index_of(p), index_of(q));
    }
  }
  for (std::size_t const p : omitted) matrix_[p * diagonal.size() + p] = 0.0;
}

template <class Real>
void NodeInverse::solve(Real const* r, Real* e) const {
  std::size_t const n = nodes_;
  for (std::size_t p = 0; p < n; ++p) {
    double sum = 0.0;
    for (std::size_t q = 0; q < n; ++q) sum += matrix_[p * n + q] * static_cast<double>(r[q]);
    e[p] = static_cast<Real>(sum);
  }
}

template NodeInverse::NodeInverse(NodeOperator<float> const&, double);
template NodeInverse::NodeInverse(NodeOperator<double> const&, double);
template void NodeInverse::solve(float const*, float*) const;
template void NodeInverse::solve(double const*, double*) const;

}  // namespace isotherm
