#include "case/expressions/expression_functions.hpp"

#include <cmath>
#include <muParser.h>

namespace isotherm {
namespace {

/// pow(a, b) = a^b.
double power(double base, double exponent) { return std::pow(base, exponent); }

/// mod(a, b): the remainder with the sign of b, so that a periodic pattern continues evenly across
/// 0 (unlike C's fmod).
double modulo(double a, double b) {
  double const rest = std::fmod(a, b);
  bool const other_sign = rest != 0.0 && (rest < 0.0) != (b < 0.0);
  return other_sign ? rest + b : rest;
}

/// step(x): the Heaviside function with step(0) = 1. NaN remains NaN.
double step(double x) { return x < 0.0 ? 0.0 : x >= 0.0 ? 1.0 : x; }

/// clamp(x, min, max): x restricted to an interval. NaN remains NaN.
double clamp(double x, double minimum, double maximum) {
  return x < minimum ? minimum : x > maximum ? maximum : x;
}

// Wrappers with a definite type, because the standard functions are overloaded.
double floor_of(double x) { return std::floor(x); }
double ceil_of(double x) { return std::ceil(x); }
double error_function(double x) { return std::erf(x); }
double rest_of_error_function(double x) { return std::erfc(x); }
double length(double x, double y) { return std::hypot(x, y); }

}  // namespace

void define_functions(mu::Parser& parser) {
  parser.DefineFun("pow", power);
  parser.DefineFun("mod", modulo);
  parser.DefineFun("step", step);
  parser.DefineFun("clamp", clamp);
  parser.DefineFun("floor", floor_of);
  parser.DefineFun("ceil", ceil_of);
  parser.DefineFun("erf", error_function);
  parser.DefineFun("erfc", rest_of_error_function);
  parser.DefineFun("hypot", length);
}

std::mutex& building_a_parser() {
  static std::mutex building;
  return building;
}

std::vector<std::string> const& function_names() {
  static std::vector<std::string> const names = [] {
    std::lock_guard const lock(building_a_parser());
    // Asks muParser itself, so that its built-in functions are included.
    mu::Parser parser;
    define_functions(parser);
    std::vector<std::string> all;
    for (auto const& [name, function] : parser.GetFunDef()) all.push_back(name);
    return all;
  }();
  return names;
}

}  // namespace isotherm
