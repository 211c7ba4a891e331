# Writes tests for ctest: one for each suite of a GoogleTest program, so that what a suite makes once it makes once, and a
# thousand small tests are not a thousand processes.
#
#     cmake -D PROGRAM=... -D FOLDER=... -D ENVIRONMENT=... -D OUT=... -P list_suites.cmake

cmake_minimum_required(VERSION 3.22...3.25)
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: expected 0, found ${code}")
endif()
set(text)
# Adds a test of what `filter` selects. The slow ones first, or one of them would be left to run alone at the end.
macro(add_filtered filter)
  set(cost 0)
  if("${filter}" MATCHES "Slow")
    set(cost 100)
  endif()
  string(APPEND text "add_test([==[${filter}]==] [==[${PROGRAM}]==] --gtest_brief=1 [==[--gtest_filter=${filter}]==])\n"
         "set_tests_properties([==[${filter}]==] PROPERTIES TIMEOUT 1800 COST ${cost} "
         "WORKING_DIRECTORY [==[${FOLDER}]==] ENVIRONMENT_MODIFICATION [==[${ENVIRONMENT}]==])\n")
endmacro()

# Suites are the lines that are not indented: "Person." or "Kinds/Motion.  # TypeParam = ...". What they hold follows:
# "  Bends", or with parameters "  Bends/0  # GetParam() = ...". Slow suites are a test for each parameter.
string(REPLACE ";" "," listed "${listed}")
string(REGEX MATCHALL "[^\n]+" lines "${listed}")
set(suite)
foreach(line ${lines})
  if(line MATCHES "^[A-Za-z0-9_/]+\\.")
    set(suite "${CMAKE_MATCH_0}")
    set(parameters)
    if(NOT suite MATCHES "/.*Slow")
      add_filtered("${suite}*")
    endif()
  elseif(suite MATCHES "/.*Slow" AND line MATCHES "^  [A-Za-z0-9_]+(/[A-Za-z0-9_]+)" AND NOT CMAKE_MATCH_1 IN_LIST parameters)
    list(APPEND parameters ${CMAKE_MATCH_1})
    add_filtered("${suite}*${CMAKE_MATCH_1}")
  endif()
endforeach()
if(NOT suite)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: expected suites, found none")
endif()
file(WRITE ${OUT} "${text}")
