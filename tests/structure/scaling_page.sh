#!/usr/bin/env bash
# scaling_page.sh SOURCE_DIR
#
# scaling.md in docs/developer contains every table exactly as scaling_model.py, scaling_multigrid.py
# and scaling_direct.py print it. The page for users contains their predictions for multigrid.
set -euo pipefail
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
cd "$1/docs/developer"
for script in scaling_model.py:50 scaling_multigrid.py:30 scaling_direct.py:20; do
  tables=$(python3 "${script%:*}" | grep '^|')
  (($(wc -l <<<"$tables") > ${script#*:})) || { echo "FAILED: ${script%:*} prints too little" >&2; exit 1; }
  if missing=$(grep -vxF -f scaling.md <<<"$tables"); then
    printf 'FAILED: %s: not in docs/developer/scaling.md:\n%s\n' "${script%:*}" "$missing" >&2
    exit 1
  fi
done

# for_users NAME: prints the ms on 1, 2 and 4 GPUs of one host from the output of
# scaling_multigrid.py
for_users() {
  awk -F' *[|] *' -v name="$1" '$2 == name && !seen[$3]++ { ms = ms " | " $4 " ms" }
    END { print "| " name ms " |" }' < <(sed -n '/^## GPUs of one host/,/^## Weak/p' <<<"$printed")
}
printed=$(python3 scaling_multigrid.py)
for name in "512³" "1024³"; do
  grep -qF -e "$(for_users "$name")" ../explanation/scaling.md || {
    echo "FAILED: not in docs/explanation/scaling.md: $(for_users "$name")" >&2
    exit 1
  }
done
