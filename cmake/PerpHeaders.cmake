# The public headers of perp: those that stand in public.hpp of a stage, and what they include.
#
# A user includes <perp/problems.hpp>, <perp/solvers.hpp>, <perp/formulations.hpp> or <perp/simulation.hpp>, or a
# single header of them such as <perp/solvers/pivoting/lemke.hpp> (docs/reference/headers.md).
cmake_policy(VERSION 3.25)  # also read by scripts, which have no policies of their own

# Umbrella headers: NAME of <perp/NAME.hpp> and the folder whose public.hpp it is.
set(PERP_UMBRELLAS problems solvers formulations simulation)
set(PERP_UMBRELLA_FOLDER_problems problems)
set(PERP_UMBRELLA_FOLDER_solvers solvers)
set(PERP_UMBRELLA_FOLDER_formulations formulations)
set(PERP_UMBRELLA_FOLDER_simulation bench/simulation)

# perp_link_umbrella(NAME ROOT): <perp/NAME.hpp> in an include root of the build tree.
function(perp_link_umbrella name root)
  file(MAKE_DIRECTORY "${root}/perp")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${PERP_UMBRELLA_FOLDER_${name}}/public.hpp" "${root}/perp/${name}.hpp"
       SYMBOLIC)
endfunction()

# perp_public_headers(RESULT SOURCE_DIR [NAME]...): the headers that the umbrellas (of these names) include, directly
# or not, as sorted paths below SOURCE_DIR. The umbrellas themselves are not in the list.
function(perp_public_headers result source_dir)
  set(names ${ARGN})
  if(NOT names)
    set(names ${PERP_UMBRELLAS})
  endif()
  set(found "")
  set(open "")
  foreach(name IN LISTS names)
    list(APPEND open "${PERP_UMBRELLA_FOLDER_${name}}/public.hpp")
  endforeach()
  while(open)
    list(POP_FRONT open header)
    file(STRINGS "${source_dir}/${header}" lines REGEX "^#include [<\"]perp/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include [<\"]perp/([^>\"]+)[>\"].*" "\\1" included "${line}")
      if(NOT included IN_LIST found)
        list(APPEND found "${included}")
        list(APPEND open "${included}")
      endif()
    endforeach()
  endwhile()
  list(SORT found)
  set(${result} "${found}" PARENT_SCOPE)
endfunction()
