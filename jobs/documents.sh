#!/usr/bin/env bash
# documents.sh
#
# Builds the documents as a site in build/site, and checks its links. Needs MkDocs (Debian's mkdocs, mkdocs-material,
# python3-pymdownx), and KaTeX for the equations (libjs-katex); installs what is missing.
# PYTHON names a Python that has MkDocs, if it is not the system's; ISOTHERM_KATEX the folder with katex.min.js.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs/install-packages.sh documents
"${PYTHON:-/usr/bin/python3}" -B -m mkdocs build --quiet
echo "$PWD/build/site/index.html"
