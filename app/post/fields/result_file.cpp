#include "app/post/fields/result_file.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>

#include "app/post/field_at.hpp"
#include "app/post/output_file.hpp"
#include "case/basics/build_info.hpp"
#include "case/basics/text/wording.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "io/files/atomic_file.hpp"
#include "io/picture/picture.hpp"

namespace isotherm::app {

namespace {

namespace fs = std::filesystem;

/// Returns the path of the picture.
fs::path picture_path(fs::path const& output) { return fs::path(output).replace_extension("png"); }

/// Checks that the output may be written. Root only. @throws InputError
void check_output(FieldFiles const& files) {
  fs::path const& output = files.output;
  if (output.extension() != snapshot_ending) {
    throw InputError("--output " + output.string() + ": the name must end in .vtkhdf");
  }
  std::vector<fs::path> const written{output, picture_path(output)};
  std::vector<fs::path> read = files.also_read;
  read.push_back(files.input);
  require_not_read(output, written, read);
  require_folder(output);
  for (fs::path const& file : written) require_free(file, files.overwrite);
}

}  // namespace

SnapshotInfo open_operation(mpi::Communicator const& ranks, FieldFiles& files) {
  std::string input;
  on_root(ranks, [&] {
    files.input = field_at(files.input);
    // The output is checked before the input is read, so a wrong name costs no time.
    check_output(files);
    input = files.input.string();
  });
  // Only the root lists the directory, so all ranks read the same file.
  files.input = ranks.broadcast(std::vector<std::string>{input}).front();
  SnapshotInfo info;
  rethrow_on_all_ranks(ranks, [&] { info = read_snapshot_info(files.input); });
  return info;
}

template <class Real>
void write_result(mpi::Communicator const& ranks, FieldFiles const& files, SnapshotInfo info,
                  Subdomain const& subdomain, Real const* owned, Derivation const& made_by) {
  std::vector<std::string> left_out = info.extra_fields;
  std::ranges::copy(info.vector_fields, std::back_inserter(left_out));
  // A derived field is not a state of any run. Further fields of the input were not transformed, so
  // they are omitted.
  info.is_checkpoint = false;
  info.can_resume = false;
  info.reason_not_resumable = "it was computed from another field (" + made_by.by + ")";
  info.state = with_derivation(info.state, made_by);
  info.extra_fields.clear();
  info.vector_fields.clear();
  info.version = build_info().version;
  StorageOptions storage;
  // An operation may overflow. Then no file is written.
  storage.must_be_finite = true;
  write_snapshot<Real>(ranks, files.output, info, subdomain, owned, {}, storage);
  fs::path const picture = picture_path(files.output);
  try {
    PictureOptions options{made_by.by, info.field};
    options.look.label = derivation_of(info.state).quantity;
    write_picture(ranks, picture, subdomain, owned, options);
  } catch (Error const& failure) {
    // The field is complete; only the picture is missing, which the message must make clear.
    throw Error(files.output.string() + " was written, but not its picture: " + failure.what());
  }
  on_root(ranks, [&] {
    std::cout << "wrote " << visible(files.output.string()) << " and " << visible(picture.string())
              << "\n";
    if (left_out.empty()) return;
    std::cout << "it contains only " << info.field << ", not the other fields of "
              << visible(files.input.string()) << ": " << one_line(join(left_out), 200) << "\n";
  });
}

template void write_result(mpi::Communicator const&, FieldFiles const&, SnapshotInfo,
                           Subdomain const&, float const*, Derivation const&);
template void write_result(mpi::Communicator const&, FieldFiles const&, SnapshotInfo,
                           Subdomain const&, double const*, Derivation const&);

}  // namespace isotherm::app
