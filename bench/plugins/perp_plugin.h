/** @file
 * The C interface for solvers in shared libraries (docs/how-to/adding.md, "A shared library").
 *
 * The library exports one function,
 *     const perp_plugin *perp_plugin_solver(int index);
 * which returns its solvers, from index 0 on, and NULL after the last one. perp loads the library
 * with --plugin FILE. All real numbers are doubles, indices begin at 0, and sizes are numbers of
 * entries. The comments say how long data from perp is valid; a plug-in must not free it.
 *
 * Structs that begin with `size` hold there their size in bytes, as known to the side that filled
 * them. A later version of this interface may add members at the end: check `size` before you read
 * one of these. */
#ifndef PERP_PLUGIN_H
#define PERP_PLUGIN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this interface. */
#define PERP_PLUGIN_VERSION 1

/** Compressed rows: the entries of row i are those from row_start[i] up to row_start[i + 1], by
 * ascending columns. A matrix that a problem does not have is 0 x 0, and its row_start has one
 * entry. */
typedef struct perp_matrix {
  int rows, columns;
  const int *row_start; /**< rows + 1 entries */
  const int *column;    /**< row_start[rows] entries */
  const double *value;  /**< row_start[rows] entries */
} perp_matrix;

/** The types of cones. */
typedef enum perp_cone_type {
  PERP_CONE_ZERO,
  PERP_CONE_NONNEGATIVE,
  PERP_CONE_SECOND_ORDER /**< (t, x) with |x| <= t */
} perp_cone_type;

/** A factor of the product cone. */
typedef struct perp_cone {
  perp_cone_type type;
  int rows; /**< number of rows of A; the cones follow each other */
} perp_cone;

/** A problem. Valid until the next prepare or update of the same solver, or its destroy. Arrays
 * that the kind does not have are NULL. By kind, with the unknown z of size n:
 *   "lcp"               z >= 0, w = M z + q >= 0, z'w = 0
 *   "mlcp"              lower <= z <= upper, complementary to M z + q
 *   "mcp"               lower <= z <= upper, complementary to F(z): `evaluate`, `jacobian`
 *   "box_qp"            min 1/2 z'M z + q'z, lower <= z <= upper
 *   "conic_qp"          min 1/2 z'M z + q'z, A z + s = b, s in the product of the cones
 *   "friction_contact"  z in K_mu, u + mu |u_t| n in K_mu*, both perpendicular, u = W z + q,
 *                       contact by contact (n, t1[, t2]). W = M if there is one, else J mass^-1 J';
 *                       the diagonal matrix of `compliance` is added to it
 *   "convex_contact"    min 1/2 |z - q|^2_M + 1/2 |P(y)|^2_R, y = -R^-1 (J z - bias), P on K_mu */
typedef struct perp_problem {
  size_t size;
  const char *kind;
  const char *name;
  int n;
  perp_matrix M;       /**< n x n; for an mcp the pattern of dF/dz, with values 0 */
  const double *q;     /**< n */
  const double *lower; /**< n, may be -infinity */
  const double *upper; /**< n, may be infinity */
  perp_matrix A;       /**< conic_qp */
  const double *b;     /**< rows of A */
  const perp_cone *cones;
  int cone_count;
  int contacts;             /**< friction_contact, convex_contact */
  int dimension;            /**< rows of a contact: 2 or 3 */
  perp_matrix J, mass;      /**< friction_contact without M; J also of convex_contact */
  const double *mu;         /**< contacts */
  /** dimension * contacts; friction_contact: may be NULL; convex_contact: the diagonal of R */
  const double *compliance;
  const double *bias;       /**< dimension * contacts */
  /** mcp: they fill f (n values) and `value` (one for each entry of M, in its order). They return
   * 0, or another number if F or its derivative does not exist at z. */
  int (*evaluate)(const struct perp_problem *problem, const double *z, double *f);
  int (*jacobian)(const struct perp_problem *problem, const double *z, double *value);
  void *data; /**< for perp only */
} perp_problem;

/** The request for a solve. Valid while the solve runs. */
typedef struct perp_request {
  size_t size;
  double tolerance;         /**< of perp's verifier, see docs/reference/notation.md */
  double time_limit;        /**< s; 0: none */
  int max_iterations;       /**< 0: as many as the solver wants */
  const double *start;      /**< n, or NULL */
  const double *start_dual; /**< rows of A, or NULL */
  /** The solver should call it in every iteration, with NaN if the residual is not known. If it
   * returns 0, the solve must end with PERP_INTERRUPTED. It does so if the solve is interrupted
   * and at the time limit (perp then says so). */
  int (*on_iteration)(const struct perp_request *request, int iteration, double residual);
  void *data; /**< for perp only */
} perp_request;

/** What a solver claims. */
typedef enum perp_status {
  PERP_SOLVED, /**< a claim, which perp verifies */
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

/** The answer of a solve. perp provides the arrays and fills them with NaN before. */
typedef struct perp_answer {
  size_t size;
  perp_status status; /**< PERP_NUMERICAL_ERROR unless it is set */
  int iterations;
  double *z;         /**< n */
  double *dual;      /**< conic_qp: rows of A, else NULL */
  char message[256]; /**< may stay empty; ends with 0 */
} perp_answer;

/** A setting is a number. */
typedef struct perp_setting {
  const char *name; /**< letters, digits and '_' */
  const char *meaning;
  double value; /**< default */
  double least, most;
} perp_setting;

/** A solver. It and all it points to must stay valid until the program ends. perp uses the object
 * from create() in one thread at a time. */
typedef struct perp_plugin {
  size_t size;
  int version;              /**< PERP_PLUGIN_VERSION */
  const char *name;         /**< letters, digits, '.', '_' and '-', a letter first */
  const char *summary;      /**< one line */
  const char *const *kinds; /**< the kinds it accepts, then NULL */
  int uses_start;           /**< 0: ignores the start */
  const perp_setting *settings;
  int setting_count;
  void *(*create)(void); /**< returns NULL if that fails */
  void (*destroy)(void *solver);
  void (*set)(void *solver, int setting, double value); /**< may be NULL without settings */
  /** Returns the reason why the solver does not accept a problem of its kinds, or NULL. perp copies
   * the text at once. The problem is valid during the call only. May be NULL. */
  const char *(*refusal)(void *solver, const perp_problem *problem);
  /** Prepares for a problem. Returns 0, or another number if that fails. */
  int (*prepare)(void *solver, const perp_problem *problem);
  /** The same for a problem with other values but the same structure as the one before: sizes,
   * patterns, which bounds are finite. May be NULL; then perp calls prepare. */
  int (*update)(void *solver, const perp_problem *problem);
  /** Solves the prepared problem. May be called several times. */
  void (*solve)(void *solver, const perp_request *request, perp_answer *answer);
} perp_plugin;

/** Makes a function visible outside its library. */
#define PERP_PLUGIN_EXPORT __attribute__((visibility("default")))

/** The solver of an index, or NULL after the last one. The library defines it. */
PERP_PLUGIN_EXPORT const perp_plugin *perp_plugin_solver(int index);

#ifdef __cplusplus
}
#endif

#endif
