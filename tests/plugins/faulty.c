/* Solvers with a fault each, for tests/cli/test_doors.py. */
#include <perp_plugin.h>

#include <stdlib.h>
#include <string.h>

static int dummy;
static void *create(void) { return &dummy; }
static void destroy(void *self) { (void)self; }
static int size;
static int prepare(void *self, const perp_problem *problem) {
  (void)self;
  size = problem->n;
  return 0;
}

static void crash(void *self, const perp_request *request, perp_answer *answer) {
  (void)self, (void)request, (void)answer;
  volatile int *nowhere = NULL;
  *nowhere = 1;
}

static void loop(void *self, const perp_request *request, perp_answer *answer) {
  (void)self, (void)request;
  for (volatile int i = 0; answer->z; i = i + 1) i = 0;
}

static void eat(void *self, const perp_request *request, perp_answer *answer) {
  (void)self, (void)request, (void)answer;
  for (;;) {
    const size_t bytes = 1000000;
    volatile char *part = malloc(bytes);
    for (size_t i = 0; i < bytes; i += 1000) part[i] = 1; /* nobody looks whether there is any */
  }
}

static void lie(void *self, const perp_request *request, perp_answer *answer) {
  (void)self, (void)request;
  for (int i = 0; i < size; ++i) answer->z[i] = 0.0;
  strcpy(answer->message, "trust me");
  answer->status = PERP_SOLVED;
}

/* Claims to have solved it, and leaves NaN where numbers should be. */
static void nans(void *self, const perp_request *request, perp_answer *answer) {
  (void)self, (void)request;
  answer->status = PERP_SOLVED;
}

static const char *const kinds[] = {"lcp", "friction_contact", NULL};
#define SOLVER(name, solve)                                                                     \
  {sizeof(perp_plugin), PERP_PLUGIN_VERSION, name, "has a fault", kinds, 0, NULL, 0, create,    \
   destroy, NULL, NULL, prepare, NULL, solve}
static const perp_plugin solvers[] = {SOLVER("crash", crash), SOLVER("loop", loop), SOLVER("eat", eat),
                                      SOLVER("lie", lie), SOLVER("nans", nans)};

const perp_plugin *perp_plugin_solver(int index) { return index < 5 ? &solvers[index] : NULL; }
