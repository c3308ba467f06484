#!/usr/bin/env bash
# scaling_page.sh SOURCE_DIR
#
# Every table that scaling_model.py prints stands in scaling.md, in docs/development, as it is printed.
set -euo pipefail
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
cd "$1/docs/development"
tables=$(python3 scaling_model.py | grep '^|')
(($(wc -l <<<"$tables") > 50)) || { echo "FAILED: the script prints too little" >&2; exit 1; }
if missing=$(grep -vxF -f scaling.md <<<"$tables"); then
  printf 'FAILED: not in docs/development/scaling.md:\n%s\n' "$missing" >&2
  exit 1
fi
