set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# -O3, CMake's default, takes a third longer to compile than -O2. Code that loops over voxels asks for it (core/volume,
# core/scan/reader); code that only shows and passes on a few values uses -O1 (app, most of widgets, core/study,
# core/report).
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

# Unity builds read the libraries' headers once for many source files, which takes a third of the time.
option(CMAKE_UNITY_BUILD "Compile the sources of a folder together" ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 20 CACHE STRING "How many sources are compiled together")

# Use a faster linker if there is one: every test program is relinked when the core changes.
find_program(HIGHWATER_MOLD mold)
if(HIGHWATER_MOLD AND NOT (CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12.1))
  add_link_options(-fuse-ld=mold)
endif()
# Compile through ccache if it is installed, so that build folders share results.
find_program(HIGHWATER_CCACHE ccache)
if(HIGHWATER_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${HIGHWATER_CCACHE})
endif()

# All programs are in one folder, so that they find each other and the resources, in the build tree and installed.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

add_library(highwater_options INTERFACE)
target_compile_options(highwater_options INTERFACE -Wall -Wextra -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # In a unity build, a file's constants are visible in its neighbors, so a local name may shadow them.
  target_compile_options(highwater_options INTERFACE -Wshadow=local)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(highwater_options INTERFACE -Wno-restrict)   # false positives in GCC 12 (GCC bug 105651)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # From GCC 13 on: false positives for empty std::optional and std::variant values, and for references into JSON.
  target_compile_options(highwater_options INTERFACE -Wno-maybe-uninitialized $<$<COMPILE_LANGUAGE:CXX>:-Wno-dangling-reference>)
endif()
target_include_directories(highwater_options INTERFACE ${PROJECT_SOURCE_DIR})
if(HIGHWATER_SANITIZE)
  target_compile_options(highwater_options INTERFACE -fsanitize=${HIGHWATER_SANITIZE} -fno-omit-frame-pointer
                                                     -fno-sanitize-recover=all)
  target_link_options(highwater_options INTERFACE -fsanitize=${HIGHWATER_SANITIZE})
endif()
