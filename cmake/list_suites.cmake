# Writes tests for ctest: one for each suite of a GoogleTest program, so that what a suite makes once it makes once, and a
# thousand small tests are not a thousand processes.
#
#     cmake -D PROGRAM=... -D FOLDER=... -D ENVIRONMENT=... -D OUT=... -P list_suites.cmake

execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: expected 0, found ${code}")
endif()
# Suites are the lines that are not indented: "Person." or "Kinds/Motion.  # TypeParam = ...".
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+\\." suites "${listed}")
if(NOT suites)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: expected suites, found none")
endif()
set(text)
foreach(suite ${suites})
  string(STRIP "${suite}" suite)
  string(APPEND text "add_test([==[${suite}*]==] [==[${PROGRAM}]==] --gtest_brief=1 [==[--gtest_filter=${suite}*]==])\n")
  # The slow ones first, or one of them would be left to run alone at the end.
  set(cost 0)
  if(suite MATCHES "Slow")
    set(cost 100)
  endif()
  string(APPEND text "set_tests_properties([==[${suite}*]==] PROPERTIES TIMEOUT 1800 COST ${cost} "
         "WORKING_DIRECTORY [==[${FOLDER}]==] ENVIRONMENT_MODIFICATION [==[${ENVIRONMENT}]==])\n")
endforeach()
file(WRITE ${OUT} "${text}")
