#!/usr/bin/env python3
"""Makes data/bart, mbart, mbart50, m2m_100, nllb and t5 …: tiny translators of the layers of BART and of T5 that learnt a few
sentences, in folders as `transformers` saves them, each with the tokenizer's files that folders of its kind have, and what
they generate by each search (reference.safetensors, as in make_references.py).

    make_pairs.py [FAMILY…]"""
import io
import json
import os
import shutil
import sys

import sentencepiece
import tokenizers
import torch
import transformers
from make_references import DATA, PAIRS, SEARCHES, draw_weights, learn, save

FIRST = ["<s>", "<pad>", "</s>", "<unk>"]
TEXT = "the cat sees the red house"
SIZES = {"d_model": 24, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 3, "decoder_attention_heads": 4,
         "encoder_ffn_dim": 40, "decoder_ffn_dim": 48, "max_position_embeddings": 40}


def translate(model, ids, **begin):
    """The tokens of each search, and of the greedy sentence what each token looked at."""
    searches = {**{k: SEARCHES[k] for k in ("greedy", "beam", "long", "short", "never")}, "two": {"num_beams": 2}}
    with torch.no_grad():
        generated = {name: model.generate(input_ids=ids, do_sample=False, **{"max_length": 12, **begin, **search})
                for name, search in searches.items()}
        outputs = model(input_ids=ids, decoder_input_ids=generated["greedy"], output_attentions=True, output_hidden_states=True)
    found = {"input_ids": ids, **generated, "logits": outputs.logits, "last_hidden_state": outputs.encoder_last_hidden_state}
    for name, list_of in {"cross_attentions": outputs.cross_attentions, "hidden_states": outputs.encoder_hidden_states,
                          "attentions": outputs.encoder_attentions, "decoder_attentions": outputs.decoder_attentions}.items():
        found.update({f"{name}.{i}": x for i, x in enumerate(list_of)})
    for name, ids in generated.items():
        print(name, ids[0].tolist())
    return found


def pieces_of(family, kind="unigram", name="sentencepiece.bpe.model"):
    """A model of SentencePiece of both languages: its pieces and their scores."""
    folder = os.path.join(DATA, family)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    model = io.BytesIO()
    lines = [text for pair in PAIRS for text in pair]
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines * 4), model_writer=model, vocab_size=60, model_type=kind, minloglevel=2,
                                             normalization_rule_name="identity", hard_vocab_limit=False, num_threads=1)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(model.getvalue())
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return folder, [(processor.id_to_piece(i), processor.get_score(i)) for i in range(processor.get_piece_size())]


def tidy(folder, keep):
    """Takes the other files of the tokenizer away."""
    for name in ("tokenizer.json", "sentencepiece.bpe.model", "vocab.json", "merges.txt", "spiece.model", "added_tokens.json",
                 "special_tokens_map.json"):
        path = os.path.join(folder, name)
        if os.path.exists(path) and name not in keep:
            os.remove(path)


def make(family, model_class, config, tokenizer, keep, begin=None, steps=30, seed=4, files=None):
    folder = os.path.join(DATA, family)
    config._attn_implementation = "eager"
    torch.manual_seed(seed)
    model = model_class(config).eval()
    draw_weights(model, seed)
    for weight in model.parameters():
        if weight.dim() > 1:
            weight.data *= 0.6
    for part in model.modules():
        if hasattr(part, "create_weight"):  # sinusoids, which files have
            part.weight.data.copy_(part.create_weight())
    learn(model, tokenizer, steps)
    model.generation_config = transformers.GenerationConfig(
        max_length=12, num_beams=4, decoder_start_token_id=config.decoder_start_token_id, eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id, forced_eos_token_id=tokenizer.eos_token_id)
    ids = tokenizer(TEXT, return_tensors="pt").input_ids
    tensors = translate(model, ids, **(begin or {}))
    kept = {}
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        with open(os.path.join(folder, name), "rb") as file:
            kept[name] = file.read()
    save(family, model, tensors)
    tokenizer.save_pretrained(folder)
    for name, content in kept.items():
        if name in keep:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
    tidy(folder, keep)
    for name, value in (files or {}).items():
        with open(os.path.join(folder, name), "w") as file:
            json.dump(value, file)
    print(sorted((os.path.getsize(os.path.join(folder, name)), name) for name in os.listdir(folder)))


def bart():
    """Learned positions from row 2 on, a norm behind the words, a bias of the logits, heads of its own begin of a sentence."""
    pieces = tokenizers.Tokenizer(tokenizers.models.BPE())
    pieces.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=70, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"], show_progress=False)
    pieces.train_from_iterator([text for pair in PAIRS for text in pair], trainer)
    model = json.loads(pieces.to_str())["model"]
    tokenizer = transformers.BartTokenizer(vocab=model["vocab"], merges=[tuple(m) for m in model["merges"]])
    config = transformers.BartConfig(vocab_size=len(model["vocab"]), **SIZES, forced_bos_token_id=0)
    make("bart", transformers.BartForConditionalGeneration, config, tokenizer, ["tokenizer.json"], {"forced_bos_token_id": 0})


def mbart():
    """The language behind the end of the source, and in place of the start of the output."""
    _, pieces = pieces_of("mbart")
    codes = transformers.models.mbart.tokenization_mbart.FAIRSEQ_LANGUAGE_CODES
    tokenizer = transformers.MBartTokenizer(vocab=[*((x, 0.0) for x in FIRST), *pieces[3:], *((x, 0.0) for x in [*codes, "<mask>"])],
                                            src_lang="en_XX", tgt_lang="fr_XX")
    french = tokenizer.convert_tokens_to_ids("fr_XX")
    config = transformers.MBartConfig(vocab_size=len(tokenizer), **SIZES, scale_embedding=True)
    make("mbart", transformers.MBartForConditionalGeneration, config, tokenizer, ["tokenizer.json"], {"decoder_start_token_id": french})


def mbart50():
    """The language first in both."""
    _, pieces = pieces_of("mbart50")
    tokenizer = transformers.MBart50Tokenizer(vocab=pieces, src_lang="en_XX", tgt_lang="fr_XX")
    french = tokenizer.convert_tokens_to_ids("fr_XX")
    config = transformers.MBartConfig(vocab_size=len(tokenizer), **SIZES, decoder_start_token_id=2, activation_function="relu")
    make("mbart50", transformers.MBartForConditionalGeneration, config, tokenizer, ["sentencepiece.bpe.model"], {"forced_bos_token_id": french},
         files={"tokenizer_config.json": {"tokenizer_class": "MBart50Tokenizer", "src_lang": "en_XX", "tgt_lang": None}})


def m2m_100():
    """Sinusoids, pieces whose numbers are in vocab.json, languages behind them."""
    folder, pieces = pieces_of("m2m_100")
    with open(os.path.join(folder, "vocab.json"), "w") as file:
        json.dump({piece: i for i, piece in enumerate([*FIRST, *sorted(x for x, _ in pieces[3:])])}, file)
    tokenizer = transformers.M2M100Tokenizer(os.path.join(folder, "vocab.json"), os.path.join(folder, "sentencepiece.bpe.model"),
                                             src_lang="en", tgt_lang="fr")
    config = transformers.M2M100Config(vocab_size=tokenizer.get_lang_id("zu") + 9, **SIZES)
    make("m2m_100", transformers.M2M100ForConditionalGeneration, config, tokenizer, ["vocab.json", "sentencepiece.bpe.model"],
         {"forced_bos_token_id": tokenizer.get_lang_id("fr")},
         files={"tokenizer_config.json": {"tokenizer_class": "M2M100Tokenizer", "src_lang": None, "tgt_lang": None}})


def nllb():
    """M2M-100's layers, pairs of pieces in tokenizer.json."""
    _, pieces = pieces_of("nllb", "bpe")
    names = [x for x, _ in pieces[3:]]
    merges = [(x[:i], x[i:]) for x in names for i in range(1, len(x)) if x[:i] in names and x[i:] in names]
    tokenizer = transformers.NllbTokenizer(vocab={x: i for i, x in enumerate([*FIRST, *names])}, merges=merges, src_lang="eng_Latn",
                                           tgt_lang="fra_Latn", additional_special_tokens=["deu_Latn", "eng_Latn", "fra_Latn"])
    french = tokenizer.convert_tokens_to_ids("fra_Latn")
    config = transformers.M2M100Config(vocab_size=len(tokenizer), **SIZES)
    make("nllb", transformers.M2M100ForConditionalGeneration, config, tokenizer, ["tokenizer.json"], {"forced_bos_token_id": french}, seed=6)


def pegasus():
    """Sinusoids from the first token on, norms before each part; 105 tokens of its training before the pieces of spiece.model."""
    t5_tokenizer("pegasus")
    processor = sentencepiece.SentencePieceProcessor(model_file=os.path.join(DATA, "pegasus", "spiece.model"))
    pieces = [(processor.id_to_piece(i), processor.get_score(i)) for i in range(2, processor.get_piece_size())]
    first = [*((x, 0.0) for x in ("<pad>", "</s>", "<mask_1>", "<mask_2>")), *((f"<unk_{i}>", -100.0) for i in range(2, 103))]
    tokenizer = transformers.PegasusTokenizer(vocab=[*first, *pieces])
    config = transformers.PegasusConfig(vocab_size=len(tokenizer), **SIZES, scale_embedding=True)
    make("pegasus", transformers.PegasusForConditionalGeneration, config, tokenizer, ["spiece.model"],
         files={"tokenizer_config.json": {"tokenizer_class": "PegasusTokenizer"}})


T5_SIZES = {"d_model": 24, "d_kv": 10, "d_ff": 40, "num_layers": 2, "num_decoder_layers": 2, "num_heads": 3, "relative_attention_num_buckets": 8,
            "relative_attention_max_distance": 12, "decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 1}


def t5_tokenizer(family):
    folder = os.path.join(DATA, family)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter([text for pair in PAIRS for text in pair] * 4), model_writer=model, vocab_size=50,
                                             pad_id=0, eos_id=1, unk_id=2, bos_id=-1, minloglevel=2, hard_vocab_limit=False, num_threads=1,
                                             normalization_rule_name="identity")
    with open(os.path.join(folder, "spiece.model"), "wb") as file:
        file.write(model.getvalue())
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return transformers.T5Tokenizer(vocab=[(processor.id_to_piece(i), processor.get_score(i)) for i in range(processor.get_piece_size())],
                                    extra_ids=4)


def t5():
    """Heads wider than the states, buckets of distances; the pieces are in spiece.model."""
    tokenizer = t5_tokenizer("t5")
    config = transformers.T5Config(vocab_size=len(tokenizer) + 3, **T5_SIZES)
    make("t5", transformers.T5ForConditionalGeneration, config, tokenizer, ["spiece.model"],
         files={"tokenizer_config.json": {"tokenizer_class": "T5Tokenizer", "extra_ids": 4}})


def t5_gated():
    """As version 1.1 and FLAN-T5 are: gated, with a head of its own."""
    tokenizer = t5_tokenizer("t5_gated")
    config = transformers.T5Config(vocab_size=len(tokenizer), feed_forward_proj="gated-gelu", tie_word_embeddings=False, **T5_SIZES)
    make("t5_gated", transformers.T5ForConditionalGeneration, config, tokenizer, ["tokenizer.json"], seed=7)


def umt5():
    """Distances weigh otherwise in each layer."""
    tokenizer = t5_tokenizer("umt5")
    config = transformers.UMT5Config(vocab_size=len(tokenizer), feed_forward_proj="gated-gelu", **T5_SIZES)
    make("umt5", transformers.UMT5ForConditionalGeneration, config, tokenizer, ["tokenizer.json"], seed=8)


FAMILIES = [pegasus, t5, t5_gated, umt5, bart, mbart, mbart50, m2m_100, nllb]


def main():
    transformers.utils.logging.disable_progress_bar()
    for one in FAMILIES:
        if len(sys.argv) == 1 or one.__name__ in sys.argv[1:]:
            one()


if __name__ == "__main__":
    main()
