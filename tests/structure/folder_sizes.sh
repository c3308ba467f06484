#!/usr/bin/env bash
# folder_sizes.sh SOURCE_DIR
#
# No folder has more than 20 files, except those of large_folders.txt, which may not grow. That list
# is to become empty.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$1"
find kernels decomposition solver io case app python jobs tests docs cmake -type f ! -name '*.pyc' | sed 's|/[^/]*$||' \
  | sort | uniq -c | awk '$1 > 20' | bash "$here/ratchet.sh" "$here/large_folders.txt"
