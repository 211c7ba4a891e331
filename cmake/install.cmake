# `cmake --install`: the library, its headers, and how CMake and pkg-config find them (component dev); the program with its garments and motions
# (component tool).

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/billow)

install(TARGETS billow EXPORT billow ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
                                     INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/billow DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
if(TARGET billow_cli)
  install(TARGETS billow_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
  install(DIRECTORY assets/ DESTINATION ${CMAKE_INSTALL_DATADIR}/billow/garments COMPONENT tool FILES_MATCHING PATTERN "*.billow" PATTERN motions EXCLUDE)
  install(DIRECTORY assets/motions DESTINATION ${CMAKE_INSTALL_DATADIR}/billow COMPONENT tool)
  # The program itself writes its manual page and what shells complete with.
  install(
    CODE "
    set(program \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/billow\")
    set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATAROOTDIR}\")
    foreach(pair \"man|man/man1/billow.1\" \"completion bash|bash-completion/completions/billow\"
                 \"completion zsh|zsh/site-functions/_billow\" \"completion fish|fish/vendor_completions.d/billow.fish\")
      string(REGEX REPLACE \"[|].*\" \"\" words \${pair})
      string(REGEX REPLACE \".*[|]\" \"\" file \${pair})
      separate_arguments(words)
      cmake_path(GET file PARENT_PATH folder)
      file(MAKE_DIRECTORY \${share}/\${folder})
      execute_process(COMMAND \${program} \${words} OUTPUT_FILE \${share}/\${file} COMMAND_ERROR_IS_FATAL ANY)
      message(STATUS \"Written: \${share}/\${file}\")
    endforeach()"
    COMPONENT tool)
endif()

# Name what a C program has to link besides the archive, and let the prefix be moved.
set(runtime_libraries ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(FILTER runtime_libraries INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|m)$")
list(TRANSFORM runtime_libraries PREPEND "-l")
list(JOIN runtime_libraries " " runtime_libraries)

install(EXPORT billow NAMESPACE billow:: FILE billowTargets.cmake DESTINATION ${package_dir} COMPONENT dev)
write_basic_package_version_file(billowConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/billowConfig.cmake.in billowConfig.cmake @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/billowConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/billowConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT dev)

set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${pkgconfig_dir}
           OUTPUT_VARIABLE prefix_from_pkgconfig)
configure_file(cmake/billow.pc.in billow.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/billow.pc DESTINATION ${pkgconfig_dir} COMPONENT dev)
