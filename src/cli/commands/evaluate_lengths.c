/* Figures of a translator by the length of its sentences. */

#include "cli/commands/evaluate_lengths.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text/printable.h"
#include "chart/chart_view.h"
#include "cli/json.h"

static double share(const sac_length_figures *f, int length)
{
    return (double)f->of[length].exact / (double)f->of[length].count;
}

void cli_lengths_print(const cli_lengths *models, int count)
{
    const sac_length_figures *first = &models[0].figures;
    sac_print(stdout, "exactly right, by %s\n%-10s %9s", first->unit, "length", "samples");
    for (int i = 0; i < count; i++)
        sac_print(stdout, " %16s", models[i].name);
    putchar('\n');
    for (int length = 0; length < SAC_LENGTHS; length++) {
        if (!first->of[length].count)
            continue;
        sac_print(stdout, "%-10d %9zu", length, first->of[length].count);
        for (int i = 0; i < count; i++)
            sac_print(stdout, " %16.3f", share(&models[i].figures, length));
        sac_print(stdout, "%s\n",
                  length > first->trained_most ? "  longer than all of training" : "");
    }
}

void cli_lengths_print_json(const cli_lengths *models, int count, uint64_t seed)
{
    char text[24];
    cJSON *root = cJSON_CreateObject(), *lengths = cJSON_AddArrayToObject(root, "lengths");
    cJSON *samples = cJSON_AddArrayToObject(root, "samples");
    cJSON *exact = cJSON_AddObjectToObject(root, "exact");
    const sac_length_figures *first = &models[0].figures;
    for (int length = 0; length < SAC_LENGTHS; length++)
        if (first->of[length].count) {
            cJSON_AddItemToArray(lengths, cJSON_CreateNumber(length));
            cJSON_AddItemToArray(samples, cJSON_CreateNumber((double)first->of[length].count));
        }
    for (int i = 0; i < count; i++) {
        cJSON *shares = cJSON_AddArrayToObject(exact, models[i].name);
        for (int length = 0; length < SAC_LENGTHS; length++)
            if (first->of[length].count)
                cJSON_AddItemToArray(shares, cJSON_CreateNumber(share(&models[i].figures, length)));
    }
    cJSON_AddNumberToObject(root, "trained_most", first->trained_most);
    snprintf(text, sizeof text, "%" PRIu64, seed); /* a double would not hold all of it */
    cJSON_AddRawToObject(root, "seed", text);
    cli_print_json(root);
}

static void add_curve(const cli_lengths *model, viz_chart *chart)
{
    viz_chart_curve *curve = &chart->curve[chart->curve_count++];
    snprintf(curve->name, sizeof curve->name, "%s", model->name);
    for (int length = 0; length < SAC_LENGTHS; length++) {
        if (!model->figures.of[length].count)
            continue;
        curve->x[curve->count] = (float)length;
        curve->y[curve->count++] = (float)share(&model->figures, length);
        if (chart->curve_count == 1 && curve->count == 1)
            chart->low = (float)length - 0.5f;
        chart->high = (float)length + 0.5f;
    }
}

sac_status cli_lengths_draw(const cli_drawing *drawing, const cli_lengths *models, int count,
                            sac_error *error)
{
    viz_view *view;
    viz_chart chart = {.title = "Sentences translated exactly, by their length",
                       .y_name = "share of held-out sentences",
                       .mark_name = "longer than trained on",
                       .mark = (float)models[0].figures.trained_most + 0.5f};
    snprintf(chart.x_name, sizeof chart.x_name, "%s", models[0].figures.unit);
    for (int i = 0; i < count; i++)
        add_curve(&models[i], &chart);
    sac_status status = viz_chart_view_create(&chart, &view, error);
    return status == SAC_OK ? cli_drawing_write_view(drawing, view, error) : status;
}
