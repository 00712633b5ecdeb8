/* Looks at what it is given, kind by kind, and solves what a closed form solves: every matrix and function is asked
 * for, and the answer is by a fixed point of z := P(z - t F(z)), which contracts on the problems of the test. */
#include <perp_plugin.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const perp_problem *problem;
  int prepared, updated;
} solver;

static void *create(void) { return calloc(1, sizeof(solver)); }
static void destroy(void *self) { free(self); }
static int prepare(void *self, const perp_problem *problem) {
  solver *s = self;
  s->problem = problem;
  ++s->prepared;
  return problem->size < sizeof(perp_problem);
}
static int update(void *self, const perp_problem *problem) {
  solver *s = self;
  s->problem = problem;
  ++s->updated;
  return 0;
}

static void map(const perp_problem *p, const double *z, double *f) {
  if (p->evaluate) {
    p->evaluate(p, z, f);
    return;
  }
  for (int i = 0; i < p->n; ++i) {
    f[i] = p->q[i];
    for (int k = p->M.row_start[i]; k < p->M.row_start[i + 1]; ++k) f[i] += p->M.value[k] * z[p->M.column[k]];
  }
}

/* The largest row sum of the matrix, or of the Jacobian at z: its inverse is a step that is short enough. */
static double norm(const perp_problem *p, const double *z) {
  const int entries = p->M.row_start[p->n];
  double *value = calloc((size_t)entries + 1, sizeof *value), most = 0.0;
  if (p->jacobian) {
    p->jacobian(p, z, value);
  } else {
    memcpy(value, p->M.value, (size_t)entries * sizeof *value);
  }
  for (int i = 0; i < p->n; ++i) {
    double sum = 0.0;
    for (int k = p->M.row_start[i]; k < p->M.row_start[i + 1]; ++k) sum += fabs(value[k]);
    most = fmax(most, sum);
  }
  free(value);
  return most;
}

static void solve(void *self, const perp_request *request, perp_answer *answer) {
  const solver *s = self;
  const perp_problem *p = s->problem;
  double *z = answer->z, *f = calloc((size_t)p->n, sizeof *f);
  for (int i = 0; i < p->n; ++i) z[i] = request->start ? request->start[i] : 0.0;
  const double step = 1.0 / norm(p, z);
  snprintf(answer->message, sizeof answer->message, "%s, %d prepared, %d updated", p->kind, s->prepared, s->updated);
  answer->status = PERP_ITERATION_LIMIT;
  for (int k = 1; k <= 100000 && answer->status == PERP_ITERATION_LIMIT; ++k) {
    double change = 0.0;
    map(p, z, f);
    for (int i = 0; i < p->n; ++i) {
      double next = z[i] - step * f[i];
      next = fmax(next, p->lower ? p->lower[i] : strcmp(p->kind, "lcp") == 0 ? 0.0 : -INFINITY);
      if (p->upper) next = fmin(next, p->upper[i]);
      change = fmax(change, fabs(next - z[i]) / step);
      z[i] = next;
    }
    answer->iterations = k;
    if (!request->on_iteration(request, k, change)) answer->status = PERP_INTERRUPTED;
    if (change < 1e-3 * request->tolerance) answer->status = PERP_SOLVED;
  }
  free(f);
}

static const char *const kinds[] = {"lcp", "mlcp", "mcp", "box_qp", NULL};
static const perp_plugin plugin = {
    sizeof(perp_plugin), PERP_PLUGIN_VERSION, "fixed-point", "steps against F, projected", kinds, 1, NULL, 0,
    create, destroy, NULL, NULL, prepare, update, solve};

const perp_plugin *perp_plugin_solver(int index) { return index == 0 ? &plugin : NULL; }
