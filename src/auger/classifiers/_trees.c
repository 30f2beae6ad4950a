/* Extremely randomized trees: what auger/classifiers/trees.py does, to the last bit, and faster.
 *
 * Read the head of trees.py first; names are the same here. Plain C99 without Python: the functions at the end are
 * called through ctypes. Nodes are split in the order of their numbers and children get the next free ones, which
 * is the order of levels. Two things keep the results equal: sums run over rows in the order in which NumPy's
 * bincount adds them, and the compiler must round every operation (no fused multiply-add, no extended precision).
 */

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD != 0
#error "arithmetic must be that of double, as in NumPy"
#endif

#ifdef _WIN32
#define API __declspec(dllexport)
#else
#define API
#endif

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* number i of the stream that starts at a key */
static uint64_t number(uint64_t key, uint64_t i) { return mix(key + GOLDEN * (i + 1)); }

static double unit(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

static double rank_of_code(double code, uint64_t draw) {
    return isnan(code) ? code : unit(number(draw, (uint64_t)(int64_t)code));
}

static int goes_right(double rank, double threshold, uint64_t draw) {
    return isnan(rank) ? !(draw & 1) : rank > threshold;
}

typedef struct {
    const double *X; /* (n, stride) */
    int64_t stride;
    const uint8_t *is_ordered;
    const double *target, *positive, *mass;
    int64_t *row; /* rows of all trees, put in the order of nodes as they split */
} Sample;

/* where the rows of a node are */
typedef struct {
    int64_t start, count;
    uint64_t key;
} Node;

/* a column that was not looked at yet, and the number that says when it will be */
typedef struct {
    uint64_t number;
    int64_t column;
} Column;

typedef struct {
    double gain, threshold;
    uint64_t draw;
    int64_t column;
    double mass[2], positive[2]; /* left and right */
    uint8_t *right;              /* for each row of the node, whether it goes there */
} Split;

/* As long as a node; reused for all. */
typedef struct {
    double *rank;
    int64_t *moved;
    Column *columns;
    Split best, other;
} Scratch;

static int is_mixed(const Sample *s, const int64_t *row, int64_t n) {
    for (int64_t i = 1; i < n; i++)
        if (s->target[row[i]] != s->target[row[0]]) return 1;
    return 0;
}

/* Places of the rows in one column and a threshold among them. Returns whether they vary. */
static int choose_threshold(const Sample *s, const int64_t *row, int64_t n, double *rank, Split *split) {
    const double *column = s->X + split->column;
    double low = INFINITY, high = -INFINITY;
    int64_t n_active = 0;
    int is_ordered = s->is_ordered[split->column];
    for (int64_t i = 0; i < n; i++) {
        double x = column[row[i] * s->stride];
        if (!is_ordered) x = rank_of_code(x, split->draw);
        rank[i] = x;
        if (x < low) low = x;
        if (x > high) high = x;
        n_active += !isnan(x);
    }
    if (n_active == 0) return 0;
    if (low < high) {
        split->threshold = low + unit(split->draw) * (high - low);
        if (!(split->threshold < high)) split->threshold = low; /* rounding may reach the upper end */
        return 1;
    }
    split->threshold = INFINITY;
    split->draw &= ~UINT64_C(1);
    return n_active < n;
}

static void divide(const Sample *s, const int64_t *row, int64_t n, const double *rank, Split *split) {
    memset(split->mass, 0, sizeof split->mass);
    memset(split->positive, 0, sizeof split->positive);
    for (int64_t i = 0; i < n; i++) {
        int right = goes_right(rank[i], split->threshold, split->draw);
        split->right[i] = (uint8_t)right;
        split->mass[right] += s->mass[row[i]];
        split->positive[right] += s->positive[row[i]];
    }
    double left = split->positive[0] * (split->positive[0] / split->mass[0]);
    split->gain = left + split->positive[1] * (split->positive[1] / split->mass[1]);
}

/* Leaves the best split in scratch->best; its gain is -inf if there is none. */
static void find_split(const Sample *s, const Node *node, const int64_t *columns, int64_t d, int64_t max_features,
                       Scratch *scratch) {
    const int64_t *row = s->row + node->start;
    Column *left = scratch->columns;
    int64_t n_tried = 0;
    for (int64_t i = 0; i < d; i++) left[i] = (Column){number(node->key, (uint64_t)columns[i] + 2), columns[i]};
    scratch->best.gain = -INFINITY;
    for (int64_t n_left = d; n_left > 0 && n_tried < max_features; n_left--) {
        int64_t next = 0;
        for (int64_t i = 1; i < n_left; i++)
            if (left[i].number < left[next].number) next = i;
        Split *split = &scratch->other;
        split->column = left[next].column;
        split->draw = number(left[next].number, 0);
        left[next] = left[n_left - 1];
        if (!choose_threshold(s, row, node->count, scratch->rank, split)) continue;
        n_tried++;
        divide(s, row, node->count, scratch->rank, split);
        if (split->gain > scratch->best.gain) {
            Split better = *split;
            *split = scratch->best;
            scratch->best = better;
        }
    }
}

/* Rows that go left first, in the order they had; returns how many. */
static int64_t partition(int64_t *row, int64_t n, const uint8_t *right, int64_t *moved) {
    int64_t n_left = 0, n_right = 0;
    for (int64_t i = 0; i < n; i++) {
        if (right[i]) moved[n_right++] = row[i];
        else row[n_left++] = row[i];
    }
    memcpy(row + n_left, moved, (size_t)n_right * sizeof *row);
    return n_left;
}

/* Grow a forest. The last five arrays hold zeros and have room for n_trees * (2 * n_rows - 1) nodes; row holds the
 * rows of all trees and is reordered. Returns the number of nodes, or -1 if there is not enough memory. */
API int64_t auger_grow(const double *X, int64_t stride, const uint8_t *is_ordered, const double *target,
                       const double *positive, const double *mass, int64_t *row, int64_t n_trees, int64_t n_rows,
                       const int64_t *columns, int64_t d, int64_t max_features, uint64_t seed, int64_t *column,
                       double *threshold, uint64_t *draw, int64_t *child, double *value) {
    Sample sample = {X, stride, is_ordered, target, positive, mass, row};
    size_t n = (size_t)n_rows;
    Node *nodes = malloc((size_t)n_trees * (2 * n - 1) * sizeof *nodes);
    Scratch scratch = {malloc(n * sizeof(double)), malloc(n * sizeof(int64_t)),
                       malloc(((size_t)d + 1) * sizeof(Column)), /* malloc(0) may return NULL */
                       {.right = malloc(n)}, {.right = malloc(n)}};
    int64_t n_nodes = -1;
    if (!nodes || !scratch.rank || !scratch.moved || !scratch.columns || !scratch.best.right || !scratch.other.right)
        goto done;
    for (int64_t tree = 0; tree < n_trees; tree++) {
        double total_positive = 0, total_mass = 0;
        for (int64_t i = tree * n_rows; i < (tree + 1) * n_rows; i++) {
            total_positive += positive[row[i]];
            total_mass += mass[row[i]];
        }
        value[tree] = total_positive / total_mass;
        nodes[tree] = (Node){tree * n_rows, n_rows, number(seed, (uint64_t)tree)};
    }
    n_nodes = n_trees;
    for (int64_t at = 0; at < n_nodes; at++) {
        Node node = nodes[at];
        if (!is_mixed(&sample, row + node.start, node.count)) continue;
        find_split(&sample, &node, columns, d, max_features, &scratch);
        const Split *best = &scratch.best;
        if (best->gain == -INFINITY) continue;
        column[at] = best->column;
        threshold[at] = best->threshold;
        draw[at] = best->draw;
        child[at] = n_nodes;
        int64_t n_left = partition(row + node.start, node.count, best->right, scratch.moved);
        nodes[n_nodes] = (Node){node.start, n_left, number(node.key, 0)};
        nodes[n_nodes + 1] = (Node){node.start + n_left, node.count - n_left, number(node.key, 1)};
        for (int side = 0; side < 2; side++) value[n_nodes + side] = best->positive[side] / best->mass[side];
        n_nodes += 2;
    }
done:
    free(nodes);
    free(scratch.rank);
    free(scratch.moved);
    free(scratch.columns);
    free(scratch.best.right);
    free(scratch.other.right);
    return n_nodes;
}

/* What a row of positions without NaN needs to know of a node, in one piece of memory. */
typedef struct {
    double threshold;
    int32_t column, child; /* a leaf is its own child, below a threshold of infinity */
} Fork;

/* Rows that walk down a tree side by side: the processor works on some while it waits for the memory of others. */
#define ABREAST 8

/* Where ABREAST rows (ABREAST, stride) end that start at a tree's root. */
static void walk(const double *X, int64_t stride, const Fork *forks, int32_t root, int32_t *at) {
    for (int i = 0; i < ABREAST; i++) at[i] = root;
    for (int32_t moved = 1; moved;) {
        moved = 0;
        for (int i = 0; i < ABREAST; i++) {
            const Fork *fork = forks + at[i];
            int32_t next = fork->child + (X[i * stride + fork->column] > fork->threshold);
            moved |= next ^ at[i];
            at[i] = next;
        }
    }
}

/* Where one row of any kind ends. */
static int64_t leaf(const double *x, int64_t root, const uint8_t *is_ordered, const int64_t *column,
                    const double *threshold, const uint64_t *draw, const int64_t *child) {
    int64_t at = root;
    while (child[at]) {
        double rank = x[column[at]];
        if (!is_ordered[column[at]]) rank = rank_of_code(rank, draw[at]);
        at = child[at] + goes_right(rank, threshold[at], draw[at]);
    }
    return at;
}

/* Whether all entries of X (m, d) are positions. */
static int is_plain(const double *X, int64_t m, int64_t d, const uint8_t *is_ordered) {
    for (int64_t j = 0; j < d; j++)
        if (!is_ordered[j]) return 0;
    for (int64_t i = 0; i < m * d; i++)
        if (isnan(X[i])) return 0;
    return 1;
}

/* Add up in scores (m,), which holds zeros, the value of the leaf where each row of X (m, d) ends, and divide by the
 * number of trees. */
API void auger_score(const double *X, int64_t m, int64_t d, const uint8_t *is_ordered, int64_t n_trees, int64_t n_nodes,
                     const int64_t *column, const double *threshold, const uint64_t *draw, const int64_t *child,
                     const double *value, double *scores) {
    int64_t n_abreast = 0; /* so many rows walk side by side, the others one by one */
    Fork *forks = NULL;
    if (n_nodes < INT32_MAX && d < INT32_MAX && is_plain(X, m, d, is_ordered))
        forks = malloc((size_t)n_nodes * sizeof *forks);
    if (forks) {
        n_abreast = m - m % ABREAST;
        for (int64_t at = 0; at < n_nodes; at++)
            forks[at] = child[at] ? (Fork){threshold[at], (int32_t)column[at], (int32_t)child[at]}
                                  : (Fork){INFINITY, 0, (int32_t)at};
    }
    for (int64_t tree = 0; tree < n_trees; tree++) {
        for (int64_t first = 0; first < n_abreast; first += ABREAST) {
            int32_t at[ABREAST];
            walk(X + first * d, d, forks, (int32_t)tree, at);
            for (int i = 0; i < ABREAST; i++) scores[first + i] += value[at[i]];
        }
        for (int64_t i = n_abreast; i < m; i++)
            scores[i] += value[leaf(X + i * d, tree, is_ordered, column, threshold, draw, child)];
    }
    for (int64_t i = 0; i < m; i++) scores[i] /= (double)n_trees;
    free(forks);
}
