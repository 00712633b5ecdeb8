/* .nl files as the AMPL solver library sees them: a second opinion on how perp reads and writes. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AslFunction AslFunction;

/* Null if the library does not read the file. */
AslFunction* asl_open(const char* path);
void asl_close(AslFunction* function);
int asl_rows(const AslFunction* function);
int asl_columns(const AslFunction* function);
/* The variable that row complements; -1: none. */
int asl_complement(const AslFunction* function, int row);
void asl_bounds(const AslFunction* function, int column, double* lower, double* upper);
/* The starting point; 0 if the file has none. */
void asl_start(const AslFunction* function, double* x);
/* f: every row's body, less its finite bound; jacobian: rows x columns, row by row.
   Returns 0 if the library could evaluate them. */
int asl_evaluate(AslFunction* function, double* x, double* f, double* jacobian);

#ifdef __cplusplus
}
#endif
