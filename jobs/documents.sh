#!/usr/bin/env bash
# documents.sh
#
# Builds the documents as a site in build/site, and checks its links. Needs MkDocs (Debian's mkdocs, mkdocs-material,
# python3-pymdownx), and KaTeX for the equations (libjs-katex); installs what is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs/install-packages.sh documents
/usr/bin/python3 -B -m mkdocs build --quiet
echo "$PWD/build/site/index.html"
