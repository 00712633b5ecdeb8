# How the stages of perp are built: one library per stage, each with an include root of its own.
#
# The headers stand beside their sources (solvers/pivoting/lemke.hpp) and are included as
# <perp/solvers/pivoting/lemke.hpp>, in the build tree through a link, after installation as files.
# A stage sees the roots of the targets it links and no others, so a wrong #include does not compile.

include(PerpHeaders)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the source tree count as relative, so that what was compiled in one clone serves another.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# Flags of our own code. The same build must give the same bits: no contraction to fused
# multiply-add, no fast-math. Assertions stay out of release builds.
add_library(perp_flags INTERFACE)
target_compile_features(perp_flags INTERFACE cxx_std_20)
target_compile_options(perp_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                            -ffp-contract=off)
target_compile_definitions(perp_flags INTERFACE EIGEN_DONT_PARALLELIZE EIGEN_MPL2_ONLY)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Said of sources that share a unit, and not of these sources by themselves.
  target_compile_options(perp_flags INTERFACE
    $<$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>:-Wno-shadow;-Wno-subobject-linkage>)
endif()
if(PERP_WARNINGS_AS_ERRORS)
  target_compile_options(perp_flags INTERFACE -Werror)
endif()
if(PERP_SANITIZE)
  target_compile_options(perp_flags INTERFACE -fsanitize=${PERP_SANITIZE} -fno-omit-frame-pointer
                                              -fno-sanitize-recover=all)
  target_link_options(perp_flags INTERFACE -fsanitize=${PERP_SANITIZE})
  if(PERP_SANITIZE STREQUAL "address,undefined")
    # Left out, since they take a third of the compiler's time: checks of every pointer for null and for the end of its
    # object, which the address sanitizer reports too, and of its alignment, which the fuzzers' build keeps for the
    # readers (tests/fuzz).
    target_compile_options(perp_flags INTERFACE -fno-sanitize=null,object-size,vptr,alignment)
    # At a fixed address: the records of the sanitizers are millions of pointers, which else are relocated at every
    # start.
    target_link_options(perp_flags INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  endif()
endif()
# Eigen's layout is the same in the libraries and in programs built with other flags (AVX, sanitizers).
set(PERP_EIGEN_LAYOUT EIGEN_MAX_ALIGN_BYTES=64 EIGEN_MAX_STATIC_ALIGN_BYTES=16)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# perp_add_stage(NAME FOLDER): the library perp_NAME (alias perp::NAME) from every .cpp below FOLDER.
function(perp_add_stage name folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  set(root "${PROJECT_BINARY_DIR}/include/${name}")
  file(MAKE_DIRECTORY "${root}/perp")
  file(CREATE_LINK "${folder}" "${root}/perp/${name}" SYMBOLIC)
  if(name IN_LIST PERP_UMBRELLAS)
    perp_link_umbrella(${name} "${root}")
  endif()
  set(scope PUBLIC)
  if(sources)
    add_library(perp_${name} STATIC ${sources})
    target_link_libraries(perp_${name} PRIVATE $<BUILD_INTERFACE:perp_flags>)
    set_target_properties(perp_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  else()
    add_library(perp_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(perp::${name} ALIAS perp_${name})
  target_compile_features(perp_${name} ${scope} cxx_std_20)
  target_compile_definitions(perp_${name} ${scope} ${PERP_EIGEN_LAYOUT})
  target_include_directories(perp_${name} ${scope} $<BUILD_INTERFACE:${root}>
                                                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(perp_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY PERP_STAGES ${name})
  set_property(GLOBAL PROPERTY PERP_STAGE_FOLDER_${name} "${folder}")
endfunction()
