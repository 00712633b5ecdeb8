# What docs/how-to/adding.md adds, with the lists that have its lines; tests/rules/test_install.py puts it together.
cmake_minimum_required(VERSION 3.25)
project(perp_added LANGUAGES CXX)
find_package(perp 0.1 REQUIRED)
add_executable(added main.cpp solver.cpp strategy.cpp gap.cpp law.cpp registry.cpp strategies.cpp gaps.cpp
               laws.cpp)
target_include_directories(added BEFORE PRIVATE include)
target_link_libraries(added PRIVATE perp::simulation perp::solvers perp::formulations)
