#!/usr/bin/env python3
"""Makes data/chats.json, which test_chats.c compares with: templates with what those of models have in them, conversations, and the text that
apply_chat_template(add_generation_prompt=True) of `transformers` makes of each, or null where it refuses one.

    make_chats.py [FILE]        # default: data/chats.json, beside this file

Needs transformers 5; the test does not."""
import json
import os
import sys

import transformers
from tokenizers import Tokenizer, models

TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
TEMPLATES = {
    "marked turns": "{% for m in messages %}{% if loop.first and m['role'] != 'system' %}{{ '<|im_start|>system\nBe of help.<|im_end|>\n' }}"
                    "{% endif %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>' + '\n' }}{% endfor %}"
                    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
    "chosen": "{% for m in messages | selectattr('content', 'string') %}[{{ m.content }}]{% endfor %}{{ messages | rejectattr('role', 'eq', 'user') | list | length }}"
              "{{ messages | selectattr('role', 'equalto', 'user') | list | length }}{{ messages | map(attribute='role') | join(', ') }}"
              "{{ messages | selectattr('name') | list | length }}",
    "system apart": """{{- bos_token }}
{%- if not date is defined %}
    {%- set date = "26 Jul" %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set head = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set head = "" %}
{%- endif %}
{{- "<head>system\\n\\n" }}
{{- "Today: " + date + "\\n\\n" }}
{{- head ~ "<eot>" }}
{%- if tools is not none and tools | length > 0 %}{{ raise_exception("no tools") }}{% endif %}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or 'tool_calls' in message) %}
        {{- '<head>' + message['role'] + '\\n\\n' + message['content'] | trim + '<eot>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<head>assistant\\n\\n' }}
{%- endif %}
""",
    "turn about": "{{ bos_token }}{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
                  "{{ raise_exception('roles must take turns: ' + m.role) }}{% endif %}{% if m['role'] == 'user' %}"
                  "{{ '[INST] ' + m['content'] + ' [/INST]' }}{% elif m['role'] == 'assistant' %}{{ m['content'] + eos_token }}"
                  "{% else %}{{ raise_exception('unknown') }}{% endif %}{% endfor %}",
    "model for assistant": """{{ bos_token }}
{%- set first = '' -%}
{%- if messages[0]['role'] == 'system' -%}
    {%- set first = messages[0]['content'] + '

' -%}
    {%- set loop_messages = messages[1:] -%}
{%- else -%}
    {%- set loop_messages = messages -%}
{%- endif -%}
{%- for message in loop_messages -%}
    {%- set role = 'model' if message['role'] == 'assistant' else message['role'] -%}
    {{ '<turn>' + role + '
' + (first if loop.first else '') }}
    {%- if message['content'] is string -%}
        {{ message['content'] | trim }}
    {%- elif message['content'] is iterable -%}
        {%- for item in message['content'] -%}{{ item['text'] }}{%- endfor -%}
    {%- endif -%}
    {{ '<end>
' }}
{%- endfor -%}
{%- if add_generation_prompt -%}{{ '<turn>model
' }}{%- endif -%}
""",
    "thoughts": """{%- set ns = namespace(last=messages|length - 1, looking=true) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.looking and message.role == "user" and not(message.content.startswith('<r>') and message.content.endswith('</r>')) %}
        {%- set ns.looking = false %}
        {%- set ns.last = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- set content = message.content if message.content is string else '' %}
    {%- if message.role == "assistant" %}
        {%- set thought = '' %}
        {%- if '</think>' in content %}
            {%- set thought = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
            {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {%- if loop.index0 > ns.last and (loop.last or thought) %}
            {{- '<a>\\n' + thought.strip('\\n') + '|' + content }}
        {%- else %}
            {{- '<a>\\n' + content }}
        {%- endif %}
    {%- else %}
        {{- '<' + message.role|upper + '>' + content + '\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<a>\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}""",
    "lines": """{% for message in messages %}
{% if message['role'] == 'user' %}
{{ '<|user|>\\n' + message['content'] + eos_token }}
{% elif message['role'] == 'system' %}
{{ '<|system|>\\n' + message['content'] + eos_token }}
{% elif message['role'] == 'assistant' %}
{{ '<|assistant|>\\n'  + message['content'] + eos_token }}
{% endif %}
{% if loop.last and add_generation_prompt %}
{{ '<|assistant|>' }}
{% endif %}
{% endfor %}""",
    "odds and ends": """{# a note with 'quotes #}{% set names = {'user': 'U', "assistant": "A"} %}
{%- for m in messages if m.role != 'system' -%}
  {{ names.get(m.role, '?') }}{{ loop.index }}/{{ loop.length }} {{ m | tojson }} {{ m.content | replace('a', 'o') | title }}
  {%- if loop.previtem is defined %} after {{ loop.previtem.role|capitalize }}{% endif %}
  {%- for k, v in names.items() %} {{ k }}={{ v }}{% if not loop.last %},{% endif %}{% endfor %}
  {{- [m.role, 'x'] | join('+') }} {{ 7 // 2 }} {{ -7 % 3 }} {{ 1 + 2 * 3 }} {{ (1 + 2) * 3 }} {{ 3 > 2 and not false }} {{ none }} {{ nothing | default('d') }}
{% else %}none{% endfor %}
{{- range(3) | list | tojson(indent=2) }}{{ 'abc'[1:] ~ 'abc'[-1] }}
""",
    "split head": "{% generation %}{{ '\\t' }}{% endgeneration %}{% for m in messages %}{{ m['role'].upper() + ': ' if m['role'] in ['user', 'system'] else 'BOT: ' }}"
                  "{{ m['content'].strip() }}{{ '' if loop.last else ' | ' }}{% endfor %}{{ pad_token }}",
}
CONVERSATIONS = [
    [("user", "What is this?")],
    [("system", "Be brief."), ("user", " A cat, a mat \n"), ("assistant", "Yes."), ("user", "naïve 日本 \"x\" \\ é")],
    [("user", "one"), ("assistant", "<think>\nso\n</think>\n\ntwo"), ("user", "three"), ("assistant", "four <think>no</think> a")],
    [("system", "alone")],
    [("assistant", "first"), ("user", "<r>x</r>")],
]


def main(path):
    bare = transformers.PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()), **TOKENS)
    cases = []
    for name, template in TEMPLATES.items():
        for turns in CONVERSATIONS:
            messages = [{"role": role, "content": content} for role, content in turns]
            try:
                text = bare.apply_chat_template(messages, chat_template=template, add_generation_prompt=True, tokenize=False)
            except Exception as error:
                print(name, error)
                text = None
            cases.append({"name": name, "messages": messages, "text": text})
    with open(path, "w") as file:
        json.dump({"tokens": TOKENS, "templates": TEMPLATES, "cases": cases}, file, ensure_ascii=False, indent=0)


main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "chats.json"))
