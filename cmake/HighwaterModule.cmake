# highwater_module(NAME SOURCES file... [USES module...] [LINK target...])
# One static library for a folder, as highwater::NAME. USES are other modules (public), LINK are outside
# libraries (private: their headers stay in the folder's .cpp files).
function(highwater_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LINK" ${ARGN})
  add_library(highwater_${name} STATIC ${ARG_SOURCES})
  add_library(highwater::${name} ALIAS highwater_${name})
  target_link_libraries(highwater_${name} PUBLIC highwater_options PRIVATE ${ARG_LINK})
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(highwater_${name} PUBLIC highwater::${used})
  endforeach()
endfunction()

# highwater_test(NAME SOURCES file... USES module... [LINK target...] [LABELS label...] [TIMEOUT seconds])
# One GoogleTest program, one CTest test a test case.
function(highwater_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;USES;LINK;LABELS;ENVIRONMENT" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE highwater_options GTest::gmock GTest::gtest_main ${ARG_LINK})
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(${name} PRIVATE highwater::${used})
  endforeach()
  target_compile_definitions(${name} PRIVATE HIGHWATER_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             HIGHWATER_BIN_DIR="${PROJECT_BINARY_DIR}/bin")
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST
                       PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}" ENVIRONMENT "${ARG_ENVIRONMENT}")
endfunction()
