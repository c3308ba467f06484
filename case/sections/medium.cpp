#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "case/basics/text/wording.hpp"
#include "case/data/data_field.hpp"
#include "case/sections/parts.hpp"
#include "case/sections/regions.hpp"
#include "kernels/core/text.hpp"
#include "solver/discretise/flux/pieces_in_u.hpp"
#include "solver/discretise/region_rows.hpp"
#include "solver/discretise/shapes/cell.hpp"
#include "solver/discretise/shapes/continued_region.hpp"
#include "solver/discretise/shapes/open_shares.hpp"
#include "solver/level/medium/layered_medium.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/problem/variation.hpp"

// The medium is composed of layers: the values of [equation] everywhere, then each [[material]] in
// its region, on top of those before it. At each point the last layer that contains it applies. A
// material that omits a property does not cover it, so the value below applies.
//
// Each property is composed separately. With layers 0 … n, layer 0 being [equation], the value at x
// is that of the last layer i with x in region i.
namespace isotherm {
namespace {

/// A property in a region, on top of the layers before it. The first layer holds everywhere.
struct Layer {
  CaseSection section;  ///< the table that defines it, for messages
  std::string key;
  CaseRegion where;
  PerAxis<ScalarFunction> values;
  int number = 0;  ///< of the [[material]], from 1; 0: [equation]

  [[nodiscard]] bool is_everywhere() const { return !where.region.contains; }
  [[nodiscard]] bool contains(double x, double y, double z) const {
    return is_everywhere() || where.region.contains(x, y, z);
  }
  /// Returns the number of independent values: one per axis for an anisotropic property, else 1.
  [[nodiscard]] int axes(int dimension) const { return section.is_list(key) ? dimension : 1; }
};
using Layers = std::vector<Layer>;

/// Returns a constant as its shortest decimal number, a function as its text.
std::string value_text(ScalarFunction const& function) {
  return function.is_constant() ? shortest(function.constant) : function.text;
}

/// Returns the values of u that a function gives for each layer, ascending and without repetition.
template <class OfLayer>
std::vector<double> values_of_u(Layers const& layers, OfLayer const& of_layer) {
  std::vector<double> all;
  for (Layer const& layer : layers) {
    std::vector<double> const more = of_layer(layer);
    all.insert(all.end(), more.begin(), more.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Returns the values of u at which a layer jumps or has a kink.
std::vector<double> breaks_of(Layers const& layers, int axis) {
  return values_of_u(layers, [axis](Layer const& one) { return one.values[axis].breaks_in_u; });
}

/// Composes the layers of one axis into a single function.
///
/// The function does not refer to the case. Its text lists all layers with their regions, so the
/// fingerprint distinguishes different media. Regions later in the case are on top. With layers 0 …
/// n and the predicates in_i, the value is that of max { i : in_i(x) }; in_0 is always true.
ScalarFunction composed(Layers const& layers, Grid const& grid, int axis) {
  if (layers.size() == 1) return layers[0].values[axis];
  struct Part {
    Region::Contains contains;
    ScalarFunction value;
  };
  auto const base = layers[0].values[axis];
  std::vector<Part> parts;  // the last layer first
  std::vector<Region> regions;
  ScalarFunction function;
  function.varies_along = variation_of(base);
  function.text = value_text(base);
  for (auto layer = layers.rbegin(); layer + 1 != layers.rend(); ++layer) {
    parts.push_back({layer->where.region.contains, layer->values[axis]});
    regions.push_back(layer->where.region);
    function.varies_along =
        either(function.varies_along,
               either(variation_of(layer->values[axis]), variation_of(layer->where.region, grid)));
  }
  for (Layer const& layer : layers) {
    function.depends_on_u = function.depends_on_u || layer.values[axis].depends_on_u;
    function.varies_in_time = function.varies_in_time || layer.values[axis].varies_in_time;
  }
  function.breaks_in_u = breaks_of(layers, axis);
  for (auto layer = layers.begin() + 1; layer != layers.end(); ++layer) {
    function.text += "; " + value_text(layer->values[axis]) + ' ' + layer->where.region.text;
  }
  auto const at = [base, parts = std::make_shared<std::vector<Part> const>(std::move(parts)),
                   near = std::make_shared<NearRegions const>(grid, std::move(regions))](
                      double x, double y, double z, double t, double u) {
    // The last layer that contains the point applies, so the parts are in reverse order.
    for (NearRegions::Reach const& reach : near->at(y, z)) {
      if (!reach.includes(x)) continue;
      Part const& part = (*parts)[reach.region];
      if (part.contains(x, y, z)) return part.value.at(x, y, z, t, u);
    }
    return base.at(x, y, z, t, u);
  };
  if (function.depends_on_u && function.varies_in_time) function.evaluate_of_both = at;
  if (function.depends_on_u) {
    function.evaluate = [at](double x, double y, double z, double u) {
      return at(x, y, z, 0.0, u);
    };
  } else {
    function.evaluate = [at](double x, double y, double z, double t) {
      return at(x, y, z, t, 0.0);
    };
  }
  return function;
}

/// Composes the layers for all axes; they share one function if no layer is anisotropic.
PerAxis<ScalarFunction> composed(Layers const& layers, Grid const& grid) {
  bool const alike =
      std::ranges::all_of(layers, [](Layer const& layer) { return layer.axes(3) == 1; });
  ScalarFunction const first = composed(layers, grid, 0);
  if (alike) return {first, first, first};
  return {first, composed(layers, grid, 1), grid.dimension == 3 ? composed(layers, grid, 2) : 1.0};
}

/// Returns a predicate that checks whether layer `number` is the topmost one at a place.
Region::Contains shows(std::shared_ptr<Layers const> const& layers, std::size_t number) {
  return [layers, number](double x, double y, double z) {
    auto const contains = [&](Layer const& layer) { return layer.contains(x, y, z); };
    auto const layer = layers->begin() + static_cast<std::ptrdiff_t>(number);
    return contains(*layer) && std::none_of(layer + 1, layers->end(), contains);
  };
}

/// Requires values above 0 at all points where their layer is the topmost one. Hidden values do not
/// matter. Constant values are checked once, and functions at a sample of points. Values in files
/// are registered for the collective check.
void check_layers(std::shared_ptr<Layers const> const& layers, Problem const& problem) {
  for (std::size_t i = 0; i < layers->size(); ++i) {
    Layer const& layer = (*layers)[i];
    WantedValues wanted{
        .points = layer.where.within, .sign = Sign::positive, .holds = shows(layers, i)};
    int const axes = layer.axes(problem.grid.dimension);
    for (int axis = 0; axis < axes; ++axis) {
      wanted.axis = axes == 1 ? -1 : axis;
      require_values(layer.section, layer.key, layer.values[axis], problem, wanted);
    }
  }
}

/// Adds the tables of a property, with the places where their layers are the topmost ones.
void note_tables(Layers const& layers, Problem& problem) {
  auto const shared = std::make_shared<Layers const>(layers);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Layer const& layer = layers[i];
    std::string const name = layer.number > 0 ? read_region_name(layer.section) : "";
    std::string owner;
    if (layer.number > 0) {
      owner = " of material " + (name.empty() ? std::to_string(layer.number) : in_quotes(name));
    }
    for (int axis = 0; axis < layer.axes(problem.grid.dimension); ++axis) {
      std::vector<double> const& rows = layer.values[axis].breaks_in_u;
      if (rows.empty()) continue;
      problem.medium.tables.push_back(
          {layer.key, owner, rows.front(), rows.back(), shows(shared, i)});
    }
  }
}

/// Finds the values of u at which the expressions of conductivities jump or have kinks, so that
/// means over values of u are exact there. Tables have their rows already.
void find_breaks(Layers& layers, Grid const& grid) {
  for (Layer& layer : layers) {
    int const axes = layer.axes(grid.dimension);
    for (int axis = 0; axis < axes; ++axis) {
      ScalarFunction& value = layer.values[axis];
      if (value.depends_on_u && value.breaks_in_u.empty()) {
        value.breaks_in_u = breaks_in_u(value, grid);
      }
    }
    if (axes == 1) layer.values[1] = layer.values[2] = layer.values[0];
  }
}

/// Returns the tables of a list, such as [[material]].
std::vector<CaseSection> sections_of(CaseDocument const& document, char const* list) {
  return CaseSection(document.root, "").sections(list);
}

/// A region with the table that defines it.
struct TableRegion {
  CaseSection section;
  CaseRegion where;
};

/// True if a region may be so thin that it contains no point: a material, or insulation.
bool may_be_thin(CaseDocument const& document, std::string_view list) {
  return has_exact_shapes(document) && (list == "material" || list == "insulated");
}

/// Reads the regions of all tables of a list such as [[material]], and refuses empty ones. A region
/// that may be thin needs a volume if its shape or its bounds are known, and else a point.
std::vector<TableRegion> read_placed(CaseDocument const& document, char const* list,
                                     Problem const& problem) {
  std::vector<TableRegion> all;
  for (CaseSection const& section : sections_of(document, list)) {
    CaseRegion where = read_region(section, problem, document);
    if (where.region.solid && may_be_thin(document, list)) {
      require_volume(section, where, problem.grid);
    } else if (!may_be_thin(document, list) || !contains_a_place(where.region, problem.grid)) {
      bool const closes = has_exact_shapes(document) && list == std::string_view("fixed");
      require_points(section, where, problem.grid, problem.grid.box(), "the grid's points", closes);
    }
    all.push_back({section, std::move(where)});
  }
  return all;
}

/// Refuses capacities that depend on the time: the heat that a volume stores is a function of u
/// alone, so that differences of heat contents are the heat that flows in.
void refuse_time(Layers const& capacity) {
  for (Layer const& layer : capacity) {
    if (!layer.values[0].varies_in_time) continue;
    layer.section.fail(layer.key,
                       "depends on t, the time, but stored heat must be a function of u alone "
                       "(write the capacity as a function of u, x, y and z)");
  }
}

/// Collects the layers of one property. A material without the property contributes no layer, so
/// those below remain visible.
Layers read_layers(CaseDocument const& document, std::string const& key,
                   std::vector<TableRegion> const& materials, Problem const& problem) {
  FunctionScope const scope = document.scope_of_field(problem);
  CaseSection const base = document.section("equation");
  Layers layers{{base, key, {{}, problem.grid.box()}, base.functions(key, 1.0, scope)}};
  int number = 0;
  for (auto const& [section, where] : materials) {
    ++number;
    if (!section.has(key)) continue;
    layers.push_back({section, key, where, section.functions(key, 1.0, scope), number});
  }
  if (key == "capacity") refuse_time(layers);
  check_layers(std::make_shared<Layers const>(layers), problem);
  return layers;
}

/// Refuses materials of one name whose property differs: a name that was copied with its table
/// would join both to the contacts of one. Parts of one material may share a name.
void refuse_different_namesakes(Layers const& layers, Problem const& problem) {
  int const axes = problem.grid.dimension;
  for (std::size_t i = 1; i < layers.size(); ++i) {
    std::string const name = read_region_name(layers[i].section);
    for (std::size_t j = 1; j < i && !name.empty(); ++j) {
      if (read_region_name(layers[j].section) != name) continue;
      bool is_same = layers[i].axes(axes) == layers[j].axes(axes);
      for (int axis = 0; is_same && axis < layers[i].axes(axes); ++axis) {
        is_same = value_text(layers[i].values[axis]) == value_text(layers[j].values[axis]);
      }
      if (is_same) continue;
      std::string const other = layers[j].section.place_of("name");
      layers[i].section.fail("name", "is " + in_quotes(name) + ", as in " +
                                         other.substr(0, other.find(": [")) + ", but the " +
                                         layers[i].key +
                                         " differs (only parts of one material share a name)");
    }
  }
}

/// Returns the layers as the solver takes them, with the exact shapes of their regions.
std::vector<MediumLayer> medium_layers(Layers const& layers) {
  std::vector<MediumLayer> all;
  for (Layer const& layer : layers) {
    bool const at_points = std::ranges::any_of(
        layer.values, [](ScalarFunction const& value) { return data_of(value) != nullptr; });
    all.push_back({layer.where.region, layer.values, at_points, layer.number});
  }
  return all;
}

/// Returns the pieces of the axis of u on which the capacities of all layers are smooth; none if
/// they do not depend on u.
std::vector<double> pieces_of(Layers const& layers, Grid const& grid) {
  return values_of_u(layers, [&grid](Layer const& layer) {
    ScalarFunction const& capacity = layer.values[0];
    bool const is_smooth = capacity.depends_on_u && capacity.breaks_in_u.empty();
    return is_smooth ? pieces_in_u(capacity, grid) : capacity.breaks_in_u;
  });
}

/// Returns the capacity whose value at a point is the mean over the point's control volume.
ScalarFunction mean_capacity(Layers const& layers, Grid const& grid) {
  ScalarFunction at_points = composed(layers, grid, 0);
  at_points.breaks_in_u = pieces_of(layers, grid);
  if (layers.size() == 1) return at_points;
  ScalarFunction mean = volume_mean(grid, medium_layers(layers));
  mean.text = at_points.text;
  mean.varies_along = at_points.varies_along;
  mean.depends_on_u = at_points.depends_on_u;
  mean.breaks_in_u = at_points.breaks_in_u;
  return mean;
}

/// Requires that a material sets a property that the equation uses.
void check_material(CaseSection const& section, Problem const& problem) {
  (void)read_region_name(section);
  bool const diffusion = problem.equation == Equation::diffusion;
  if (section.has("conductivity") || (diffusion && section.has("capacity"))) return;
  section.fail("conductivity", diffusion ? "is missing (needs conductivity, capacity or both)"
                                         : "is missing (needs a number above 0, an expression, or "
                                           "a list of one of these for each axis)");
}

/// Refuses the heat capacity in steady problems, which do not depend on it.
void refuse_capacity(CaseSection const& section, Problem const& problem) {
  if (problem.equation == Equation::diffusion) return;
  section.refuse("capacity", R"(applies only to type = "diffusion" (leave it out))");
}

/// Reads conductivity and capacity of all materials, and whether the medium is isotropic.
///
///     [equation]
///     conductivity = 1.0                       # everywhere
///
///     [[material]]
///     box = { lower = [0.4, 0.0], upper = [0.6, 1.0] }
///     conductivity = [10.0, 1.0]               # anisotropic: along x, along y
///     capacity = 3.4e6
///
/// An axis-wise list makes the medium anisotropic. The comparison by text detects lists whose
/// entries are equal.
///
/// Returns the layers of the capacity if shapes are exact, else none.
std::vector<MediumLayer> read_materials(CaseDocument const& document, Problem& problem) {
  refuse_capacity(document.section("equation"), problem);
  std::vector<TableRegion> const materials = read_placed(document, "material", problem);
  for (TableRegion const& material : materials) {
    refuse_capacity(material.section, problem);
    check_material(material.section, problem);
    problem.medium.materials.push_back(material.where.region);
  }
  // Conductivity: one function per axis. Equal texts on all axes mean an isotropic medium.
  Layers conductivity = read_layers(document, "conductivity", materials, problem);
  refuse_different_namesakes(conductivity, problem);
  note_tables(conductivity, problem);
  find_breaks(conductivity, problem.grid);
  problem.medium.conductivity = composed(conductivity, problem.grid);
  auto const& [x, y, z] = problem.medium.conductivity.values;
  problem.medium.isotropic = x.text == y.text && (problem.grid.dimension == 2 || y.text == z.text);
  // Capacity: one function. With exact shapes, a point gets the mean over its control volume.
  Layers const capacity = read_layers(document, "capacity", materials, problem);
  refuse_different_namesakes(capacity, problem);
  note_tables(capacity, problem);
  if (!has_exact_shapes(document)) {
    problem.medium.capacity = composed(capacity, problem.grid, 0);
    return {};
  }
  problem.medium.capacity = mean_capacity(capacity, problem.grid);
  bool const has_surfaces = !materials.empty() || !sections_of(document, "fixed").empty() ||
                            !sections_of(document, "convection").empty() ||
                            !sections_of(document, "radiation").empty();
  if (has_surfaces) {
    problem.medium.layers =
        std::make_shared<std::vector<MediumLayer> const>(medium_layers(conductivity));
  }
  return medium_layers(capacity);
}

/// Returns the numbers of the materials with a name, which must have a conductivity; 0 for
/// "equation".
std::vector<int> materials_named(CaseSection const& contact, std::string const& name,
                                 std::vector<CaseSection> const& materials) {
  if (name == "equation") return {0};
  std::vector<int> numbers;
  for (std::size_t i = 0; i < materials.size(); ++i) {
    if (read_region_name(materials[i]) != name) continue;
    if (!materials[i].has("conductivity")) {
      contact.fail("between", "contains " + in_quotes(name) +
                                  ", a [[material]] without a conductivity, which is the same on "
                                  "both sides of its surface");
    }
    numbers.push_back(static_cast<int>(i) + 1);
  }
  if (numbers.empty()) {
    contact.fail("between", "contains " + in_quotes(name) +
                                ", which is the name of no [[material]] (write \"equation\" for "
                                "what no material fills)");
  }
  return numbers;
}

/// Returns the thermal resistance of a contact, per area.
double read_resistance(CaseSection const& section) {
  bool const has_conductance = section.has("conductance");
  if (section.has("resistance") && has_conductance) {
    section.fail("resistance", "conflicts with conductance (give one of them)");
  }
  if (has_conductance) return 1.0 / section.positive("conductance");
  section.require_key("resistance", "the temperature jump over the heat flux, or conductance");
  return section.positive("resistance");
}

/// Refuses what acts on surfaces if regions are sets of points, which have none.
void require_surfaces(CaseDocument const& document, CaseSection const& section, char const* key) {
  if (has_exact_shapes(document)) return;
  section.fail(key, "acts on a surface (needs [grid] shapes = \"exact\")");
}

/// Reads [[contact]]: thermal resistances at the surfaces between two materials.
///
///     [[contact]]
///     between    = ["die", "lid"]
///     resistance = 2e-5               # K/(W/m²); or conductance
void read_contacts(CaseDocument const& document, Problem& problem) {
  auto const materials = sections_of(document, "material");
  int table = -1;
  for (CaseSection const& section : sections_of(document, "contact")) {
    ++table;
    section.require_key("between", "the names of two materials");
    require_surfaces(document, section, "between");
    std::vector<std::string> const names = section.texts("between");
    if (names.size() != 2 || names[0] == names[1]) {
      section.fail("between", "needs the names of two different materials");
    }
    double const resistance = read_resistance(section);
    for (int const first : materials_named(section, names[0], materials)) {
      for (int const second : materials_named(section, names[1], materials)) {
        Contact const contact{first, second, resistance, table};
        auto const same = [&](Contact const& other) {
          return std::minmax(other.first, other.second) == std::minmax(first, second);
        };
        if (std::ranges::any_of(problem.medium.contacts, same)) {
          section.fail("between", "names two materials that another [[contact]] joins already");
        }
        problem.medium.contacts.push_back(contact);
      }
    }
  }
}

/// Refuses a name that another fixed region has, since columns of tables are named after them.
void refuse_second(CaseSection const& section, std::string const& name,
                   std::vector<FixedRegion> const& others) {
  auto const same = [&](FixedRegion const& other) { return other.name == name; };
  if (name.empty() || std::ranges::none_of(others, same)) return;
  section.fail("name",
               "is " + in_quotes(name) + ", the name of another [[fixed]] (needs a unique name)");
}

/// Reads the total flux of a floating conductor; none if the region has a given value.
std::optional<double> read_floating(CaseSection const& section) {
  if (!section.flag("floating", false)) {
    section.refuse("flux", "applies only to a floating conductor (set floating = true)");
    section.require_key("value", "a number, or an expression in quotes; or set floating = true");
    return std::nullopt;
  }
  section.refuse("value", "conflicts with floating = true, which makes the value an unknown");
  return section.number("flux", 0.0);
}

/// Reads [[fixed]]: regions with prescribed values (Dirichlet conditions inside the domain), and
/// floating conductors.
///
///     [[fixed]]
///     name = "electrode"
///     ball = { center = [0.5, 0.5], radius = 0.1 }
///     value = "sin(2*pi*t)"                    # t in diffusion problems only
///     h = 500.0                                # a film between the value and the medium
///
///     [[fixed]]
///     name = "island"
///     ball = { center = [0.8, 0.5], radius = 0.1 }
///     floating = true                          # one unknown value
///     flux = 1e-11                             # the given total flux into the medium
void read_fixed(CaseDocument const& document, Problem& problem) {
  bool const time = problem.equation == Equation::diffusion;
  FunctionScope const scope = document.scope(problem, time);
  for (auto const& [section, where] : read_placed(document, "fixed", problem)) {
    std::optional<double> const floating_flux = read_floating(section);
    FixedRegion fixed{where.region, section.function("value", 0.0, scope),
                      read_region_name(section)};
    fixed.floating_flux = floating_flux;
    if (section.has("h")) {
      require_surfaces(document, section, "h");
      fixed.film_coefficient = section.positive("h");
    }
    if (!has_exact_shapes(document)) fixed.where.at_points = true;
    require_values(section, "value", fixed.value, problem,
                   {.points = where.within, .holds = where.region.contains});
    refuse_second(section, fixed.name, problem.medium.fixed);
    problem.medium.fixed.push_back(std::move(fixed));
  }
}

/// Returns the [[convection]] or [[radiation]] on the surface of an [[insulated]] region, if there
/// is one.
std::optional<CaseSection> exchange_of(CaseDocument const& document, std::string const& list,
                                       std::string const& name) {
  std::optional<CaseSection> found;
  if (name.empty()) return found;
  for (CaseSection const& section : sections_of(document, list.c_str())) {
    if (section.text("of", "") != name) continue;
    if (found) section.fail("of", "is " + in_quotes(name) + ", as in another [[" + list + "]]");
    found = section;
  }
  return found;
}

/// Requires that each table of a list is on the surface of an [[insulated]] region.
void check_exchanges(CaseDocument const& document, char const* list) {
  auto const insulated = sections_of(document, "insulated");
  for (CaseSection const& section : sections_of(document, list)) {
    section.require_key("of", "the name of an [[insulated]] region");
    require_surfaces(document, section, "of");
    std::string const name = section.text("of");
    auto const has_name = [&](CaseSection const& one) { return read_region_name(one) == name; };
    if (!name.empty() && std::ranges::any_of(insulated, has_name)) continue;
    section.fail("of", "is " + in_quotes(name) +
                           ", which is the name of no [[insulated]] region (give that a name)");
  }
}

/// Reads [[convection]].
SurfaceExchange read_convection(CaseDocument const& document, CaseSection const& section,
                                Problem const& problem) {
  section.require_key("h", "the heat transfer coefficient");
  section.require_key("ambient", "the temperature of the fluid");
  SurfaceExchange convection;
  convection.ambient = section.function(
      "ambient", 0.0, document.scope(problem, problem.equation == Equation::diffusion));
  convection.coefficient = section.function("h", 0.0, document.scope_of_field(problem));
  ScalarFunction const& h = convection.coefficient;
  if (data_of(h) != nullptr) {
    section.fail("h", "is a file (needs a number, an expression in quotes, or a table of u)");
  }
  if (h.is_constant() && !(h.constant > 0.0)) {
    section.fail("h", "is " + shortest(h.constant) + " (needs a number above 0)");
  }
  return convection;
}

/// Reads [[radiation]].
SurfaceExchange read_surface_radiation(CaseDocument const& document, CaseSection const& section,
                                       Problem const& problem) {
  if (document.section("equation").has("diffusivity")) {
    section.fail("of",
                 "is a surface that radiates heat, but a diffusivity has no unit of heat (write "
                 "[equation] conductivity and capacity in place of diffusivity)");
  }
  section.require_key("emissivity", "a number above 0, up to 1");
  section.require_key("ambient", "the temperature of the surroundings");
  SurfaceExchange exchange;
  exchange.ambient = section.function(
      "ambient", 0.0, document.scope(problem, problem.equation == Equation::diffusion));
  Radiation const radiation = read_radiation(section, exchange.ambient);
  exchange.radiation_factor = radiation.factor;
  exchange.absolute_zero = radiation.absolute_zero;
  exchange.coefficient.text = radiation.text;
  return exchange;
}

/// Returns the magnitude of a coefficient of heat transfer: that for the ambient value, at a place.
double magnitude_of(SurfaceExchange const& exchange, PerAxis<double> const& at) {
  double const ambient = exchange.ambient(at[0], at[1], at[2], 0.0);
  double const zero = exchange.absolute_zero;
  double const found =
      exchange.radiates()
          ? radiation_coefficient(*exchange.radiation_factor, ambient - zero, ambient - zero)
          : exchange.coefficient.at(at[0], at[1], at[2], 0.0, ambient);
  return found > 0.0 && std::isfinite(found) ? found : 1.0;
}

/// Returns the excluded region on whose surface a [[convection]], a [[radiation]] or both act; none
/// if there is neither.
std::optional<FixedRegion> read_exchanges(CaseDocument const& document, Problem const& problem,
                                          CaseRegion const& where, std::string const& name) {
  FixedRegion region{where.region, {}, name};
  std::optional<CaseSection> first;
  for (char const* const list : {"convection", "radiation"}) {
    auto const section = exchange_of(document, list, name);
    if (!section) continue;
    bool const radiates = list == std::string_view("radiation");
    region.exchanges.push_back(radiates ? read_surface_radiation(document, *section, problem)
                                        : read_convection(document, *section, problem));
    SurfaceExchange const& last = region.exchanges.back();
    WantedValues const wanted{.points = where.within, .holds = where.region.contains};
    require_values(*section, "ambient", last.ambient, problem, wanted);
    if (!radiates) {
      WantedValues not_negative = wanted;
      not_negative.sign = Sign::not_negative;
      require_values(*section, "h", last.coefficient, problem, not_negative);
    }
    if (!first) first = section;
  }
  if (!first) return std::nullopt;
  region.is_excluded = true;
  region.value = region.exchanges[0].ambient;
  PerAxis<double> middle;
  for (int axis = 0; axis < 3; ++axis) {
    std::int64_t const index = (where.within.lower[axis] + where.within.upper[axis] - 1) / 2;
    middle[axis] = problem.grid.coordinate(axis, std::max<std::int64_t>(index, 0));
  }
  region.film_coefficient = magnitude_of(region.exchanges[0], middle);
  if (region.exchanges.size() == 1 && region.exchanges[0].is_linear()) {
    region.exchanges.clear();
  } else if (region.where.at_points) {
    first->fail("of", "is " + in_quotes(name) +
                          ", a region from a file, whose surface is not known between points "
                          "(radiation, and h of u or t, need a shape or an expression)");
  }
  return region;
}

/// Reads [[insulated]]: regions that are cut out of the domain, and [[convection]] and
/// [[radiation]] on their surfaces. Without them no heat flows through the surface.
///
///     [[insulated]]
///     name = "channel"
///     where = "x > 0.2 && y < 0.1"
///
///     [[convection]]
///     of = "channel"
///     h = 25.0                                 # may contain u, and t for diffusion
///     ambient = 20.0
///
///     [[radiation]]
///     of = "channel"
///     emissivity = 0.8
///     ambient = 20.0
///     absolute_zero = -273.15
void read_insulated(CaseDocument const& document, Problem& problem) {
  check_exchanges(document, "convection");
  check_exchanges(document, "radiation");
  for (auto [section, where] : read_placed(document, "insulated", problem)) {
    if (has_exact_shapes(document)) {
      where.region = continued_beyond_faces(where.region, problem.grid);
    }
    std::string const name = read_region_name(section);
    auto region = read_exchanges(document, problem, where, name);
    if (!region) {
      problem.medium.insulated.push_back(where.region);
      if (!has_exact_shapes(document)) problem.medium.insulated.back().at_points = true;
      continue;
    }
    auto const same = [&](FixedRegion const& other) {
      return other.is_excluded && other.name == name;
    };
    if (std::ranges::any_of(problem.medium.fixed, same)) {
      std::string const list = transfers_without_radiation(*region) ? "convection" : "radiation";
      section.fail("name", "is " + in_quotes(name) +
                               ", the name of another [[insulated]] with the same [[" + list +
                               "]] (needs a unique name)");
    }
    problem.medium.fixed.push_back(*std::move(region));
  }
}

/// Reads the reaction coefficient a in −∇·κ∇u + a u = f. Insulation displaces a part of the control
/// volumes that its surface cuts.
void read_reaction(CaseDocument const& document, Problem& problem) {
  CaseSection const section = document.section("equation");
  ScalarFunction const coefficient =
      section.function("reaction", 0.0, document.scope(problem, false));
  require_values(section, "reaction", coefficient, problem,
                 {.points = points_off_dirichlet_faces(problem), .sign = Sign::not_negative});
  problem.reaction =
      coefficient.is_zero() ? ScalarFunction{} : source_in_open_part(problem, coefficient);
}

}  // namespace

void read_medium(CaseDocument const& document, Problem& problem) {
  problem.medium.layer_search = std::make_shared<LayerSearch>();
  std::vector<MediumLayer> const capacities = read_materials(document, problem);
  read_contacts(document, problem);
  read_fixed(document, problem);
  read_insulated(document, problem);
  read_reaction(document, problem);
  // Insulation displaces a part of the control volumes that its surface cuts.
  if (problem.equation != Equation::diffusion) return;
  problem.medium.capacity = capacity_of_open_part(problem, problem.medium.capacity, capacities);
}

}  // namespace isotherm
