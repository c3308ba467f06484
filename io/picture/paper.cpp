#include "io/picture/paper.hpp"

#include <algorithm>
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <cmath>
#include <cstring>
#include <fontconfig/fontconfig.h>
#include <map>

#include "io/files/xml_text.hpp"
#include "io/picture/cairo_output.hpp"
#include "io/picture/figure/labels.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

constexpr double pdf_points_a_unit = 0.5;  // text that suits a slide then also suits a page

/// Deleters for Cairo's objects.
struct Destroy {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;

/// A Fontconfig configuration for hosts without one: the usual directories of fonts.
constexpr char const* usual_fonts = R"(<?xml version="1.0"?>
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <dir prefix="xdg">fonts</dir>
  <cachedir>/var/cache/fontconfig</cachedir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
)";

/// Configures Fontconfig before Cairo does, if the host has no configuration file. Fontconfig would
/// otherwise print an error, although it finds fonts.
void configure_fonts() {
  // Fontconfig returns a string that the caller must free.
  using String = std::unique_ptr<FcChar8, decltype(&FcStrFree)>;
  std::unique_ptr<FcConfig, decltype(&FcConfigDestroy)> const config(FcConfigCreate(),
                                                                     FcConfigDestroy);
  if (!config || String(FcConfigGetFilename(config.get(), nullptr), FcStrFree)) return;
  auto const* const text = reinterpret_cast<FcChar8 const*>(usual_fonts);
  if (FcConfigParseAndLoadFromMemory(config.get(), text, FcFalse) == FcTrue) {
    FcConfigSetCurrent(config.get());  // keeps a reference of its own
  }
}

/// Throws Error with Cairo's text unless a call succeeded.
void require_success(cairo_status_t status, Where where = Where::here()) {
  require(status == CAIRO_STATUS_SUCCESS, std::string("Cairo: ") + cairo_status_to_string(status),
          where);
}

/// Makes the surface of a format. Vector formats write to `bytes` while they are drawn.
cairo_surface_t* new_surface(PictureFormat format, int width, int height, std::string& bytes) {
  if (format == PictureFormat::svg) {
    cairo_surface_t* const surface =
        cairo_svg_surface_create_for_stream(append_cairo_output, &bytes, width, height);
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    return surface;
  }
  if (format == PictureFormat::pdf) {
    return cairo_pdf_surface_create_for_stream(
        append_cairo_output, &bytes, pdf_points_a_unit * width, pdf_points_a_unit * height);
  }
  return cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
}

void set_colour(cairo_t* context, Colour colour) {
  constexpr double full = 255.0;
  cairo_set_source_rgb(context, colour[0] / full, colour[1] / full, colour[2] / full);
}

/// Selects a font without hinting and subpixel colours, so text looks the same whatever the user's
/// settings are.
void set_font(cairo_t* context, Font font) {
  cairo_select_font_face(context, "DejaVu Sans",
                         font.italic ? CAIRO_FONT_SLANT_ITALIC : CAIRO_FONT_SLANT_NORMAL,
                         CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, font.size);
  // Hinted metrics would round the widths of letters, which then depend on the output format.
  cairo_font_options_t* const options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(context, options);
  cairo_font_options_destroy(options);
}

/// True if a system font is selected. Without one, Cairo uses a built-in font, whose type is "user
/// font".
bool font_is_found(cairo_t* context) {
  return cairo_scaled_font_get_type(cairo_get_scaled_font(context)) != CAIRO_FONT_TYPE_USER;
}

/// Returns a text with the characters that the selected font can draw.
std::string shown(cairo_t* context, std::string const& line) {
  std::string const clean = drawable(line);
  return font_is_found(context) ? clean : in_ascii(clean);
}

/// The extents of a text in the selected font.
cairo_text_extents_t extents(cairo_t* context, std::string const& text) {
  cairo_text_extents_t found;
  cairo_text_extents(context, text.c_str(), &found);
  return found;
}

/// Renumbers the identifiers "WORDn" of an SVG from 0 in order of appearance. Cairo numbers its
/// objects from the start of the process; with the new numbers, equal pictures are equal files.
std::string renumbered(std::string const& svg, std::string const& word) {
  std::string result;
  // Old number to new number, for this word.
  std::map<std::string, std::size_t> numbers;
  std::size_t copied = 0;
  for (auto at = svg.find(word); at != std::string::npos; at = svg.find(word, at + 1)) {
    // A number follows the word, up to the first character that is not a digit.
    auto const digits = at + word.size();
    auto const end = std::min(svg.find_first_not_of("0123456789", digits), svg.size());
    // Names stand in attributes (id="surface12") and references (#surface12). Image data in base64
    // contain neither sign.
    bool const is_name = at > 0 && (svg[at - 1] == '"' || svg[at - 1] == '#');
    if (is_name && end > digits) {
      auto const found = numbers.emplace(svg.substr(digits, end - digits), numbers.size()).first;
      result += svg.substr(copied, digits - copied) + std::to_string(found->second);
      copied = end;
    }
  }
  return result + svg.substr(copied);
}

/// Adds a title element to an SVG, which can be read and searched. Cairo draws text as outlines.
std::string with_title(std::string svg, std::string const& title) {
  // The first tag named svg is the root element; its end is the next '>'.
  auto const root = svg.find("<svg");
  auto const end = root == std::string::npos ? root : svg.find('>', root);
  require(end != std::string::npos, "Cairo: wrote an SVG without a root element");
  // SVG expects the title as the first child of the root element.
  svg.insert(end + 1, "\n<title>" + xml_text(drawable(title)) + "</title>");
  return svg;
}

}  // namespace

/// Cairo's objects. Members are destroyed in reverse order: the context first, the bytes last.
struct Paper::Sheet {
  std::string bytes{};  ///< output; Cairo writes to it until the surface is finished
  Surface surface{};
  std::unique_ptr<cairo_t, Destroy> context{};
};

Paper::Paper(PictureFormat format, int width, int height, double pixels)
    : format_(format), sheet_(std::make_unique<Sheet>()) {
  // Once per process, before Cairo first looks for a font.
  [[maybe_unused]] static bool const configured = (configure_fonts(), true);
  bool const is_enlarged = format == PictureFormat::png && pixels != 1.0;
  auto const enlarged = [&](int length) {
    return is_enlarged ? 2 * static_cast<int>(std::lround(0.5 * pixels * length)) : length;
  };
  sheet_->surface.reset(new_surface(format, enlarged(width), enlarged(height), sheet_->bytes));
  sheet_->context.reset(cairo_create(sheet_->surface.get()));
  if (is_enlarged) {
    cairo_scale(sheet_->context.get(), static_cast<double>(enlarged(width)) / width,
                static_cast<double>(enlarged(height)) / height);
  }
  if (format == PictureFormat::pdf) {
    // All formats are drawn in the same lengths.
    cairo_scale(sheet_->context.get(), pdf_points_a_unit, pdf_points_a_unit);
  }
  // Sharp corners of contours would otherwise grow long spikes.
  cairo_set_line_join(sheet_->context.get(), CAIRO_LINE_JOIN_ROUND);
  fill(0, 0, width, height, {255, 255, 255});
}

Paper::~Paper() = default;

void Paper::check() const { require_success(cairo_status(sheet_->context.get())); }

void Paper::line(std::vector<Place> const& places, Ends ends, double thickness, Colour colour,
                 double dash) {
  cairo_new_path(sheet_->context.get());
  for (Place const place : places) {
    cairo_line_to(sheet_->context.get(), place.x, place.y);
  }
  if (ends == Ends::closed) {
    cairo_close_path(sheet_->context.get());
  }
  set_colour(sheet_->context.get(), colour);
  cairo_set_line_width(sheet_->context.get(), thickness);
  cairo_set_dash(sheet_->context.get(), &dash, dash > 0.0 ? 1 : 0, 0.0);
  cairo_stroke(sheet_->context.get());
  cairo_set_dash(sheet_->context.get(), nullptr, 0, 0.0);
  check();
}

void Paper::frame(int left, int top, int width, int height, Colour colour) {
  // Half a unit outwards: the line of thickness 1 then covers exactly the pixels around the
  // rectangle.
  cairo_rectangle(sheet_->context.get(), left - 0.5, top - 0.5, width + 1.0, height + 1.0);
  set_colour(sheet_->context.get(), colour);
  cairo_set_line_width(sheet_->context.get(), 1.0);
  cairo_stroke(sheet_->context.get());
  check();
}

void Paper::fill(int left, int top, int width, int height, Colour colour) {
  cairo_rectangle(sheet_->context.get(), left, top, width, height);
  set_colour(sheet_->context.get(), colour);
  cairo_fill(sheet_->context.get());
  check();
}

void Paper::polygon(std::vector<Place> const& corners, Colour colour) {
  cairo_new_path(sheet_->context.get());
  for (Place const corner : corners) {
    cairo_line_to(sheet_->context.get(), corner.x, corner.y);
  }
  set_colour(sheet_->context.get(), colour);
  cairo_fill(sheet_->context.get());
  check();
}

void Paper::image(int left, int top, int width, int height, int columns,
                  std::vector<Colour> const& points) {
  int const rows = static_cast<int>(points.size()) / columns;
  Surface const image(cairo_image_surface_create(CAIRO_FORMAT_RGB24, columns, rows));
  require_success(cairo_surface_status(image.get()));
  cairo_surface_flush(image.get());
  unsigned char* const data = cairo_image_surface_get_data(image.get());
  // Rows of Cairo's images may be padded.
  int const stride = cairo_image_surface_get_stride(image.get());
  auto point = points.begin();
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x, ++point) {
      // Cairo's format RGB24: a 32-bit number per pixel in the byte order of the host.
      std::uint32_t const packed = std::uint32_t{(*point)[0]} << 16U |
                                   std::uint32_t{(*point)[1]} << 8U | std::uint32_t{(*point)[2]};
      std::memcpy(data + std::ptrdiff_t{y} * stride + std::ptrdiff_t{4} * x, &packed,
                  sizeof packed);
    }
  }
  // Cairo must learn that the pixels were changed without it.
  cairo_surface_mark_dirty(image.get());
  cairo_t* const context = sheet_->context.get();
  cairo_save(context);
  cairo_rectangle(context, left, top, width, height);
  cairo_translate(context, left, top);
  if (columns != width || rows != height) {
    cairo_scale(context, static_cast<double>(width) / columns, static_cast<double>(height) / rows);
  }
  cairo_set_source_surface(context, image.get(), 0, 0);
  // Viewers must not blur the pixels of a vector format's image.
  cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_NEAREST);
  // At a fraction of a pixel the outermost pixels are repeated, not mixed with white.
  if (columns != width || rows != height) {
    cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD);
  }
  cairo_fill(context);
  cairo_restore(context);
  check();
}

bool Paper::has_font() const {
  set_font(sheet_->context.get(), {12.0});
  return font_is_found(sheet_->context.get());
}

double Paper::width_of(std::string const& line, Font font) const {
  set_font(sheet_->context.get(), font);
  double const width = extents(sheet_->context.get(), shown(sheet_->context.get(), line)).x_advance;
  check();
  return width;
}

void Paper::text(Place place, std::string const& line, Font font, Colour colour, Align align,
                 Direction direction) {
  cairo_t* const context = sheet_->context.get();
  set_font(context, font);
  std::string const text = shown(context, line);
  double const width = extents(context, text).x_advance;
  // Cairo starts a text at its left end, on its base line.
  double const shift = align == Align::centre ? 0.5 * width : align == Align::right ? width : 0.0;
  // Digits are as tall as capital letters.
  double const capital = -extents(context, "0").y_bearing;
  set_colour(context, colour);
  if (direction == Direction::right) {
    cairo_move_to(context, place.x - shift, place.y + 0.5 * capital);
    cairo_show_text(context, text.c_str());
  } else {
    constexpr double quarter_turn = -1.57079632679489662;
    cairo_save(context);
    cairo_translate(context, place.x + 0.5 * capital, place.y + shift);
    cairo_rotate(context, quarter_turn);
    cairo_move_to(context, 0.0, 0.0);
    cairo_show_text(context, text.c_str());
    cairo_restore(context);
  }
  cairo_new_path(context);
  check();
}

void Paper::turned_text(Place middle, double angle, std::string const& line, Font font,
                        Colour colour) {
  cairo_t* const context = sheet_->context.get();
  cairo_save(context);
  cairo_translate(context, middle.x, middle.y);
  cairo_rotate(context, angle);
  text({0.0, 0.0}, line, font, colour, Align::centre);
  cairo_restore(context);
  check();
}

std::string Paper::finish(std::string const& title) {
  if (format_ == PictureFormat::pdf) {
    cairo_pdf_surface_set_metadata(sheet_->surface.get(), CAIRO_PDF_METADATA_TITLE,
                                   drawable(title).c_str());
    // Without a date, equal pictures are equal files.
    cairo_pdf_surface_set_metadata(sheet_->surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
  }
  check();
  if (format_ == PictureFormat::png) return encoded_png(image_of(sheet_->surface.get()));
  // Vector formats write their last bytes here.
  cairo_surface_finish(sheet_->surface.get());
  require_success(cairo_surface_status(sheet_->surface.get()));
  if (format_ == PictureFormat::svg) {
    // The prefixes of all identifiers that Cairo numbers in an SVG.
    for (char const* word : {"surface", "image", "source-", "mask-"}) {
      sheet_->bytes = renumbered(sheet_->bytes, word);
    }
    return with_title(sheet_->bytes, title);
  }
  return sheet_->bytes;
}

}  // namespace isotherm
