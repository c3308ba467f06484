#include "io/hdf5/own_data.hpp"

#include <deque>
#include <fmt/format.h>

#include "io/hdf5/stored_bytes.hpp"

namespace isotherm {
namespace {

/// Limit on the number of symbolic links in a path, since they may form circles.
constexpr int max_jumps = 32;
constexpr std::size_t max_path_bytes = 64 << 10;  // of a symbolic link's target

/// The components of a path.
using Names = std::deque<std::string>;

/// Splits a path into its components. Empty ones and "." are dropped, as HDF5 does.
Names names_of(std::string const& path) {
  Names names;
  for (std::size_t begin = 0; begin < path.size();) {
    std::size_t const end = std::min(path.find('/', begin), path.size());
    std::string const name = path.substr(begin, end - begin);
    if (!name.empty() && name != ".") {
      names.push_back(name);
    }
    begin = end + 1;
  }
  return names;
}

/// The kind of a link for messages.
char const* kind_of(H5L_type_t type) {
  switch (type) {
    case H5L_TYPE_SOFT:
      return "a symbolic link";
    case H5L_TYPE_EXTERNAL:
      return "a link to another file";
    default:
      return "a link of an unknown kind";
  }
}

/// Resolves a path: the group reached at this point, and the components that remain.
class Walk {
 public:
  Walk(hid_t parent, std::string const& path, AllowedLinks links)
      : root_(hdf5::check(H5Gopen2(parent, "/", H5P_DEFAULT))),
        group_(hdf5::check(H5Gopen2(parent, path.starts_with('/') ? "/" : ".", H5P_DEFAULT))),
        names_(names_of(path)),
        links_(links) {
    require(!names_.empty(), "HDF5: an empty path names no object");
  }

  /// Follows all links but the last one, which is then a hard link called name().
  void follow() {
    for (;;) {
      H5L_info_t link{};
      if (jumps_ > 0 && H5Lexists(group_.get(), name().c_str(), H5P_DEFAULT) <= 0) {
        throw NotOwnData("a symbolic link leads nowhere: there is no \"" + name() + '"');
      }
      hdf5::check(H5Lget_info(group_.get(), name().c_str(), &link, H5P_DEFAULT));
      if (link.type != H5L_TYPE_HARD) {
        jump(link);
      } else if (names_.size() == 1) {
        return;
      } else {
        group_ = hdf5::Group(hdf5::check(H5Gopen2(group_.get(), name().c_str(), H5P_DEFAULT)));
        names_.pop_front();
      }
    }
  }

  /// The group that contains the last link.
  [[nodiscard]] hid_t group() const { return group_.get(); }
  /// The next component to follow.
  [[nodiscard]] std::string const& name() const { return names_.front(); }

 private:
  /// Replaces a symbolic link by the components of its target, or throws NotOwnData.
  void jump(H5L_info_t const& link) {
    if (link.type != H5L_TYPE_SOFT || links_ == AllowedLinks::hard) {
      throw NotOwnData(fmt::format("\"{}\" is {}", name(), kind_of(link.type)));
    }
    // Bounds the work and the memory that a damaged or malicious file can cause.
    if (++jumps_ > max_jumps || link.u.val_size > max_path_bytes) {
      throw NotOwnData(fmt::format("\"{}\" is a symbolic link that leads nowhere", name()));
    }
    std::string target(link.u.val_size + 1, '\0');
    hdf5::check(
        H5Lget_val(group_.get(), name().c_str(), target.data(), link.u.val_size, H5P_DEFAULT));
    // HDF5 stores the terminating zero; one more was added above.
    target.resize(target.find('\0'));
    names_.pop_front();
    Names const ahead = names_of(target);
    // The target's components come before those that remain.
    names_.insert(names_.begin(), ahead.begin(), ahead.end());
    require(!names_.empty(), "HDF5: a symbolic link leads to a group, not to a dataset");
    // A relative target continues from the group that contains the link, an absolute one from the
    // root.
    if (target.starts_with('/')) {
      group_ = hdf5::Group(hdf5::check(H5Gopen2(root_.get(), "/", H5P_DEFAULT)));
    }
  }

  hdf5::Group root_;
  hdf5::Group group_;
  Names names_;
  AllowedLinks links_;
  int jumps_ = 0;
};

/// Throws NotOwnData if a dataset does not store its values itself. It reads the creation
/// properties only: asking a virtual dataset for its size would open its sources.
void check_layout(hdf5::Dataset const& dataset, std::string const& name) {
  hdf5::PropertyList const creation = hdf5::creation_of(dataset);
  if (hdf5::check(H5Pget_layout(creation.get())) == H5D_VIRTUAL) {
    throw NotOwnData(fmt::format(
        "\"{}\" is a virtual dataset, whose values are stored in other datasets", name));
  }
  if (hdf5::check(H5Pget_external_count(creation.get())) > 0) {
    throw NotOwnData(fmt::format("the values of \"{}\" are stored in another file", name));
  }
}

}  // namespace

hdf5::Group open_group(hid_t parent, std::string const& path, AllowedLinks links) {
  Walk walk(parent, path, links);
  walk.follow();
  return hdf5::Group(hdf5::check(H5Gopen2(walk.group(), walk.name().c_str(), H5P_DEFAULT)));
}

hdf5::Dataset open_dataset(hid_t parent, std::string const& path, AllowedLinks links) {
  Walk walk(parent, path, links);
  walk.follow();
  // Files of other programs are opened with HDF5's default cache.
  auto const access = hdf5::without_chunk_cache();
  hdf5::Dataset dataset(
      hdf5::check(H5Dopen2(walk.group(), walk.name().c_str(),
                           links == AllowedLinks::hard ? access.get() : hid_t{H5P_DEFAULT})));
  check_layout(dataset, walk.name());
  return dataset;
}

bool has_link(hid_t parent, std::string const& name) {
  return H5Lexists(parent, name.c_str(), H5P_DEFAULT) > 0;
}

}  // namespace isotherm
