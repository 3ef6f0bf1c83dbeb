# Finds LibTorch, first found wins: what -DTorch_DIR or CMAKE_PREFIX_PATH name; the active Python's torch, so that
# one measures the version one trains with; the system's libtorch-dev. Then the target highwater::torch, whose
# flags stay with the folder that links it, and HIGHWATER_TORCH_CUDA (whether that LibTorch has CUDA).
if(TARGET highwater::torch)
  set(HighwaterTorch_FOUND TRUE)
  return()
endif()

if(NOT Torch_DIR AND NOT CMAKE_PREFIX_PATH AND NOT DEFINED ENV{CMAKE_PREFIX_PATH})
  find_program(HIGHWATER_PYTHON NAMES python3 python DOC "The Python whose torch may be used")
  if(HIGHWATER_PYTHON)
    # The package's folder without importing it, which takes seconds.
    execute_process(
      COMMAND ${HIGHWATER_PYTHON} -c "import importlib.util as u; s = u.find_spec('torch'); print(list(s.submodule_search_locations)[0] if s else '')"
      OUTPUT_VARIABLE highwater_python_torch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(highwater_python_torch AND EXISTS "${highwater_python_torch}/share/cmake/Torch/TorchConfig.cmake")
      set(Torch_DIR "${highwater_python_torch}/share/cmake/Torch" CACHE PATH "The folder of TorchConfig.cmake")
    endif()
  endif()
endif()

set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL TRUE)  # the programs that link the engine live in other folders
find_package(Torch REQUIRED)
unset(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)
set_package_properties(Torch PROPERTIES PURPOSE "LibTorch: what the engine trains with and measures")

add_library(highwater_torch INTERFACE)
add_library(highwater::torch ALIAS highwater_torch)
target_link_libraries(highwater_torch INTERFACE ${TORCH_LIBRARIES})
target_include_directories(highwater_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
separate_arguments(highwater_torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
target_compile_options(highwater_torch INTERFACE ${highwater_torch_flags})

set(HIGHWATER_TORCH_CUDA OFF)
if(TARGET torch_cuda)
  set(HIGHWATER_TORCH_CUDA ON)
endif()
set(highwater_torch_word "Highwater: LibTorch ${Torch_VERSION} (${Torch_DIR})")
if(NOT HIGHWATER_TORCH_CUDA)
  message(STATUS "${highwater_torch_word}, without CUDA: the engine runs on the CPU")
else()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    message(STATUS "${highwater_torch_word}, with CUDA and its toolkit; this version measures on the CPU only")
  else()
    message(STATUS "${highwater_torch_word}, with CUDA, but no nvcc was found (set CUDACXX or PATH): the engine runs on the CPU")
  endif()
endif()
set(HighwaterTorch_FOUND TRUE)
