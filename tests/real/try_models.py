#!/usr/bin/env python3
"""try_models.py SACCADE MODEL: one model with its true weights (packages.py), by its output and what its heads are known for, and
beside PyTorch and transformers where they are. 77: the packages cannot be fetched."""
import array
import ast
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
os.environ["HF_HUB_OFFLINE"] = "1"
import packages  # noqa: E402

try:
    import torch
    import transformers
except ImportError:
    transformers = None
else:
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
beside_transformers = unittest.skipIf(transformers is None, "Python has no torch and transformers")

SACCADE = ""
HARBOUR = os.path.join(HERE, "../../assets/pictures/harbour.png")
SPEECH = os.path.join(HERE, "speech.wav")
# Largest differences from transformers, as src/pretrained/README.md promises them.
OF_ATTENTION, OF_LOGITS = 1e-4, 1e-3


def run(*words):
    """What the program prints for these words."""
    done = subprocess.run([SACCADE, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def json_of(*words):
    return json.loads(run(*words, "--json"))


def arrays(*words):
    """{name: (shape, flat values)} of the .npz that the program writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.npz")
        run(*words, "--out", path)
        found = {}
        with zipfile.ZipFile(path) as file:
            for member in file.namelist():
                data = file.read(member)
                (size,) = struct.unpack_from("<H", data, 8)
                head = ast.literal_eval(data[10:10 + size].decode())
                kind = {"<f4": "f", "<i4": "i", "<i8": "q"}.get(head["descr"])
                if kind:
                    found[member[:-len(".npy")]] = (head["shape"], array.array(kind, data[10 + size:]))
        return found


def embedding(folder, text):
    """A sentence as in models of sentences: the mean of the last states, of length 1."""
    (layers, tokens, width), states = arrays("view", folder, "--text", text)["hidden_states"]
    last = states[(layers - 1) * tokens * width:]
    mean = [sum(last[column::width]) / tokens for column in range(width)]
    length = math.sqrt(sum(value * value for value in mean))
    return [value / length for value in mean]


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b))


def as_tensor(named):
    shape, values = named
    return torch.tensor(values).reshape(shape)


class Model(unittest.TestCase):
    """A model of packages.py: `path` is its folder, or its file."""

    name = ""

    @classmethod
    def setUpClass(cls):
        cls.path = packages.model(cls.name)

    def same(self, ours, theirs, bound):
        self.assertEqual(tuple(ours.shape), tuple(theirs.shape))
        self.assertLess(float((ours - theirs).abs().max()), bound)


class Sentences:
    """What is asked of MiniLM and MPNet alike."""

    def test_sentences_are_as_alike_as_they_are_known_to_be(self):
        food = embedding(self.path, "A man is eating food.")
        others = "A man is eating a piece of bread.", "A cheetah is running behind its prey."
        for sentence, expected in zip(others, self.likeness):
            self.assertAlmostEqual(cosine(food, embedding(self.path, sentence)), expected, delta=2e-3)

    def test_a_pair_is_one_text_in_two_parts(self):
        pair = json_of("view", self.path, "--text", "The cat sat on the mat.", "--text-pair", "Where did the cat sit?")
        self.assertEqual(pair["tokens"], self.pair_tokens)

    def test_relevance_counts_most_for_the_word_that_it_is_known_to(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.tsv")
            run("view", self.path, "--text", "The harbour was closed after the storm.", "--reduce", "relevance",
                "--layer", self.last_layer, "--out", path)
            with open(path) as file:
                names, *rows = [line.split("\t") for line in file.read().splitlines()]
        rows = [[float(value) for value in row[1:]] for row in rows]
        for row in rows:
            self.assertAlmostEqual(sum(row), 1, delta=1e-3)
        best, counted = max(zip(names[1:], map(sum, zip(*rows))), key=lambda one: one[1])
        self.assertEqual(best, self.counts_most[0])
        self.assertAlmostEqual(counted, self.counts_most[1], delta=2e-2)

    @beside_transformers
    def test_attention_is_that_of_transformers(self):
        ours = arrays("view", self.path, "--text", "The quick brown fox isn't tired of the river-bank.")
        ids = as_tensor(ours["input_ids"])[None].long()
        model = transformers.AutoModel.from_pretrained(self.path, attn_implementation="eager", dtype=torch.float32).eval()
        with torch.no_grad():
            theirs = model(ids, output_attentions=True, output_hidden_states=True)
        self.same(as_tensor(ours["attentions"]), torch.stack(theirs.attentions), OF_ATTENTION)
        self.same(as_tensor(ours["hidden_states"]), torch.cat(theirs.hidden_states), OF_ATTENTION)


class MiniLM(Sentences, Model):
    name = "minilm"
    likeness = 0.7553, 0.1419
    last_layer, counts_most = 5, ("harbour", 2.539)
    pair_tokens = "[CLS] the cat sat on the mat . [SEP] where did the cat sit ? [SEP]".split()


class MPNet(Sentences, Model):
    name = "mpnet"
    likeness = 0.6601, 0.0285
    last_layer, counts_most = 11, ("closed", 1.935)
    pair_tokens = "<s> the cat sat on the mat . </s> </s> where did the cat sit ? </s>".split()


class SmolLM2(Model):
    name = "smollm2"
    FRANCE = "The capital of France is"
    CHAT = "<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n"
    TWICE = ("Maurice Elbridge likes copper kettles, Thomas Vandermeer likes silver spoons. "
             "Maurice Elbridge likes copper kettles, Thomas Vandermeer")

    def test_its_output_is_the_known_one(self):
        generated = json_of("view", self.path, "--text", self.FRANCE, "--continue", 5)
        self.assertEqual(generated["continuation"], " Paris.\n\nThe")
        self.assertAlmostEqual(generated["generated"][0]["probability"], 0.7725, delta=5e-3)

    def test_answers_in_a_chat_and_ends(self):
        generated = json_of("view", self.path, "--text", self.CHAT, "--continue", 20)
        self.assertEqual(generated["continuation"], "The capital of France is Paris.")

    def test_heads_have_the_patterns_that_they_are_known_for(self):
        for pattern, layer, head, score in (("previous", 16, 0, 0.855), ("first", 18, 8, 0.9995), ("induction", 18, 6, 0.765),
                                            ("duplicate", 5, 6, 0.865)):
            best = json_of("view", self.path, "--text", self.TWICE, "--ask", pattern)["asked"]["heads"][0]
            self.assertEqual((best["layer"], best["head"]), (layer, head), pattern)
            self.assertAlmostEqual(best["score"], score, delta=5e-3)

    @beside_transformers
    def test_attention_and_words_are_those_of_transformers(self):
        try:
            folder, file = os.path.split(self.path)
            model = transformers.AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, attn_implementation="eager",
                                                                      dtype=torch.float32).eval()
        except (ImportError, ValueError) as why:  # without the packages gguf and accelerate
            self.skipTest(str(why))
        ours = arrays("view", self.path, "--text", self.TWICE)
        ids = as_tensor(ours["input_ids"])[None].long()
        with torch.no_grad():
            theirs = model(ids, output_attentions=True)
            more = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=20, do_sample=False)
        self.same(as_tensor(ours["attentions"]), torch.stack(theirs.attentions), OF_ATTENTION)
        self.same(as_tensor(ours["next_logits"]), theirs.logits[0, -1], OF_LOGITS)
        generated = json_of("view", self.path, "--text", self.TWICE, "--continue", 20)["generated"]
        self.assertEqual([token["id"] for token in generated], more[0, ids.shape[1]:].tolist())


class Whisper(Model):
    name = "whisper"
    WORDS = "The ship leaves the harbor in the morning .".split()
    START, END = (50257, 50362), 50256
    # Seconds at which the words begin, by transformers' return_token_timestamps. In the sound "ship" begins at 0.32.
    BEGINS = 0.0, 0.0, 0.56, 0.98, 1.26, 1.44, 1.72, 1.92

    def test_transcribes_words_and_their_times(self):
        words = json_of("caption", "--weights", self.path, SPEECH)["words"]
        self.assertEqual([word["word"].strip() for word in words], self.WORDS)
        for word, begin in zip(words, self.BEGINS):
            self.assertAlmostEqual(word["begin"], begin, delta=0.021, msg=word["word"])

    @beside_transformers
    def test_words_are_those_of_transformers(self):
        model = transformers.WhisperForConditionalGeneration.from_pretrained(self.path, attn_implementation="eager",
                                                                              dtype=torch.float32).eval()
        with open(SPEECH, "rb") as file:  # 8 bits, 16 kHz, a head of 44 bytes
            sound = (torch.frombuffer(bytearray(file.read()[44:]), dtype=torch.uint8).float() - 128) / 128
        features = transformers.WhisperFeatureExtractor.from_pretrained(self.path)(sound.numpy(), sampling_rate=16000,
                                                                                   return_tensors="pt").input_features
        with torch.no_grad():
            generated = [token for token in model.generate(features)[0].tolist() if token < self.END]
            cross = model(features, decoder_input_ids=torch.tensor([[*self.START, *generated]]), output_attentions=True).cross_attentions
        words = transformers.PreTrainedTokenizerFast(tokenizer_file=os.path.join(self.path, "tokenizer.json"))
        ours = json_of("caption", "--weights", self.path, SPEECH)
        self.assertEqual(ours["caption"].replace(" .", "."), words.decode(generated).strip())
        # A word was generated by the row of the token before it; the last one's row is that of the end.
        rows = torch.stack(cross).mean((0, 1, 2))[len(self.START) - 1:-1]
        self.assertEqual(len(rows), len(ours["words"]))
        for row, word in zip(rows, ours["words"]):
            weights = torch.tensor(word["weights"]) * word["gate"]  # the rest is beyond the end of the sound
            self.same(weights, row[:len(weights)], OF_ATTENTION)


class DINOv2(Model):
    name = "dinov2"
    BOAT = {"objects": [{"words": ["boat"], "boxes": [[800, 380, 915, 530]]}]}

    def test_heads_of_the_class_token_look_at_the_boat(self):
        """Its box is 2.8 % of the picture, and has 15 % of the weights of two heads."""
        with tempfile.TemporaryDirectory() as folder:
            boxes = os.path.join(folder, "boxes.json")
            with open(boxes, "w") as file:
                json.dump(self.BOAT, file)
            (boat,) = json_of("view", self.path, HARBOUR, "--boxes", boxes)["objects"]
        for head in 1, 3:
            self.assertAlmostEqual(boat["mass"][10][head], 0.154, delta=5e-3)

    @beside_transformers
    def test_attention_is_that_of_transformers(self):
        try:
            from PIL import Image
            import numpy
        except ImportError as why:
            self.skipTest(str(why))
        model = transformers.AutoModel.from_pretrained(self.path, attn_implementation="eager", dtype=torch.float32).eval()
        ours = arrays("view", self.path, HARBOUR, "--as-trained")
        pixels = self.preprocessed(Image, numpy)
        with torch.no_grad():
            theirs = model(pixels, output_attentions=True)
        self.same(as_tensor(ours["attentions"]), torch.stack(theirs.attentions), OF_ATTENTION)

    @staticmethod
    def preprocessed(Image, numpy):
        """preprocessor_config.json by Pillow: 256 pixels on the shorter side, 224 from the middle."""
        picture = Image.open(HARBOUR).convert("RGB")
        picture = picture.resize((picture.width * 256 // picture.height, 256), Image.Resampling.BICUBIC)
        left, top = (picture.width - 224) // 2, (picture.height - 224) // 2
        values = numpy.asarray(picture.crop((left, top, left + 224, top + 224)), numpy.float32) / 255
        values = (values - (0.485, 0.456, 0.406)) / (0.229, 0.224, 0.225)
        return torch.tensor(values, dtype=torch.float32).permute(2, 0, 1)[None]


if __name__ == "__main__":
    SACCADE = os.path.abspath(sys.argv[1])
    case = next(case for case in (MiniLM, MPNet, SmolLM2, Whisper, DINOv2) if case.name == sys.argv[2])
    try:
        packages.model(case.name)
    except packages.NotFetched as why:
        print(f"skipped: {why}")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], case.__name__, *sys.argv[3:]], verbosity=2)
