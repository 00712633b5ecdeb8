#include "asl_function.h"

#include <fenv.h>
#include <math.h>
#include "asl.h"

struct AslFunction {
  ASL* asl;
  real* entries;
};

static AslFunction* open_here(const char* path) {
  ASL* asl = ASL_alloc(ASL_read_fg);
  FILE* file = jac0dim((char*)path, (fint)strlen(path));
  AslFunction* function = (AslFunction*)malloc(sizeof(AslFunction));
  X0 = (real*)M1alloc(n_var * sizeof(real));
  memset(X0, 0, n_var * sizeof(real));
  if (fg_read(file, ASL_return_read_err) != 0) {
    ASL_free(&asl);
    free(function);
    return 0;
  }
  function->asl = asl;
  function->entries = (real*)malloc((nzc + 1) * sizeof(real));
  return function;
}

// The library sets the precision of the x87 unit to double, which would stay for all tests to come.
AslFunction* asl_open(const char* path) {
  fenv_t environment;
  fegetenv(&environment);
  AslFunction* function = open_here(path);
  fesetenv(&environment);
  return function;
}

void asl_close(AslFunction* function) {
  ASL_free(&function->asl);
  free(function->entries);
  free(function);
}

int asl_rows(const AslFunction* function) {
  ASL* asl = function->asl;
  return n_con;
}

int asl_columns(const AslFunction* function) {
  ASL* asl = function->asl;
  return n_var;
}

int asl_complement(const AslFunction* function, int row) {
  ASL* asl = function->asl;
  return cvar ? cvar[row] - 1 : -1;
}

void asl_bounds(const AslFunction* function, int column, double* lower, double* upper) {
  ASL* asl = function->asl;
  *lower = LUv[2 * column];
  *upper = LUv[2 * column + 1];
}

void asl_start(const AslFunction* function, double* x) {
  ASL* asl = function->asl;
  memcpy(x, X0, n_var * sizeof(real));
}

int asl_evaluate(AslFunction* function, double* x, double* f, double* jacobian) {
  ASL* asl = function->asl;
  fint error = 0;
  int i, k;
  conval(x, f, &error);
  if (error == 0) jacval(x, function->entries, &error);
  if (error != 0) return 1;
  for (i = 0; i < n_con; ++i) {
    const real lower = LUrhs[2 * i], upper = LUrhs[2 * i + 1];
    cgrad* entry;
    if (isfinite(lower)) {
      f[i] -= lower;
    } else if (isfinite(upper)) {
      f[i] -= upper;
    }
    for (k = 0; k < n_var; ++k) jacobian[i * n_var + k] = 0.0;
    for (entry = Cgrad[i]; entry; entry = entry->next) {
      jacobian[i * n_var + entry->varno] = function->entries[entry->goff];
    }
  }
  return 0;
}
