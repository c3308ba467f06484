#include "io/picture/film/frame.hpp"

#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "io/picture/film/png_chunks.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view chunk_type = "isTm";
constexpr int format = 2;  // of the chunk; version 0.3.0 wrote 1

// The chunk holds two big-endian numbers, the bytes of the description and of all data, and then
// both, compressed by zlib: a description in JSON, and the samples of the views in their order.

template <class Number>
std::string raw(std::vector<Number> const& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

std::vector<float> rounded(std::vector<double> const& numbers) {
  return {numbers.begin(), numbers.end()};
}

/// The bytes of all samples of a view.
std::string data_of(SliceSamples const& samples) {
  return raw(rounded(samples.values)) + raw(samples.materials) +
         raw(rounded(samples.conductivity_right)) + raw(rounded(samples.conductivity_up)) +
         raw(samples.surfaces.cells) + raw(samples.surfaces.materials);
}

Json to_json(Range const& range) { return {range.lower, range.upper}; }

Json to_json(std::vector<SlicePlace> const& marks) {
  Json json = Json::array();
  for (SlicePlace const& mark : marks) json.push_back({mark.right, mark.up});
  return json;
}

Json to_json(View const& view) {
  SliceSamples const& samples = view.samples;
  return {{"geometry", name(view.geometry)},
          {"axes", {view.right_axis, view.up_axis}},
          {"name", view.name},
          {"normal", {view.normal_axis, view.normal_place}},
          {"right", to_json(view.right)},
          {"up", to_json(view.up)},
          {"lengths", {view.right_length, view.up_length}},
          {"samples", {samples.columns, samples.rows}},
          {"column_places", samples.column_places},
          {"row_places", samples.row_places},
          {"materials", !samples.materials.empty()},
          {"conductivities", !samples.conductivity_right.empty()},
          {"surface_cells", samples.surfaces.cells.size()},
          {"parts_per_cell", samples.surfaces.per_cell},
          {"marks", to_json(view.marks)}};
}

Json to_json(Frame const& frame) {
  PictureLook const& look = frame.options.look;
  Json json{{"format", format},
            {"title", frame.options.title},
            {"field", frame.options.field},
            {"values", to_json(frame.values)},
            {"label", look.label},
            {"colour_map", look.colour_map},
            {"arrows", look.arrows},
            {"views", Json::array()}};
  if (look.values) json["range"] = to_json(*look.values);
  if (look.contours) json["contours"] = *look.contours;
  if (look.width) json["width"] = *look.width;
  if (look.length != LengthUnit{}) json["length"] = {look.length.name, look.length.scale};
  if (!look.flux_unit.empty()) json["flux_unit"] = look.flux_unit;
  for (View const& view : frame.views) json["views"].push_back(to_json(view));
  return json;
}

/// Texts of users may contain bytes that are not valid UTF-8; they are replaced.
std::string text_of(Json const& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

[[noreturn]] void fail() { throw InputError("the samples in the picture are damaged"); }

std::string inflated(std::string_view bytes, std::size_t size) {
  // Deflate shortens by a factor of at most 1032, which bounds the memory for a damaged size.
  constexpr std::size_t max_ratio = 1100;
  if (size / max_ratio > bytes.size()) fail();
  std::string result(size, '\0');
  uLongf found = size;
  int const code =
      uncompress(reinterpret_cast<Bytef*>(result.data()), &found,
                 reinterpret_cast<Bytef const*>(bytes.data()), static_cast<uLong>(bytes.size()));
  if (code != Z_OK || found != size) fail();
  return result;
}

/// Takes numbers from the front of some bytes.
template <class Number>
std::vector<Number> taken(std::string_view& bytes, std::size_t count) {
  if (bytes.size() / sizeof(Number) < count) fail();
  std::vector<Number> numbers(count);
  if (count > 0) std::memcpy(numbers.data(), bytes.data(), count * sizeof(Number));
  bytes.remove_prefix(count * sizeof(Number));
  return numbers;
}

std::vector<double> taken_values(std::string_view& bytes, std::size_t count) {
  auto const numbers = taken<float>(bytes, count);
  return {numbers.begin(), numbers.end()};
}

Range range_in(Json const& json) { return {json.at(0).get<double>(), json.at(1).get<double>()}; }

/// The coordinate of a plane, which version 0.3.0 wrote as a text.
double place_in(Json const& json) {
  if (!json.is_string()) return json.get<double>();
  return std::strtod(json.get<std::string>().c_str(), nullptr);
}

/// The geometry of the grid, which earlier versions did not write.
Geometry geometry_in(Json const& json) {
  std::string const text = json.value("geometry", "");
  for (Geometry const one : {Geometry::axisymmetric, Geometry::spherical}) {
    if (text == name(one)) return one;
  }
  return Geometry::cartesian;
}

/// The places with a mark, which earlier versions did not write.
std::vector<SlicePlace> marks_in(Json const& json) {
  std::vector<SlicePlace> marks;
  for (Json const& mark : json.value("marks", Json::array())) {
    marks.push_back({mark.at(0).get<double>(), mark.at(1).get<double>()});
  }
  return marks;
}

/// Checks the numbers that later code relies on.
void check(View const& view) {
  constexpr std::int64_t max_samples = 100'000;
  SliceSamples const& samples = view.samples;
  auto const is_number = [](std::int64_t count) { return count >= 1 && count <= max_samples; };
  auto const fits = [](std::vector<double> const& places, std::int64_t count) {
    return places.empty() || static_cast<std::int64_t>(places.size()) == count;
  };
  auto const is_axis = [](int axis) { return axis >= 0 && axis < 3; };
  bool const sound = is_number(samples.columns) && is_number(samples.rows) &&
                     fits(samples.column_places, samples.columns) &&
                     fits(samples.row_places, samples.rows) && is_axis(view.right_axis) &&
                     is_axis(view.up_axis) && view.right_length > 0.0 && view.up_length > 0.0;
  if (!sound) fail();
}

/// Reads the cells that surfaces cross; version 0.3.0 wrote none.
SurfaceCells surfaces_in(Json const& json, std::string_view& data) {
  constexpr int max_parts = 64;
  SurfaceCells surfaces;
  if (!json.contains("surface_cells")) return surfaces;
  auto const count = json.at("surface_cells").get<std::size_t>();
  surfaces.per_cell = json.at("parts_per_cell");
  if (surfaces.per_cell < 0 || surfaces.per_cell > max_parts) fail();
  auto const per_cell = static_cast<std::size_t>(surfaces.per_cell);
  surfaces.cells = taken<std::int64_t>(data, count);
  surfaces.materials = taken<int>(data, count * per_cell * per_cell);
  return surfaces;
}

/// Checks that cells with parts exist only between samples.
void check_surfaces(SliceSamples const& samples) {
  if (samples.surfaces.cells.empty()) return;
  bool const sound = samples.columns > 1 && samples.rows > 1 && samples.surfaces.per_cell > 0;
  if (!sound) fail();
}

View view_in(Json const& json, std::string_view& data) {
  View view{json.at("axes").at(0), json.at("axes").at(1), geometry_in(json), json.at("name"),
            json.at("normal").at(0)};
  view.normal_place = place_in(json.at("normal").at(1));
  view.right = range_in(json.at("right"));
  view.up = range_in(json.at("up"));
  view.right_length = json.at("lengths").at(0);
  view.up_length = json.at("lengths").at(1);
  view.marks = marks_in(json);
  SliceSamples& samples = view.samples;
  samples.columns = json.at("samples").at(0);
  samples.rows = json.at("samples").at(1);
  samples.column_places = json.at("column_places").get<std::vector<double>>();
  samples.row_places = json.at("row_places").get<std::vector<double>>();
  check(view);
  auto const count = static_cast<std::size_t>(samples.columns * samples.rows);
  samples.values = taken_values(data, count);
  samples.materials = taken<int>(data, json.at("materials").get<bool>() ? count : 0);
  std::size_t const conductivities = json.at("conductivities").get<bool>() ? count : 0;
  samples.conductivity_right = taken_values(data, conductivities);
  samples.conductivity_up = taken_values(data, conductivities);
  samples.surfaces = surfaces_in(json, data);
  check_surfaces(samples);
  return view;
}

Frame frame_of(Json const& json, std::string_view data) {
  if (json.at("format").get<int>() > format) {
    throw InputError("the samples in the picture are those of a newer isotherm");
  }
  Frame frame;
  frame.options.title = json.at("title");
  frame.options.field = json.at("field");
  frame.values = range_in(json.at("values"));
  PictureLook& look = frame.options.look;
  look.label = json.at("label");
  look.colour_map = json.at("colour_map");
  look.arrows = json.at("arrows");
  if (json.contains("range")) look.values = range_in(json.at("range"));
  if (json.contains("contours")) look.contours = json.at("contours").get<int>();
  if (json.contains("width")) look.width = json.at("width").get<int>();
  if (json.contains("length")) {
    look.length = {json.at("length").at(0).get<std::string>(),
                   json.at("length").at(1).get<double>()};
  }
  look.flux_unit = json.value("flux_unit", "");
  for (Json const& view : json.at("views")) frame.views.push_back(view_in(view, data));
  if (frame.views.empty()) fail();
  return frame;
}

Frame unpacked(std::string_view chunk) {
  constexpr std::size_t number = 4;
  if (chunk.size() < 2 * number) fail();
  std::size_t const description = number_in(chunk);
  std::string const all = inflated(chunk.substr(2 * number), number_in(chunk.substr(number)));
  if (description > all.size()) fail();
  try {
    return frame_of(Json::parse(all.substr(0, description)),
                    std::string_view(all).substr(description));
  } catch (nlohmann::json::exception const&) {
    fail();
  }
}

}  // namespace

std::string with_frame(std::string_view png, Frame const& frame) {
  std::string const description = text_of(to_json(frame));
  std::string all = description;
  for (View const& view : frame.views) all += data_of(view.samples);
  std::string const chunk = bytes_of_number(static_cast<std::uint32_t>(description.size())) +
                            bytes_of_number(static_cast<std::uint32_t>(all.size())) +
                            deflated(all, 1);
  std::string result(png_signature());
  for (PngChunk const& one : png_chunks(png)) {
    if (one.type == "IEND") append_chunk(result, chunk_type, chunk);
    append_chunk(result, one.type, one.data);
  }
  return result;
}

std::optional<Frame> frame_in(std::string_view png) {
  for (PngChunk const& chunk : png_chunks(png)) {
    if (chunk.type == chunk_type) return unpacked(chunk.data);
  }
  return std::nullopt;
}

}  // namespace isotherm
