#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "solver/iteration/solver_interface.hpp"

namespace isotherm {

/// A solver that leaves the iteration to another one. Derived classes change the problem between
/// iterations; here are the members that need no more than the other solver.
class ForwardingSolver : public Solver {
 public:
  [[nodiscard]] std::int64_t iteration() const override { return solver_->iteration(); }
  [[nodiscard]] std::int64_t inner_iterations() const override {
    return solver_->inner_iterations();
  }
  [[nodiscard]] AnyFieldView field_view() const override { return solver_->field_view(); }
  void read_field(Values values) override { solver_->read_field(values); }
  void take_field(FieldCopy& copy, Values values) override { solver_->take_field(copy, values); }
  std::vector<Residual> take_residuals() override {
    std::vector<Residual> all = std::exchange(earlier_, {});
    std::vector<Residual> const fresh = solver_->take_residuals();
    all.insert(all.end(), fresh.begin(), fresh.end());
    return all;
  }
  void check_claims_by(ErrorCheck const& check) override { solver_->check_claims_by(check); }
  void read_source(Values values) override { solver_->read_source(values); }
  [[nodiscard]] std::string remark() const override { return solver_->remark(); }
  [[nodiscard]] std::string take_event() override { return solver_->take_event(); }
  void wait() override { solver_->wait(); }
  [[nodiscard]] Subdomain const& subdomain() const override { return solver_->subdomain(); }
  [[nodiscard]] SweepPlan const& plan() const override { return solver_->plan(); }
  [[nodiscard]] TransportDescription transport_description() const override {
    return solver_->transport_description();
  }
  [[nodiscard]] SolverTimes times() const override { return solver_->times(); }
  [[nodiscard]] Queue& queue() override { return solver_->queue(); }

 protected:
  /// Keeps the residuals measured before a change of the field. That of the present iteration is
  /// measured again.
  void keep_earlier_residuals() {
    std::vector<Residual> taken = solver_->take_residuals();
    std::int64_t const present = iteration();
    std::erase_if(taken, [&](Residual const& one) { return one.iteration >= present; });
    earlier_.insert(earlier_.end(), taken.begin(), taken.end());
  }

  std::unique_ptr<Solver> solver_{};  ///< derived classes make it
  std::vector<Residual> earlier_{};   ///< measured before the last change, not taken yet
};

}  // namespace isotherm
