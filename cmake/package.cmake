# Debian packages (`./run package`, or cpack in the build folder): libbillow-dev to build against, billow with the program.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR Billow)
set(CPACK_PACKAGE_CONTACT "The Billow authors <billow@localhost>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

# A package each, named and versioned as Debian does it.
set(CPACK_COMPONENTS_ALL dev)
if(TARGET billow_cli)
  list(APPEND CPACK_COMPONENTS_ALL tool)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libbillow-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEV_DESCRIPTION "Loose clothing in real time: library and headers\n Rope chains and small networks turn a body's motion into a dressed frame. One C header, a C++20\n wrapper, a static library without dependencies; for CMake and pkg-config.")
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME billow)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION graphics)
set(CPACK_COMPONENT_TOOL_DESCRIPTION "Loose clothing in real time: the command line\n Makes, measures, shows and exports garments, and holds a cape and a skirt to try.")
# What the program links, by the packages that have it.
find_program(shlibdeps dpkg-shlibdeps)
mark_as_advanced(shlibdeps)
if(shlibdeps)
  set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
endif()

include(CPack)
