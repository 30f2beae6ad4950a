/* Three small jobs for a compiler: a sieve, a product of matrices, and a sum that must not be reordered. */
#include <stdio.h>
#include <string.h>

#define N 64
#define LIMIT 200000

static char composite[LIMIT];
static double a[N][N], b[N][N], c[N][N];

static int count_primes(void) {
  int count = 0;
  memset(composite, 0, sizeof composite);
  for (int i = 2; i < LIMIT; i++) {
    if (composite[i]) continue;
    count++;
    for (long j = (long)i * i; j < LIMIT; j += i) composite[j] = 1;
  }
  return count;
}

static double multiply(void) {
  double trace = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] = (i * j) % 7, b[i][j] = (i + j) % 5, c[i][j] = 0;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++)
      for (int j = 0; j < N; j++) c[i][j] += a[i][k] * b[k][j];
  for (int i = 0; i < N; i++) trace += c[i][i];
  return trace;
}

/* Kahan's sum: exact to the last digit, unless the compiler may treat floating-point numbers like real ones. */
static float harmonic(void) {
  float sum = 0, lost = 0;
  for (int i = 1; i <= 3000000; i++) {
    float term = 1.0f / i - lost;
    float next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  return sum;
}

int main(void) {
  printf("%d %.0f %.4f\n", count_primes(), multiply(), harmonic());
  return 0;
}
