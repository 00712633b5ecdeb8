/* A solver for perp in a shared library: the interface, in C (docs/how-to/adding.md, "A shared library").
 *
 * The library exports one function,
 *     const perp_plugin *perp_plugin_solver(int index);
 * which returns its solvers, from index 0 on, and NULL behind the last one. perp loads it with
 * --plugin FILE. All numbers are doubles, indices begin at 0, and sizes are numbers of entries.
 * What perp passes is valid as long as each comment says; a plug-in frees nothing of it.
 *
 * Every struct begins with its size in bytes as the side that filled it knows it. A later version
 * of this interface may add members at the end: look at `size` before you read one of these. */
#ifndef PERP_PLUGIN_H
#define PERP_PLUGIN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PERP_PLUGIN_VERSION 1

/* Compressed rows: the entries of row i are those from row_start[i] up to row_start[i + 1], by
 * ascending columns. What a problem does not have is 0 x 0, and row_start has its one entry. */
typedef struct perp_matrix {
  int rows, columns;
  const int *row_start; /* rows + 1 */
  const int *column;    /* row_start[rows] */
  const double *value;  /* the same */
} perp_matrix;

typedef enum perp_cone_type {
  PERP_CONE_ZERO,
  PERP_CONE_NONNEGATIVE,
  PERP_CONE_SECOND_ORDER /* (t, x) with |x| <= t */
} perp_cone_type;

typedef struct perp_cone {
  perp_cone_type type;
  int rows; /* of A that it takes, one cone behind the other */
} perp_cone;

/* A problem. Valid until the next prepare or update of the same solver, or its destroy. Arrays that
 * the kind does not have are NULL. By kind, with the unknown z of size n:
 *   "lcp"               z >= 0, w = M z + q >= 0, z'w = 0
 *   "mlcp"              lower <= z <= upper, complementary to M z + q
 *   "mcp"               lower <= z <= upper, complementary to F(z): `evaluate`, `jacobian`
 *   "box_qp"            min 1/2 z'M z + q'z, lower <= z <= upper
 *   "conic_qp"          min 1/2 z'M z + q'z, A z + s = b, s in the product of the cones
 *   "friction_contact"  z in K_mu, u + mu |u_t| n in K_mu*, both perpendicular, u = W z + q, contact
 *                       by contact (n, t1[, t2]). W = M if there is one, else J mass^-1 J'; the
 *                       diagonal matrix of `compliance` is added to it
 *   "convex_contact"    min 1/2 |z - q|^2_M + 1/2 |P(y)|^2_R, y = -R^-1 (J z - bias), P on K_mu */
typedef struct perp_problem {
  size_t size;
  const char *kind;
  const char *name;
  int n;
  perp_matrix M;       /* n x n; of an mcp the pattern of dF/dz, every value 0 */
  const double *q;     /* n */
  const double *lower; /* n, may be -infinity */
  const double *upper; /* n, may be infinity */
  perp_matrix A;       /* conic_qp */
  const double *b;     /* rows of A */
  const perp_cone *cones;
  int cone_count;
  int contacts;             /* friction_contact, convex_contact */
  int dimension;            /* rows of a contact: 2 or 3 */
  perp_matrix J, mass;      /* friction_contact without M; J also of convex_contact */
  const double *mu;         /* contacts */
  const double *compliance; /* dimension * contacts: of friction_contact, may be NULL; R of the other */
  const double *bias;       /* dimension * contacts */
  /* mcp: f has n values, `value` those of the entries of M, in their order. They return 0, or
   * another number if what is asked for does not exist at z. */
  int (*evaluate)(const struct perp_problem *problem, const double *z, double *f);
  int (*jacobian)(const struct perp_problem *problem, const double *z, double *value);
  void *data; /* perp's own */
} perp_problem;

/* What a solve is asked for. Valid while it runs. */
typedef struct perp_request {
  size_t size;
  double tolerance;         /* of perp's verifier, see docs/reference/notation.md */
  double time_limit;        /* s; 0: none */
  int max_iterations;       /* 0: as many as the solver wants */
  const double *start;      /* n, or NULL */
  const double *start_dual; /* rows of A, or NULL */
  /* To be called once an iteration; if it returns 0, the solve is to end as PERP_INTERRUPTED. NaN
   * stands for a residual that is not known. */
  int (*on_iteration)(const struct perp_request *request, int iteration, double residual);
  void *data; /* perp's own */
} perp_request;

typedef enum perp_status {
  PERP_SOLVED, /* a claim, which perp verifies */
  PERP_RAY,
  PERP_INFEASIBLE,
  PERP_STATIONARY,
  PERP_ITERATION_LIMIT,
  PERP_TIME_LIMIT,
  PERP_STALLED,
  PERP_NUMERICAL_ERROR,
  PERP_INTERRUPTED,
  PERP_UNSUPPORTED
} perp_status;

/* What comes of a solve. perp gives the arrays, which are filled with NaN. */
typedef struct perp_answer {
  size_t size;
  perp_status status; /* PERP_NUMERICAL_ERROR unless it is set */
  int iterations;
  double *z;         /* n */
  double *dual;      /* conic_qp: rows of A, else NULL */
  char message[256]; /* may stay empty; ends with 0 */
} perp_answer;

/* A setting is a number. */
typedef struct perp_setting {
  const char *name; /* letters, digits and '_' */
  const char *meaning;
  double value; /* as long as nobody sets it */
  double least, most;
} perp_setting;

/* A solver. Valid, with all it points to, until the program ends. An object serves one thread. */
typedef struct perp_plugin {
  size_t size;
  int version;              /* PERP_PLUGIN_VERSION */
  const char *name;         /* letters, digits, '.', '_' and '-', a letter first */
  const char *summary;      /* one line */
  const char *const *kinds; /* those it takes, then NULL */
  int uses_start;           /* 0: begins at the same point whatever start is given */
  const perp_setting *settings;
  int setting_count;
  void *(*create)(void); /* NULL: it cannot be made */
  void (*destroy)(void *solver);
  void (*set)(void *solver, int setting, double value); /* may be NULL without settings */
  /* Why it does not take a problem of its kinds, or NULL; the text is copied at once. Here the
   * problem is valid during the call only. May be NULL. */
  const char *(*refusal)(void *solver, const perp_problem *problem);
  /* Takes a problem. Returns 0, or another number if it cannot. */
  int (*prepare)(void *solver, const perp_problem *problem);
  /* The same for a problem with other values and the structure of the one before: sizes, patterns,
   * which bounds are finite. May be NULL; prepare is called then. */
  int (*update)(void *solver, const perp_problem *problem);
  /* Solves what is prepared; may be called again and again. */
  void (*solve)(void *solver, const perp_request *request, perp_answer *answer);
} perp_plugin;

#define PERP_PLUGIN_EXPORT __attribute__((visibility("default")))

PERP_PLUGIN_EXPORT const perp_plugin *perp_plugin_solver(int index);

#ifdef __cplusplus
}
#endif

#endif
