/* Stands in for PATH in tests: its published interface, checked call by call, around a projected Gauss-Seidel method
 * that is good enough for diagonally dominant problems. PATH_STUB tells it to misbehave. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "path_interface.h"

struct problem {
  int size, nonzeros;
  path_mcp_interface* calls;
  double* z;
};

static double tolerance = 1e-6;
static int iterations = 500, added_options, constant_structure, licensed;

static void broken(const char* rule) {
  fprintf(stderr, "path stub: %s\n", rule);
  abort();
}

static int asked(const char* what) {
  const char* text = getenv("PATH_STUB");
  return text && strcmp(text, what) == 0;
}

const char* Path_Version(void) { return "stub of PATH"; }
int License_SetString(const char* text) { return licensed = strcmp(text, "my licence") == 0; }
int Path_CheckLicense(int size, int nonzeros) { return licensed || (size <= 300 && nonzeros <= 2000); }
void* Options_Create(void) { return malloc(1); }
void Options_Destroy(void* options) { free(options); }
void Path_AddOptions(void* options) { added_options = options != NULL; }
void Options_Default(void* options) {
  if (!options || !added_options) broken("Options_Default before Path_AddOptions");
}
void Options_Set(void* options, const char* text) {
  if (!options) broken("Options_Set without options");
  sscanf(text, "convergence_tolerance %lg", &tolerance);
  sscanf(text, "major_iteration_limit %d", &iterations);
}

void* MCP_Create(int size, int nonzeros) {
  struct problem* p = calloc(1, sizeof *p);
  if (size < 1 || nonzeros < 1) broken("MCP_Create of nothing");
  p->size = size;
  p->nonzeros = nonzeros;
  p->z = calloc((size_t)size, sizeof(double));
  return p;
}
void MCP_Destroy(void* problem) {
  free(((struct problem*)problem)->z);
  free(problem);
}
void MCP_SetInterface(void* problem, path_mcp_interface* calls) { ((struct problem*)problem)->calls = calls; }
void MCP_Jacobian_Structure_Constant(void* problem, int constant) { constant_structure = problem && constant; }
double* MCP_GetX(void* problem) { return ((struct problem*)problem)->z; }

/* The diagonal, out of columns that must be as published: counted from 1, within what was announced. */
static void diagonal(const struct problem* p, const int* column, const int* length, const int* row,
                     const double* value, double* d) {
  for (int j = 0; j < p->size; ++j) {
    d[j] = 0.0;
    if (column[j] < 1 || length[j] < 0 || column[j] - 1 + length[j] > p->nonzeros) broken("a column out of range");
    for (int k = column[j] - 1; k < column[j] - 1 + length[j]; ++k) {
      if (row[k] < 1 || row[k] > p->size) broken("a row out of range");
      if (row[k] == j + 1) d[j] = value[k];
    }
  }
}

int Path_Solve(void* problem, path_information* information) {
  struct problem* p = problem;
  const int n = p->size;
  int size = 0, nonzeros = 0, end = PATH_MAJOR_ITERATION_LIMIT;
  path_mcp_interface* c = p->calls;
  if (!c || !constant_structure) broken("Path_Solve before the interface is set");
  if (!information->use_start) broken("the start is not used");
  c->problem_size(c->interface_data, &size, &nonzeros);
  if (size != n || nonzeros != p->nonzeros) broken("another size than that of MCP_Create");
  double *lower = calloc((size_t)n, sizeof(double)), *upper = calloc((size_t)n, sizeof(double)),
         *f = calloc((size_t)n, sizeof(double)), *d = calloc((size_t)n, sizeof(double)),
         *value = calloc((size_t)nonzeros, sizeof(double));
  int *column = calloc((size_t)n, sizeof(int)), *length = calloc((size_t)n, sizeof(int)),
      *row = calloc((size_t)nonzeros, sizeof(int));
  c->bounds(c->interface_data, n, p->z, lower, upper);
  for (int i = 0; i < n; ++i)
    if (lower[i] < -1e20 || upper[i] > 1e20) broken("an infinity that is not 1e20");
  if (asked("crash")) raise(SIGSEGV);
  if (asked("licence")) return PATH_LICENSE_ERROR;
  for (int sweep = 0; sweep < iterations && end != PATH_SOLVED; ++sweep) {
    double worst = 0.0;
    nonzeros = p->nonzeros;
    if (c->jacobian_evaluation(c->interface_data, n, p->z, 1, f, &nonzeros, column, length, row, value) != 0) {
      end = PATH_DOMAIN_ERROR;
      break;
    }
    diagonal(p, column, length, row, value, d);
    for (int i = 0; i < n; ++i) {
      const double before = p->z[i];
      if (c->function_evaluation(c->interface_data, n, p->z, f) != 0) end = PATH_DOMAIN_ERROR;
      if (d[i] <= 0) broken("a diagonal entry that is not positive");
      p->z[i] = fmin(fmax(before - f[i] / d[i], lower[i]), upper[i]);
      worst = fmax(worst, fabs(p->z[i] - before) * fmax(1.0, d[i]));
    }
    information->major_iterations = sweep + 1;
    if (worst <= tolerance) end = PATH_SOLVED;
  }
  if (asked("lie")) {
    memset(p->z, 0, (size_t)n * sizeof(double));
    end = PATH_SOLVED;
  }
  free(lower), free(upper), free(f), free(d), free(value), free(column), free(length), free(row);
  return end;
}
