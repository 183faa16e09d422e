#!/usr/bin/env python3
"""Makes data/marian_*: tiny Marian models with random weights whose languages have a vocabulary each
(`separate_vocabs`), or whose embeddings are not the output layer (`tie_word_embeddings: false`), and in generated.json the
tokens of `generate`, which tests/architectures holds Saccade to.

    make_marian_words.py

Needs torch, transformers and sentencepiece; the tests need none."""
import io
import json
import os

import sentencepiece
import torch
import transformers

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
LINES = ["the cat sat on the mat", "a dog runs in the green field", "the boat on the river is red", "we eat bread and drink water"]
LENGTH = 12
# Name: whether one matrix has all words, whether it is the output layer, and whether the languages have a vocabulary each.
KINDS = {"marian_two": (False, True, True), "marian_two_untied": (False, False, True), "marian_untied": (True, False, False)}


def train(path, lines, size):
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines * 30), model_writer=out, vocab_size=size, minloglevel=2,
                                             num_threads=1, hard_vocab_limit=False, normalization_rule_name="identity")
    with open(path, "wb") as file:
        file.write(out.getvalue())
    model = sentencepiece.SentencePieceProcessor(model_proto=out.getvalue())
    pieces = [model.id_to_piece(i) for i in range(model.get_piece_size())]
    pieces = [piece for piece in pieces if piece not in ("<unk>", "<s>", "</s>")]
    return {piece: i for i, piece in enumerate(["</s>", "<unk>"] + pieces + ["<pad>"])}


def write(path, value):
    with open(path, "w") as file:
        json.dump(value, file, ensure_ascii=False)


def model_of(name, source, target, start):
    shares, tied, _ = KINDS[name]
    torch.manual_seed(start)
    return transformers.MarianMTModel(transformers.MarianConfig(
        vocab_size=len(source), decoder_vocab_size=len(target), d_model=24, encoder_layers=1, decoder_layers=1,
        encoder_attention_heads=3, decoder_attention_heads=4, encoder_ffn_dim=32, decoder_ffn_dim=32,
        max_position_embeddings=64, share_encoder_decoder_embeddings=shares, tie_word_embeddings=tied,
        pad_token_id=target["<pad>"], eos_token_id=0, decoder_start_token_id=target["<pad>"], forced_eos_token_id=0,
        init_std=1.5, scale_embedding=False, activation_function="swish")).eval()


def greedy(model, ids):
    out = model.generate(torch.tensor([ids]), num_beams=1, do_sample=False, max_new_tokens=LENGTH)[0].tolist()[1:]
    return out[:out.index(0)] if 0 in out else out


def make(name):
    folder = os.path.join(DATA, name)
    os.makedirs(folder, exist_ok=True)
    source = train(os.path.join(folder, "source.spm"), LINES, 60)
    target = train(os.path.join(folder, "target.spm"), [line[::-1] for line in LINES], 50) if KINDS[name][2] else source
    write(os.path.join(folder, "vocab.json"), source)
    if KINDS[name][2]:
        write(os.path.join(folder, "target_vocab.json"), target)
    write(os.path.join(folder, "tokenizer_config.json"), {"separate_vocabs": KINDS[name][2], "tokenizer_class": "MarianTokenizer"})
    os.path.exists(os.path.join(folder, "target.spm")) and os.remove(os.path.join(folder, "target.spm"))
    pieces = sentencepiece.SentencePieceProcessor(model_file=os.path.join(folder, "source.spm"))
    read = [[source.get(piece, 1) for piece in pieces.encode(line, out_type=str)] + [0] for line in LINES]
    for start in range(1000):  # one whose sentences are not a word again and again
        model = model_of(name, source, target, start)
        model.generation_config.bad_words_ids = [[target["<pad>"]]]
        generated = [greedy(model, ids) for ids in read]
        if len({tuple(words) for words in generated}) > 2 and min(len(set(words)) for words in generated) > 3:
            break
    model.save_pretrained(folder)
    write(os.path.join(folder, "generated.json"), {"read": LINES, "generated": generated})
    print(name, start, generated)


if __name__ == "__main__":
    for kind in KINDS:
        make(kind)
