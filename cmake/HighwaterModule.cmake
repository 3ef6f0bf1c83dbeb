# highwater_module(NAME SOURCES file... [USES module...] [LINK target...])
# Defines one static library for a folder, as highwater::NAME. USES are other modules (public), LINK are external
# libraries (private: their headers are used only in the folder's .cpp files).
function(highwater_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LINK" ${ARGN})
  add_library(highwater_${name} STATIC ${ARG_SOURCES})
  add_library(highwater::${name} ALIAS highwater_${name})
  target_link_libraries(highwater_${name} PUBLIC highwater_options PRIVATE ${ARG_LINK})
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(highwater_${name} PUBLIC highwater::${used})
  endforeach()
endfunction()

# highwater_texts(NAME FOLDER): embeds the files of resources/FOLDER into the library highwater::NAME, for
# "texts/NAME_texts.h": the text of x.py is highwater::texts::x, and NAME_texts has all of them. The next build picks up changes to the files.
function(highwater_texts name folder)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/resources/${folder}/*)
  set(header "// Made by CMake from resources/${folder}.\n#pragma once\n\n#include <string_view>\n\nnamespace highwater::texts {\n\n")
  foreach(file IN LISTS files)
    get_filename_component(text_name ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND header "inline constexpr std::string_view ${text_name} = R\"text(${text})text\";\n\n")
    list(APPEND names ${text_name})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  list(JOIN names ", " names)
  string(APPEND header "inline constexpr std::string_view ${name}_texts[] = {${names}};\n\n}  // namespace highwater::texts\n")
  set(made ${CMAKE_CURRENT_BINARY_DIR}/texts/${name}_texts.h)
  set(before "")
  if(EXISTS ${made})
    file(READ ${made} before)
  endif()
  if(NOT before STREQUAL header)
    file(WRITE ${made} "${header}")
  endif()
  target_include_directories(highwater_${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# highwater_uses(NAME VERSION LICENCE): a library that one of the programs links, for the window's About page.
function(highwater_uses name version license)
  set_property(GLOBAL APPEND PROPERTY HIGHWATER_USES "${name}|${version}|${license}")
endfunction()

# A test's own code is compiled for a short build time; the code under test keeps the build type's flags. Under UBSan
# only the library is instrumented: without the checks, a test compiles in half the time. Link it after
# highwater_options: of two conflicting flags, the last one wins.
add_library(highwater_test_options INTERFACE)
if(HIGHWATER_SANITIZE MATCHES undefined)
  target_compile_options(highwater_test_options INTERFACE -O0 -fno-sanitize=undefined)
elseif(HIGHWATER_SANITIZE)
  target_compile_options(highwater_test_options INTERFACE -O0)
else()
  target_compile_options(highwater_test_options INTERFACE -O1)
endif()

# highwater_test(NAME SOURCES file... USES module... [LINK target...] [LABELS label] [SHARDS number]
#                [TIMEOUT seconds] [COST number] [WAITS] [FILTER cases] [ENVIRONMENT variable])
# Adds one GoogleTest program and SHARDS CTest tests, NAME/1 and so on, each a process that runs its share of the
# program's cases. tests/results/NAME.NAME.1.json records the result of each case; tests/summary adds them up. ./test
# gives CTest four slots per processor. A test takes two slots, or one if it mostly WAITS, or four if it uses the
# engine: LibTorch's threads spin while they wait for each other, and do so for long if one of them has no processor.
# Two WAITS tests run at a time, beside those that compute. Tests with a high COST start first, so that no long one is
# left at the end. `./test` excludes the label long; `./test long` runs it.
function(highwater_test name)
  cmake_parse_arguments(ARG "WAITS" "TIMEOUT;SHARDS;COST;FILTER" "SOURCES;USES;LINK;LABELS;ENVIRONMENT" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} $<TARGET_OBJECTS:test_isolation>)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE highwater_options highwater_test_options GTest::gmock GTest::gtest_main ${ARG_LINK})
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(${name} PRIVATE highwater::${used})
  endforeach()
  target_compile_definitions(${name} PRIVATE HIGHWATER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(HIGHWATER_SANITIZE STREQUAL thread AND "Qt6::Test" IN_LIST ARG_LINK)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/widgets/thread_order.cpp)
  endif()
  set(waits "")
  if(ARG_WAITS)
    set(waits WAITS)
  endif()
  if(engine IN_LIST ARG_USES OR gpu_rules_kit IN_LIST ARG_LINK)
    list(APPEND ARG_LABELS torch)  # results that may change with another LibTorch
    list(APPEND waits COMPUTES)
  endif()
  highwater_add_cases(${name} "${name}" "${ARG_FILTER}" SHARDS ${ARG_SHARDS} LABELS ${ARG_LABELS} TIMEOUT ${ARG_TIMEOUT}
                      COST ${ARG_COST} ${waits} ENVIRONMENT ${ARG_ENVIRONMENT})
  if(gpu IN_LIST ARG_LABELS)
    highwater_collect(gpu_validation ${name})  # built by tests/gpu/validate
  endif()
  if(ARG_LABELS MATCHES "torch|gpu")
    highwater_collect(torch_tests ${name})
  endif()
endfunction()

# highwater_add_cases(PROGRAM NAME FILTER [SHARDS number] [LABELS label...] [TIMEOUT seconds] [COST number] [WAITS]
#                     [COMPUTES] [ENVIRONMENT variable...] [COMMAND word...])
# Runs the cases of a GoogleTest program that match FILTER (all if it is empty) as the tests NAME/1, NAME/2...; COMMAND
# is prepended to the program.
function(highwater_add_cases program name filter)
  cmake_parse_arguments(ARG "WAITS;COMPUTES" "TIMEOUT;SHARDS;COST" "LABELS;ENVIRONMENT;COMMAND" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  if(NOT ARG_COST)
    set(ARG_COST 0)
  endif()
  set(places 2)
  if(ARG_WAITS)
    set(places 1)
  elseif(ARG_COMPUTES)
    set(places 4)
  endif()
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  foreach(shard RANGE 1 ${ARG_SHARDS})
    set(result ${PROJECT_BINARY_DIR}/tests/results/${program}.${name}.${shard}.json)
    set(options --gtest_brief=1 --gtest_output=json:${result})
    if(filter)
      list(APPEND options --gtest_filter=${filter})
    endif()
    math(EXPR index "${shard} - 1")
    math(EXPR lane "${shard} % 2")
    add_test(NAME ${name}/${shard} COMMAND ${ARG_COMMAND} $<TARGET_FILE:${program}> ${options})
    set_tests_properties(${name}/${shard} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}" COST ${ARG_COST} PROCESSORS ${places}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${index};LOCPATH=${PROJECT_BINARY_DIR}/tests/locales;${ARG_ENVIRONMENT}")
    if(ARG_WAITS)
      set_tests_properties(${name}/${shard} PROPERTIES RESOURCE_LOCK waiting_${lane})
    endif()
  endforeach()
endfunction()

# highwater_collect(COLLECTION TARGET): adds TARGET to COLLECTION, a target that builds all of its members.
function(highwater_collect collection target)
  if(NOT TARGET ${collection})
    add_custom_target(${collection})
  endif()
  add_dependencies(${collection} ${target})
endfunction()
