/* The parts of a model that all classes share, and the figures of an evaluation. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/notice.h"
#include "base/order.h"
#include "models/model_class.h"

const char *const sac_attention_choices[] = {[SAC_NORMALIZER_SOFTMAX] = "softmax",
                                             [SAC_NORMALIZER_ENTMAX15] = "entmax15",
                                             [SAC_NORMALIZER_SPARSEMAX] = "sparsemax",
                                             NULL};

sac_model_values sac_model_defaults(const sac_model_class *class)
{
    sac_model_values values = {{0}};
    for (int i = 0; class->options[i].name; i++)
        values.value[i] = class->options[i].initial;
    return values;
}

sac_normalizer sac_model_choose_normalizer(const sac_model_values *values, int option,
                                           sac_normalizer its, const char *path)
{
    if (!values || !values->given[option])
        return its;
    const sac_normalizer asked = (sac_normalizer)values->value[option];
    if (asked != its)
        sac_notice("%s: attended by %s so far, and by %s from here on", path,
                   sac_normalizer_name(its), sac_normalizer_name(asked));
    return asked;
}

void sac_model_kind(const char *kind, sac_normalizer normalizer, char *text, size_t size)
{
    const bool is_softmax = normalizer == SAC_NORMALIZER_SOFTMAX;
    snprintf(text, size, "%s%s%s", kind, is_softmax ? "" : ", ",
             is_softmax ? "" : sac_normalizer_name(normalizer));
}

int sac_model_option_find(const sac_model_class *class, const char *name)
{
    for (int i = 0; class->options[i].name; i++)
        if (strcmp(class->options[i].name, name) == 0)
            return i;
    return -1;
}

sac_status sac_model_size_option(const sac_model_class *class, const sac_model_values *values,
                                 int option, int most, int *size, sac_error *error)
{
    float value = values->value[option];
    char name[40];
    *size = (int)value;
    if (value >= 1 && value <= (float)most && value == floorf(value))
        return SAC_OK;
    snprintf(name, sizeof name, "--%s", class->options[option].name);
    return sac_fail(error, SAC_E_ARGUMENT, name, class->options[option].remedy, "is %g",
                    (double)value);
}

void sac_model_release(sac_model *model)
{
    sac_generation_destroy(model->generation);
    sac_token_run_free(&model->token_run);
    sac_parameters_destroy(&model->parameters);
    sac_parameters_destroy(&model->frozen);
    sac_pass_close(&model->pass);
}

const sac_decoder *sac_model_decoder(const sac_model *model)
{
    const sac_model_class *class = model->class;
    return class->decoder_of ? class->decoder_of(model) : class->decoder;
}

sac_status sac_model_decode(sac_model *model, const sac_result_request *request,
                            sac_result *caption, sac_error *error)
{
    return sac_generate(&model->generation, sac_model_decoder(model), model, request, caption,
                        error);
}

void sac_model_destroy(sac_model *model)
{
    if (model)
        model->class->destroy(model);
}

/* ---------------------------------------------------------------- figures */

void sac_report_figure(sac_evaluation_report *report, const char *key, double value)
{
    report->figure[report->count].key = key;
    report->figure[report->count++].value = value;
}

void sac_report_print(sac_evaluation_report *report, const char *format, ...)
{
    size_t used = strlen(report->table), room = sizeof report->table - used;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(report->table + used, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= room)
        report->table[used] = '\0';
}

double sac_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, sac_compare_doubles);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}
