#include "fuzz_folder.h"
#include "pretrained/files/pretrained.h"

/* One tensor "a" of two numbers. */
static const char shard[] = "\x38\0\0\0\0\0\0\0"
                            "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}  "
                            "\0\0\x80\x3f\0\0\0\x40";

static void check(const sac_pretrained *p)
{
    const sac_array *a = sac_pretrained_find(p, "a");
    if (a)
        fuzz_touch_array(a);
    if (sac_pretrained_find(p, "") && sac_pretrained_find(p, "") != a)
        fuzz_touch_array(sac_pretrained_find(p, ""));
    sac_pretrained_forget_all(p);
}

/* model.safetensors.index.json, beside two files of weights. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"model.safetensors.index.json", "config.json",
                                        "1.safetensors", "2.safetensors", NULL};
    sac_pretrained *p;
    sac_error error = {0};
    if (!fuzz_names) {
        fuzz_open_folder(names);
        fuzz_write("config.json", "{}", 2);
        fuzz_write("1.safetensors", shard, sizeof shard - 1);
        fuzz_write("2.safetensors", shard, sizeof shard - 1);
    }
    fuzz_write(names[0], data, size);
    sac_status status = sac_pretrained_open(fuzz_folder, &p, &error);
    if (status == SAC_OK)
        check(p);
    else
        fuzz_refused(status, &error);
    sac_pretrained_close(p);
    return 0;
}
