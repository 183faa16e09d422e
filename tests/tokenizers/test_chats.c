/* Conversations become the text that apply_chat_template of `transformers` makes of them (make_chats.py), and each turn
 * has its place in it. */
#include "lines.h"
#include "status.h"
#include "tokenizers/chat/conversation.h"
#include "tokenizers/chat/template.h"

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void compare(const cJSON *one, const char *template)
{
    const cJSON *messages = cJSON_GetObjectItem(one, "messages"), *message;
    const char *name = cJSON_GetObjectItem(one, "name")->valuestring;
    const cJSON *expected = cJSON_GetObjectItem(one, "text");
    sac_conversation c;
    sac_error error = {0};
    size_t turn = 0;
    write_text("chat_template.jinja", template);
    const sac_status status = sac_conversation_render(".", NULL, messages, &c, &error);
    if (cJSON_IsNull(expected)) {
        assert_int_equal(status, SAC_E_FORMAT);
        return;
    }
    if (status != SAC_OK)
        fail_msg("%s: %s", name, error.what);
    if (strcmp(c.text, expected->valuestring) != 0)
        fail_msg("%s: “%s”, not “%s”", name, c.text, expected->valuestring);
    cJSON_ArrayForEach(message, messages)
    {
        char content[200];
        if (turn == c.count)
            break; /* a template that leaves out or changes a content has no turns */
        snprintf(content, sizeof content, "%.*s", (int)c.turns[turn].size,
                 c.text + c.turns[turn].from);
        const char *whole = cJSON_GetObjectItem(message, "content")->valuestring;
        if (!content[0] || !strstr(whole, content) || strlen(whole) > strlen(content) + 3)
            fail_msg("%s: turn %zu is “%s”", name, turn, content);
        turn++;
    }
    if (strcmp(name, "marked turns") == 0 || strcmp(name, "turn about") == 0)
        assert_int_equal(c.count, cJSON_GetArraySize(messages));
    sac_conversation_free(&c);
}

IN_SCRATCH(conversations_become_the_text_of_transformers)
{
    cJSON *reference = read_json(TEST_DATA "/chats.json");
    const cJSON *one, *cases = cJSON_GetObjectItem(reference, "cases");
    char *tokens = cJSON_PrintUnformatted(cJSON_GetObjectItem(reference, "tokens"));
    write_text("tokenizer_config.json", tokens);
    assert_true(cJSON_GetArraySize(cases) >= 40);
    cJSON_ArrayForEach(one, cases)
        compare(one, cJSON_GetObjectItem(cJSON_GetObjectItem(reference, "templates"),
                                         cJSON_GetObjectItem(one, "name")->valuestring)
                         ->valuestring);
    free(tokens);
    cJSON_Delete(reference);
}

/* A GGUF has the template, and the special tokens by their numbers. */
TEST(a_gguf_has_its_template_among_its_keys)
{
    cJSON *keys =
        cJSON_Parse("{\"tokenizer.chat_template\": \"{{ bos_token }}{% for m in messages %}{{ "
                    "m.role }}: {{ m.content }}{{ eos_token }}{% endfor %}\", "
                    "\"tokenizer.ggml.tokens\": [\"<s>\", \"a\", \"</s>\"], "
                    "\"tokenizer.ggml.bos_token_id\": 0, \"tokenizer.ggml.eos_token_id\": 2}");
    cJSON *messages = cJSON_Parse("[{\"role\": \"user\", \"content\": \"what?\"}]");
    sac_conversation c;
    sac_error error = {0};
    assert_int_equal(sac_conversation_render("no folder", keys, messages, &c, &error), SAC_OK);
    assert_string_equal(c.text, "<s>user: what?</s>");
    assert_true(c.count == 1 && c.turns[0].from == 9 && c.turns[0].size == 5);
    sac_conversation_free(&c);
    cJSON_DeleteItemFromObject(keys, "tokenizer.chat_template");
    assert_int_equal(sac_conversation_render("a.gguf", keys, messages, &c, &error), SAC_E_FILE);
    cJSON_Delete(messages);
    cJSON_Delete(keys);
}

/* Malformed and hostile templates end with a message, and soon. */
TEST(templates_that_are_malformed_are_refused)
{
    static const char *const templates[] = {
        "{{ messages",
        "{% if true %}",
        "{% for x in range(100000000) %}{% endfor %}",
        "{% for x in range(9999) %}{% for y in range(9999) %}{% endfor %}{% endfor %}",
        "{% macro f() %}{% endmacro %}",
        "{{ ((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))) }}",
        "{% set a = 'aaaaaaaaaaaaaaaa' %}{% for x in range(99) %}{% set a = a + a %}{{ a }}{{ a "
        "}}{% endfor %}"
        "{% set n = namespace(a='aaaaaaaa') %}{% for x in range(99) %}{% set n.a = n.a + n.a %}{% "
        "endfor %}",
        "{{ 1 | unknown }}",
        "{{ 1 is unknown }}",
        "{{ unknown() }}",
        "{{ 'a'.unknown() }}",
        "{{ 'a' 'b' }}",
        "{{ 'a' + none }}",
        "{{ }}",
        "{%%}",
        "{% set = 1 %}",
        "{{ [1, 2 }}",
    };
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
        sac_error error = {0};
        char *text = NULL;
        if (sac_template_render(templates[i], NULL, &text, &error) != SAC_E_FORMAT)
            fail_msg("“%s” gives “%s”", templates[i], text ? text : "");
        assert_null(text);
        assert_true(error.what[0]);
    }
}

TEST(what_a_namespace_had_stays_with_others_that_have_it)
{
    char *text;
    sac_error error = {0};
    assert_int_equal(sac_template_render("{% set n = namespace(a='one') %}{% set x = n.a %}"
                                         "{% set n.a = n.a %}{% set n.a = 'two' %}{{ x + n.a }}",
                                         NULL, &text, &error),
                     SAC_OK);
    assert_string_equal(text, "onetwo");
    free(text);
}

IN_SCRATCH(turns_are_typed_or_read_of_files)
{
    cJSON *messages;
    sac_error error = {0};
    write_text("a.json", "{\"messages\": [{\"role\": \"user\", \"content\": \"A\"}]}");
    write_text("b.json", "[{\"role\": \"user\"}]");
    assert_int_equal(sac_messages_read((const char *const[]){"system: S", "a.json", "assistant:B"},
                                       3, &messages, &error),
                     SAC_OK);
    char *text = cJSON_PrintUnformatted(messages);
    assert_string_equal(text, "[{\"role\":\"system\",\"content\":\"S\"},{\"role\":\"user\","
                              "\"content\":\"A\"},{\"role\":\"assistant\",\"content\":\"B\"}]");
    free(text);
    sac_messages_free(messages);
    static const char *const wrong[] = {"b.json", "hello", "User: x"};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(sac_messages_read(&wrong[i], 1, &messages, &error), SAC_E_ARGUMENT);
}

TEST_MAIN(NULL, NULL)
