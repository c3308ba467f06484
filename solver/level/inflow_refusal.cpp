#include "solver/level/inflow_refusal.hpp"

#include "decomposition/field/value_refusal.hpp"
#include "kernels/core/text.hpp"

namespace isotherm {

std::string remark_on_inflow(Problem const& problem, double inflow, double mean,
                             std::string const& where) {
  auto const digits = [](double number) { return shortest(static_cast<float>(number)); };
  if (!problem.project) {
    throw ValueRefusal({"equation.source",
                        "with the derivatives on the faces it adds up to " + digits(inflow) + ' ' +
                            where +
                            ", which has to vanish where nothing has a given value, or there is no "
                            "steady solution (compatible = \"project\" takes the mean, " +
                            digits(mean) + ", from the source there)"});
  }
  return "the source and the derivatives on the faces add up to " + digits(inflow) + ' ' + where +
         ", not to 0: " + digits(mean) + " is taken from the source at every point there";
}

}  // namespace isotherm
