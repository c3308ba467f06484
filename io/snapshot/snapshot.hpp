#pragma once

// Includes all headers for snapshots, isotherm's file format (docs/reference/formats.md): writing,
// reading, listing and verifying them.

#include "io/snapshot/checks/snapshot_verify.hpp"
#include "io/snapshot/datasets/dataset_read.hpp"
#include "io/snapshot/series/series.hpp"
#include "io/snapshot/series/snapshot_list.hpp"
#include "io/snapshot/snapshot_info.hpp"
#include "io/snapshot/snapshot_read.hpp"
#include "io/snapshot/snapshot_write.hpp"
