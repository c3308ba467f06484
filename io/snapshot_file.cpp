#include "io/snapshot_file.hpp"

#include <fmt/format.h>

#include "io/disk_space.hpp"
#include "io/layout.hpp"
#include "io/together.hpp"
#include "io/write_plan.hpp"

namespace isotherm {
namespace {

/// More than all that is in a file but chunks and texts.
constexpr std::uint64_t description_bytes = 64 << 10;

/// A file that all ranks write, in the oldest format that has what we need, for old readers.
hdf5::File create_file(mpi::Communicator const& ranks, std::filesystem::path const& path) {
  hdf5::PropertyList const access(hdf5::check(H5Pcreate(H5P_FILE_ACCESS)));
  hdf5::check(H5Pset_fapl_mpio(access.get(), ranks.get(), MPI_INFO_NULL));
  hdf5::check(H5Pset_coll_metadata_write(access.get(), true));
  hdf5::check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18));
  return hdf5::File(hdf5::check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get())));
}

hdf5::PropertyList collective_transfer() {
  hdf5::PropertyList transfer(hdf5::check(H5Pcreate(H5P_DATASET_XFER)));
  hdf5::check(H5Pset_dxpl_mpio(transfer.get(), H5FD_MPIO_COLLECTIVE));
  return transfer;
}

hdf5::Group create_group(hid_t parent, char const* name) {
  return hdf5::Group(hdf5::check(H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
}

/// Chunks, because only chunks can carry HDF5's checksum.
hdf5::PropertyList chunked(std::vector<hsize_t> const& chunk, int deflate_level) {
  hdf5::PropertyList creation(hdf5::check(H5Pcreate(H5P_DATASET_CREATE)));
  hid_t const id = creation.get();
  hdf5::check(H5Pset_chunk(id, static_cast<int>(chunk.size()), chunk.data()));
  hdf5::check(H5Pset_fill_time(id, H5D_FILL_TIME_NEVER));
  if (deflate_level > 0) {
    hdf5::check(H5Pset_shuffle(id));
    hdf5::check(H5Pset_deflate(id, static_cast<unsigned>(deflate_level)));
  }
  hdf5::check(H5Pset_fletcher32(id));
  return creation;
}

std::vector<std::int64_t> axes(Index3 xyz) { return {xyz.x, xyz.y, xyz.z}; }
std::vector<double> axes(std::array<double, 3> const& xyz) { return {xyz.begin(), xyz.end()}; }

void write_grid(hid_t group, Grid const& grid) {
  hdf5::write_attribute(group, "dimension", std::int64_t{grid.dimension});
  hdf5::write_attribute(group, "points", axes(grid.points));
  hdf5::write_attribute(group, "lower", axes(grid.lower));
  hdf5::write_attribute(group, "spacing", axes(grid.spacing));
  hdf5::write_attribute(group, "periodic",
                        std::vector<std::int64_t>{grid.periodic.begin(), grid.periodic.end()});
}

/// The chunks of a dataset with the same place on one axis.
struct ChunkLayer {
  std::int64_t chunks;
  std::size_t chunk_bytes;
};

ChunkLayer chunk_layer(Extent3 points, int axis, std::size_t element_bytes) {
  Extent3 const chunk = chunk_extent(points);
  ChunkLayer layer{1, element_bytes};
  for (int other = 0; other < 3; ++other) {
    layer.chunks *= other == axis ? 1 : (points[other] + chunk[other] - 1) / chunk[other];
    layer.chunk_bytes *= static_cast<std::size_t>(chunk[other]);
  }
  return layer;
}

/// The selection of a piece in the file and the shape it has in memory.
struct Selection {
  hdf5::Dataspace file;
  hdf5::Dataspace memory;
};

Selection select_piece(hdf5::Dataset const& dataset, GlobalBox piece) {
  Selection selected{hdf5::Dataspace(hdf5::check(H5Dget_space(dataset.get()))), {}};
  auto const start = hdf5::to_zyx(piece.lower);
  auto const count = hdf5::to_zyx(piece.empty() ? Extent3{1, 1, 1} : piece.extent());
  selected.memory = hdf5::Dataspace(hdf5::check(H5Screate_simple(3, count.data(), nullptr)));
  if (piece.empty()) {
    hdf5::check(H5Sselect_none(selected.file.get()));
    hdf5::check(H5Sselect_none(selected.memory.get()));
  } else {
    hdf5::check(H5Sselect_hyperslab(selected.file.get(), H5S_SELECT_SET, start.data(), nullptr,
                                    count.data(), nullptr));
  }
  return selected;
}

}  // namespace

SnapshotFileWriter::SnapshotFileWriter(mpi::Communicator const& ranks,
                                       std::filesystem::path const& path, SnapshotInfo const& info,
                                       int deflate_level, std::size_t call_bytes)
    : ranks_(ranks), path_(path), deflate_level_(deflate_level), call_bytes_(call_bytes) {
  on_root(ranks, [&] {
    create_empty_file(path);  // HDF5 keeps what is reserved for it, because it has no bytes
    reserve_space(path, description_bytes + info.case_text.size() + info.fingerprint.size() +
                            info.state.size());
  });
  together(ranks, [&] {
    collective_ = collective_transfer();
    file_ = create_file(ranks_, path_);
    write_vtk_group(info.grid);
    write_own_group(info);
  });
}

// What HDF5 notes about each chunk, too; and enough for the rest of its notes that the file can be
// closed in good order when there is no space for the next chunks.
void SnapshotFileWriter::reserve(std::int64_t chunks, std::size_t chunk_bytes) {
  std::uint64_t const written = std::filesystem::file_size(path_);
  constexpr std::size_t notes_bytes = 256;
  std::size_t const unpackable_bytes = deflate_level_ > 0 ? chunk_bytes / 1000 + 64 : 0;
  reserve_space(path_, written + description_bytes +
                           static_cast<std::uint64_t>(chunks) *
                               (chunk_bytes + unpackable_bytes + notes_bytes));
}

void SnapshotFileWriter::write_vtk_group(Grid const& grid) {
  layout::VtkImage const image = layout::vtk_image(grid);
  Extent3 const n = image.nodes;
  hdf5::Group const group = create_group(file_.get(), layout::vtk_group);
  hid_t const id = group.get();
  hdf5::write_attribute(id, "Version", std::vector<std::int64_t>{1, 0});
  hdf5::write_attribute(id, "Type", "ImageData", H5T_CSET_ASCII);
  hdf5::write_attribute(id, "WholeExtent",
                        std::vector<std::int64_t>{0, n.x - 1, 0, n.y - 1, 0, n.z - 1});
  hdf5::write_attribute(id, "Origin", axes(image.origin));
  hdf5::write_attribute(id, "Spacing", axes(image.spacing));
  hdf5::write_attribute(id, "Direction", std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  values_ = create_group(id, layout::data_group(image));
}

void SnapshotFileWriter::write_own_group(SnapshotInfo const& info) {
  hdf5::Group const group = create_group(file_.get(), layout::own_group);
  hid_t const id = group.get();
  hdf5::write_attribute(id, "format", layout::format);
  hdf5::write_attribute(id, "version", info.version);
  hdf5::write_attribute(id, "field", info.field);
  hdf5::write_attribute(id, "iteration", info.iteration);
  hdf5::write_attribute(id, "time", info.time_s);
  hdf5::write_attribute(id, "role", std::string(info.is_checkpoint ? "checkpoint" : "snapshot"));
  hdf5::write_attribute(id, "can_resume", std::int64_t{info.can_resume});
  hdf5::write_attribute(id, "reason", info.reason_not_resumable);
  hdf5::write_attribute(id, "checksum", info.checksum);
  write_grid(id, info.grid);
  write_text(id, "case", info.case_text);
  write_text(id, "fingerprint", info.fingerprint);
  write_text(id, "state", info.state);
}

void SnapshotFileWriter::write_text(hid_t parent, char const* name, std::string const& text) {
  hsize_t const one = 1;
  hdf5::Datatype const type = hdf5::text_type(text.size(), H5T_CSET_UTF8);
  hdf5::Dataspace const memory(hdf5::check(H5Screate_simple(1, &one, nullptr)));
  hdf5::Dataspace const file(hdf5::check(H5Screate_simple(1, &one, nullptr)));
  hdf5::PropertyList const creation = chunked({1}, 0);
  hdf5::Dataset dataset(hdf5::check(
      H5Dcreate2(parent, name, type.get(), file.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT)));
  if (!ranks_.is_root()) {
    hdf5::check(H5Sselect_none(memory.get()));
    hdf5::check(H5Sselect_none(file.get()));
  }
  hdf5::check(H5Dwrite(dataset.get(), type.get(), memory.get(), file.get(), collective_.get(),
                       text.c_str()));
  hdf5::close(dataset);
}

template <class Stored, class Real>
void SnapshotFileWriter::write(std::string const& field, StoredValues<Stored, Real> const& values) {
  WritePlan const plan =
      plan_write(ranks_, values.points(), values.share(), sizeof(Stored), call_bytes_);
  ChunkLayer const layer = chunk_layer(values.points(), plan.axis, sizeof(Stored));
  std::vector<Stored> buffer;
  hdf5::Dataset dataset;
  if (deflate_level_ == 0) {  // the size is known: better now than in the middle
    on_root(ranks_, [&] { reserve(plan.layers * layer.chunks, layer.chunk_bytes); });
  }
  together(ranks_, [&] { dataset = create_dataset<Stored>(field, values.points()); });
  for (std::int64_t call = 0; call < plan.calls; ++call) {
    GlobalBox const piece = plan.piece(values.share(), call);
    Stored const* dense = nullptr;
    together(ranks_, [&] {
      dense = values.values(piece, buffer);
      if (deflate_level_ > 0 && ranks_.is_root()) {
        reserve(plan.layers_in(call) * layer.chunks, layer.chunk_bytes);
      }
    });
    together(ranks_, [&] { write_piece(dataset, piece, dense); });
  }
  together(ranks_, [&] { hdf5::close(dataset); });
}

template <class Stored>
hdf5::Dataset SnapshotFileWriter::create_dataset(std::string const& field, Extent3 points) {
  auto const size = hdf5::to_zyx(points);
  auto const chunk = hdf5::to_zyx(chunk_extent(points));
  hdf5::Dataspace const space(hdf5::check(H5Screate_simple(3, size.data(), nullptr)));
  hdf5::PropertyList const creation = chunked({chunk.begin(), chunk.end()}, deflate_level_);
  return hdf5::Dataset(
      hdf5::check(H5Dcreate2(values_.get(), field.c_str(), hdf5::file_type<Stored>(), space.get(),
                             H5P_DEFAULT, creation.get(), H5P_DEFAULT)));
}

template <class Stored>
void SnapshotFileWriter::write_piece(hdf5::Dataset const& dataset, GlobalBox piece,
                                     Stored const* values) {
  Stored const nothing{};  // ranks without points take part, too, and HDF5 wants an address
  Selection const selected = select_piece(dataset, piece);
  hdf5::check(H5Dwrite(dataset.get(), hdf5::memory_type<Stored>(), selected.memory.get(),
                       selected.file.get(), collective_.get(), piece.empty() ? &nothing : values));
}

void SnapshotFileWriter::close() {
  together(ranks_, [&] { hdf5::check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL)); });
  together(ranks_, [&] {
    hdf5::close(values_);
    hdf5::close(file_);
  });
}

template void SnapshotFileWriter::write(std::string const&, StoredValues<float, float> const&);
template void SnapshotFileWriter::write(std::string const&, StoredValues<float, double> const&);
template void SnapshotFileWriter::write(std::string const&, StoredValues<double, double> const&);

}  // namespace isotherm
