#include "lessons/trained_layer.h"

#include <math.h>
#include <string.h>

enum {
    SENTENCES = SAC_NOTEBOOK_SENTENCES,
    T = SAC_NOTEBOOK_WORDS,
    D = SAC_NOTEBOOK_DEPTH,
    MAP = SAC_TRAINED_MAP,
    ALL = SAC_TRAINED_WEIGHTS,
};

/* A sentence on its way through the layer. */
typedef struct pass {
    double x[T][D];
    double mapped[3][T][D]; /* Q, K, V */
    double p[T][T], y[T][D];
} pass;

static void map_forward(const double *map, double x[T][D], double y[T][D])
{
    for (int t = 0; t < T; t++)
        for (int o = 0; o < D; o++) {
            y[t][o] = map[D * D + o];
            for (int i = 0; i < D; i++)
                y[t][o] += map[o * D + i] * x[t][i];
        }
}

/* Adds the gradients of a map. */
static void map_backward(double dy[T][D], double x[T][D], double *gradient)
{
    for (int t = 0; t < T; t++)
        for (int o = 0; o < D; o++) {
            gradient[D * D + o] += dy[t][o];
            for (int i = 0; i < D; i++)
                gradient[o * D + i] += dy[t][o] * x[t][i];
        }
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < D; i++)
        sum += a[i] * b[i];
    return sum;
}

/* P = softmax(Q Kᵀ), Y = P V. */
static void attend(pass *s)
{
    for (int t = 0; t < T; t++) {
        double sum = 0;
        for (int j = 0; j < T; j++)
            sum += s->p[t][j] = exp(dot(s->mapped[0][t], s->mapped[1][j]));
        for (int j = 0; j < T; j++)
            s->p[t][j] /= sum;
        for (int i = 0; i < D; i++) {
            s->y[t][i] = 0;
            for (int j = 0; j < T; j++)
                s->y[t][i] += s->p[t][j] * s->mapped[2][j][i];
        }
    }
}

/* Of dY the gradients of Q, K and V: dS = P (dP − Σ P dP), dP = dY Vᵀ. */
static void attend_backward(const pass *s, double dy[T][D], double gradients[3][T][D])
{
    memset(gradients, 0, 3 * sizeof gradients[0]);
    for (int t = 0; t < T; t++) {
        double dp[T], mean = 0;
        for (int j = 0; j < T; j++) {
            dp[j] = dot(dy[t], s->mapped[2][j]);
            mean += s->p[t][j] * dp[j];
        }
        for (int j = 0; j < T; j++) {
            double ds = s->p[t][j] * (dp[j] - mean);
            for (int i = 0; i < D; i++) {
                gradients[0][t][i] += ds * s->mapped[1][j][i];
                gradients[1][j][i] += ds * s->mapped[0][t][i];
                gradients[2][j][i] += s->p[t][j] * dy[t][i];
            }
        }
    }
}

/* The sum of squares of one sentence; adds to the gradient of the mean over all sentences. */
static double sentence_loss(const double *weights, const float *x, const float *target,
                            double *gradient)
{
    pass s;
    double dy[T][D], mapped[3][T][D], loss = 0;
    for (int i = 0; i < T * D; i++)
        s.x[i / D][i % D] = (double)x[i];
    for (int m = 0; m < 3; m++)
        map_forward(weights + m * MAP, s.x, s.mapped[m]);
    attend(&s);
    for (int i = 0; i < T * D; i++) {
        double apart = s.y[i / D][i % D] - (double)target[i];
        dy[i / D][i % D] = 2 * apart / (SENTENCES * T * D);
        loss += apart * apart;
    }
    attend_backward(&s, dy, mapped);
    for (int m = 0; m < 3; m++)
        map_backward(mapped[m], s.x, gradient + m * MAP);
    return loss;
}

static double loss_of(const double *weights, const float *x, const float *target, double *gradient)
{
    double loss = 0;
    memset(gradient, 0, ALL * sizeof *gradient);
    for (int i = 0; i < SENTENCES; i++)
        loss += sentence_loss(weights, x + i * T * D, target + i * T * D, gradient);
    return loss / (SENTENCES * T * D);
}

/* Step `n`, from 1 on, of torch.optim.Adam(lr=0.05). */
static void adam(double *weights, const double *gradient, double *mean, double *square, int n)
{
    for (int i = 0; i < ALL; i++) {
        mean[i] = 0.9 * mean[i] + 0.1 * gradient[i];
        square[i] = 0.999 * square[i] + 0.001 * gradient[i] * gradient[i];
        double m = mean[i] / (1 - pow(0.9, n)), v = square[i] / (1 - pow(0.999, n));
        weights[i] -= 0.05 * m / (sqrt(v) + 1e-8);
    }
}

void sac_train_layer(float weights[SAC_TRAINED_WEIGHTS], const float *x, const float *target,
                     int steps, float *losses)
{
    double now[ALL], gradient[ALL], mean[ALL] = {0}, square[ALL] = {0};
    for (int i = 0; i < ALL; i++)
        now[i] = (double)weights[i];
    for (int n = 1; n <= steps; n++) {
        losses[n - 1] = (float)loss_of(now, x, target, gradient);
        adam(now, gradient, mean, square, n);
    }
    losses[steps] = (float)loss_of(now, x, target, gradient);
    for (int i = 0; i < ALL; i++)
        weights[i] = (float)now[i];
}
