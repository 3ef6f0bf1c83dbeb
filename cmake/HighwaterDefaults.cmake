set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# CMake's -O3 takes a third longer to compile than -O2. What loops over voxels asks for it (core/volume, core/scan/reader),
# what shows and tells a few values does with -O1 (app, most of widgets, core/study, core/report).
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

# Many source files are compiled as one, which reads the libraries' headers once for all of them: a third of the time.
option(CMAKE_UNITY_BUILD "Compile the sources of a folder together" ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 20 CACHE STRING "How many sources are compiled together")

# A faster linker, where there is one: every test program is linked anew when the core changes.
find_program(HIGHWATER_MOLD mold)
if(HIGHWATER_MOLD AND NOT (CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12.1))
  add_link_options(-fuse-ld=mold)
endif()
# Programs are compiled through ccache, where there is one: build folders share what they have in common.
find_program(HIGHWATER_CCACHE ccache)
if(HIGHWATER_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${HIGHWATER_CCACHE})
endif()

# Every program lies in one folder, so that they find each other and the resources, built or installed.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

add_library(highwater_options INTERFACE)
target_compile_options(highwater_options INTERFACE -Wall -Wextra -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # A file's own constants are seen by its neighbors in a unity build: a local name may be the same.
  target_compile_options(highwater_options INTERFACE -Wshadow=local)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(highwater_options INTERFACE -Wno-restrict)   # GCC 12 warns falsely (its bug 105651)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # From 13 on GCC warns falsely of what std::optional and std::variant do not hold, and of references into JSON.
  target_compile_options(highwater_options INTERFACE -Wno-maybe-uninitialized $<$<COMPILE_LANGUAGE:CXX>:-Wno-dangling-reference>)
endif()
target_include_directories(highwater_options INTERFACE ${PROJECT_SOURCE_DIR})
if(HIGHWATER_SANITIZE)
  target_compile_options(highwater_options INTERFACE -fsanitize=${HIGHWATER_SANITIZE} -fno-omit-frame-pointer
                                                     -fno-sanitize-recover=all)
  target_link_options(highwater_options INTERFACE -fsanitize=${HIGHWATER_SANITIZE})
endif()
