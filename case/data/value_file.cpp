#include "case/data/value_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "case/basics/text/wording.hpp"
#include "io/snapshot/datasets/value_dataset.hpp"
#include "io/snapshot/series/snapshot_list.hpp"
#include "io/values/npy_values.hpp"
#include "io/values/picture_values.hpp"
#include "io/values/table_values.hpp"

namespace isotherm {
namespace {

/// Values compared with bounds: 1 if they are within them, else 0.
class Flags final : public ValueSource {
 public:
  Flags(std::unique_ptr<ValueSource> values, ValueFile const& file)
      : values_(std::move(values)), above_(file.above), below_(file.below) {}

  [[nodiscard]] std::string const& where() const override { return values_->where(); }
  [[nodiscard]] Extent3 points() const override { return values_->points(); }
  [[nodiscard]] Extent3 chunk() const override { return values_->chunk(); }
  [[nodiscard]] bool fits_float32() const override { return true; }
  void verify() const override { values_->verify(); }
  void read(GlobalBox box, float* values) const override { read_flags(box, values); }
  void read(GlobalBox box, double* values) const override { read_flags(box, values); }

 private:
  template <class Real>
  void read_flags(GlobalBox box, Real* flags) const {
    std::vector<double> values(static_cast<std::size_t>(box.point_count()));
    values_->read(box, values.data());
    std::ranges::transform(values, flags, [this](double value) {
      bool const holds = (!above_ || value > *above_) && (!below_ || value < *below_);
      return holds ? Real{1} : Real{0};
    });
  }

  std::unique_ptr<ValueSource> values_;
  std::optional<double> above_, below_;
};

/// Returns the ending of a file's name in lower case: ".npy".
std::string ending_of(std::filesystem::path const& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return ending;
}

template <std::size_t n>
bool is_one_of(std::string const& ending, std::array<std::string_view, n> const& all) {
  return std::ranges::find(all, ending) != all.end();
}
constexpr std::array<std::string_view, 4> tables{".csv", ".tsv", ".txt", ".dat"};
constexpr std::array<std::string_view, 3> arrays_and_pictures{".npy", ".npz", ".png"};
/// Formats that are refused with advice, see refuse_other_formats().
constexpr std::array<std::string_view, 9> other_pictures{".tif", ".tiff", ".jpg",  ".jpeg", ".jpe",
                                                         ".bmp", ".gif",  ".webp", ".pgm"};
constexpr std::array<std::string_view, 2> other_formats{".mat", ".stl"};
constexpr std::array<std::string_view, 3> hdf5_files{".h5", ".hdf5", snapshot_ending};

/// Refuses a format that is not read, with a way to convert it. @throws InputError
void refuse_other_formats(std::filesystem::path const& path, std::string const& ending) {
  std::string const name = path.filename().string(), stem = path.stem().string();
  if (is_one_of(ending, other_pictures)) {
    bool const may_be_stack = ending == ".tif" || ending == ".tiff";
    throw InputError(path.string() + ": of pictures, only PNG is read (convert it: magick " + name +
                     ' ' + stem + ".png" +
                     (may_be_stack ? "; a stack in Python: numpy.save(\"" + stem +
                                         ".npy\", tifffile.imread(\"" + name + "\"))"
                                   : "") +
                     ')');
  }
  if (ending == ".mat") {
    throw InputError(path.string() +
                     ": MATLAB's files are not read (in MATLAB: h5create and "
                     "h5write; in Python: numpy.save(\"" +
                     stem + R"(.npy", scipy.io.loadmat(")" + name + R"_(")["NAME"]))_");
  }
  if (ending == ".stl") {
    throw InputError(path.string() + ": a surface selects a region (write stl = { file = \"" +
                     name + "\" } instead of where)");
  }
}

std::unique_ptr<ValueSource> open_by_ending(ValueFile const& file, RequiredShape const& wanted) {
  std::string const ending = ending_of(file.path);
  bool const is_array = ending == ".npy", is_picture = ending == ".png";
  if (!file.dataset.empty() && (is_array || is_picture)) {
    throw InputError(file.path.string() + " contains one array without a name (omit dataset)");
  }
  if (file.stretch && !is_picture) {
    throw InputError(file.path.string() + " is not a picture (omit stretch)");
  }
  if (is_array) return open_npy(file.path, wanted);
  if (is_picture) return open_picture(file.path, file.stretch, wanted);
  if (ending == ".npz") return open_npz(file.path, file.dataset, wanted);
  if (is_one_of(ending, tables)) return open_table(file.path, file.dataset, wanted);
  refuse_other_formats(file.path, ending);
  return std::make_unique<ValueDataset>(file.path, file.dataset, wanted);
}

}  // namespace

bool needs_dataset(std::filesystem::path const& path) {
  std::string const ending = ending_of(path);
  return !is_one_of(ending, tables) && !is_one_of(ending, arrays_and_pictures) &&
         !is_one_of(ending, other_pictures) && !is_one_of(ending, other_formats);
}

std::string advice_on_file_name(std::string const& text, bool may_depend_on_u) {
  std::string const ending = ending_of(text);
  bool const is_table = is_one_of(ending, tables), is_hdf5 = is_one_of(ending, hdf5_files);
  bool const is_image = is_one_of(ending, arrays_and_pictures) || is_one_of(ending, other_pictures);
  if (!is_table && !is_hdf5 && !is_image) return "";
  std::string const name = in_quotes(text);
  std::string const file =
      "{ file = " + name + (is_hdf5 ? R"(, dataset = "NAME")" : std::string()) + " }";
  return name + " is the name of a file (write " + file +
         (is_table && may_depend_on_u
              ? " for values at points, or { table = " + name + " } for a function of u"
              : std::string()) +
         ")";
}

std::unique_ptr<ValueSource> open_value_source(ValueFile const& file, RequiredShape const& wanted) {
  auto values = open_by_ending(file, wanted);
  if (!file.above && !file.below) return values;
  return std::make_unique<Flags>(std::move(values), file);
}

}  // namespace isotherm
