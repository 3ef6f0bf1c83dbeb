set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Every program lies in one folder, so that they find each other and the resources, built or installed.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

add_library(highwater_options INTERFACE)
target_compile_options(highwater_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(highwater_options INTERFACE -Wno-restrict)   # GCC 12 warns falsely (its bug 105651)
endif()
target_include_directories(highwater_options INTERFACE ${PROJECT_SOURCE_DIR})
if(HIGHWATER_SANITIZE)
  target_compile_options(highwater_options INTERFACE -fsanitize=${HIGHWATER_SANITIZE} -fno-omit-frame-pointer
                                                     -fno-sanitize-recover=all)
  target_link_options(highwater_options INTERFACE -fsanitize=${HIGHWATER_SANITIZE})
endif()
