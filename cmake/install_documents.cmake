# Run by `cmake --install`: installs copies of the documents whose links hold after installation. In
# the source tree pages lead to jobs/cases and jobs/slurm; installed, these lie in share/isotherm. A
# link to a file that is not installed becomes plain text.
#
# Set by cmake/install.cmake: DOCUMENTS_SOURCE, DOCUMENTS_STAGE, DOCUMENTS_DESTINATION and
# DATA_DESTINATION, the folder that holds cases/ and slurm/. All are absolute.

cmake_policy(VERSION 3.25)
file(REMOVE_RECURSE ${DOCUMENTS_STAGE})
set(root_pages README.md CHANGELOG.md CONTRIBUTING.md)
file(COPY ${DOCUMENTS_SOURCE}/docs DESTINATION ${DOCUMENTS_STAGE} PATTERN __pycache__ EXCLUDE)
foreach(page IN LISTS root_pages)
  file(COPY ${DOCUMENTS_SOURCE}/${page} DESTINATION ${DOCUMENTS_STAGE})
endforeach()

# The first folders of the source tree, none of which is installed with the documents.
string(JOIN "|" sources kernels decomposition solver io case app python tests cmake jobs)
file(GLOB_RECURSE pages RELATIVE ${DOCUMENTS_STAGE} ${DOCUMENTS_STAGE}/*.md)
foreach(page IN LISTS pages)
  file(READ ${DOCUMENTS_STAGE}/${page} text)
  cmake_path(GET page PARENT_PATH folder)
  cmake_path(RELATIVE_PATH DATA_DESTINATION BASE_DIRECTORY ${DOCUMENTS_DESTINATION}/${folder}
             OUTPUT_VARIABLE data)
  string(REGEX REPLACE "\\]\\((\\.\\./)*jobs/(cases|slurm)" "](${data}/\\2" text "${text}")
  string(REGEX REPLACE "\\[([^]\n]*)\\]\\((\\.\\./)*(${sources})/[^)\n]*\\)" "\\1" text "${text}")
  file(WRITE ${DOCUMENTS_STAGE}/${page} "${text}")
endforeach()
file(INSTALL DESTINATION "${DOCUMENTS_DESTINATION}" TYPE DIRECTORY FILES ${DOCUMENTS_STAGE}/)
