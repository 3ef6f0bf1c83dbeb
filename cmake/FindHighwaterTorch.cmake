# Finds LibTorch; the first one found wins: that of -DTorch_DIR or CMAKE_PREFIX_PATH; the active Python's torch, so that
# measurements use the version that you train with; the system's libtorch-dev. Defines the target highwater::torch,
# whose flags stay within the folder that links it, HIGHWATER_TORCH_VERSION, and HIGHWATER_CUDA (whether the engine is
# built for CUDA; the code sees the definition HIGHWATER_CUDA); with CUDA, also HIGHWATER_CUDA_MAJOR, LibTorch's CUDA
# version, and HIGHWATER_CUDA_RUNTIME, the libcudart that LibTorch loads.
if(TARGET highwater::torch)
  set(HighwaterTorch_FOUND TRUE)
  return()
endif()

set(HIGHWATER_CUDA_OLDEST_TORCH 2.7)  # older wheels were built for another C++ library ABI

if(NOT Torch_DIR AND NOT CMAKE_PREFIX_PATH AND NOT DEFINED ENV{CMAKE_PREFIX_PATH})
  find_program(HIGHWATER_PYTHON NAMES python3 python DOC "The Python whose torch may be used")
  if(HIGHWATER_PYTHON)
    # Finds the package's folder without importing it, which takes seconds. Python would import from the current folder,
    # hence `/`.
    execute_process(
      WORKING_DIRECTORY /
      COMMAND ${HIGHWATER_PYTHON} -c "import importlib.util as u; s = u.find_spec('torch'); print(list(s.submodule_search_locations)[0] if s else '')"
      OUTPUT_VARIABLE highwater_python_torch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(highwater_python_torch AND EXISTS "${highwater_python_torch}/share/cmake/Torch/TorchConfig.cmake")
      set(Torch_DIR "${highwater_python_torch}/share/cmake/Torch" CACHE PATH "The folder of TorchConfig.cmake")
    endif()
  endif()
endif()

# A LibTorch with CUDA is located by its folder: its own TorchConfig.cmake requires the whole toolkit of the same
# version and fails without it, although the CPU half needs none of that.
find_path(HIGHWATER_TORCH_CONFIG TorchConfig.cmake
  PATHS ${Torch_DIR} NO_DEFAULT_PATH NO_CACHE)
if(NOT HIGHWATER_TORCH_CONFIG)
  find_path(HIGHWATER_TORCH_CONFIG TorchConfig.cmake PATH_SUFFIXES share/cmake/Torch lib/cmake/Torch NO_CACHE)
endif()
if(HIGHWATER_TORCH_CONFIG)
  get_filename_component(highwater_torch_folder "${HIGHWATER_TORCH_CONFIG}/../../.." ABSOLUTE)
endif()

add_library(highwater_torch INTERFACE)
add_library(highwater::torch ALIAS highwater_torch)
set(HIGHWATER_CUDA OFF)
if(HIGHWATER_TORCH_CONFIG AND EXISTS "${highwater_torch_folder}/lib/libtorch_cuda.so")
  include(TorchWithCuda)
  highwater_torch_with_cuda("${highwater_torch_folder}")
else()
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL TRUE)  # the programs that link the engine are in other folders
  find_package(Torch REQUIRED)
  unset(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)
  set(HIGHWATER_TORCH_VERSION ${Torch_VERSION})
  target_link_libraries(highwater_torch INTERFACE ${TORCH_LIBRARIES})
  target_include_directories(highwater_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
  separate_arguments(highwater_torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
  target_compile_options(highwater_torch INTERFACE ${highwater_torch_flags})
  message(STATUS "Highwater: LibTorch ${Torch_VERSION} (${Torch_DIR}), without CUDA: the engine runs on the CPU")
endif()
set(HighwaterTorch_FOUND TRUE)
