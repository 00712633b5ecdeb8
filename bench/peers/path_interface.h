/* The part of PATH's C interface that perp uses: names, order and types of arguments and members, as its authors
 * publish it (pages.cs.wisc.edu/~ferris/path.html) and as PATHSolver.jl calls it. Users need their own copy of PATH
 * [DirkseFerris1995]. Rows and columns count from 1; 1e20 is infinity. */
#ifndef PERP_BENCH_PEERS_PATH_INTERFACE_H
#define PERP_BENCH_PEERS_PATH_INTERFACE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  void* interface_data;
  void (*problem_size)(void* data, int* size, int* nonzeros);
  void (*bounds)(void* data, int size, double* z, double* lower, double* upper);
  int (*function_evaluation)(void* data, int size, double* z, double* f);
  int (*jacobian_evaluation)(void* data, int size, double* z, int want_f, double* f, int* nonzeros,
                             int* column, int* length, int* row, double* value);
  void* hessian_evaluation;
  void (*start)(void* data);
  void (*finish)(void* data, double* z);
  void (*variable_name)(void* data, int variable, char* buffer, int size);
  void (*constraint_name)(void* data, int constraint, char* buffer, int size);
  void (*basis)(void* data, int size, int* basis);
} path_mcp_interface;

/* Booleans have one byte. */
typedef struct {
  double residual, distance, steplength, total_time, basis_time, maximum_distance;
  int major_iterations, minor_iterations, crash_iterations, function_evaluations,
      jacobian_evaluations, gradient_steps, restarts;
  int generate_output, generated_output;
  unsigned char forward, backtrace, gradient, use_start, use_basics, used_start, used_basics;
  char room[64]; /* space for members that later versions add */
} path_information;

enum {
  PATH_SOLVED = 1,
  PATH_NO_PROGRESS,
  PATH_MAJOR_ITERATION_LIMIT,
  PATH_MINOR_ITERATION_LIMIT,
  PATH_TIME_LIMIT,
  PATH_USER_INTERRUPT,
  PATH_BOUND_ERROR,
  PATH_DOMAIN_ERROR,
  PATH_INFEASIBLE,
  PATH_ERROR,
  PATH_LICENSE_ERROR
};

#ifdef __cplusplus
}
#endif
#endif
