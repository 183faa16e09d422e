#!/usr/bin/env python3
"""test_saccade.py SACCADE: src/python/saccade with NumPy, and where they are with PyTorch and transformers. 77: no NumPy."""
import html
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import types
import unittest
import warnings
import xml.etree.ElementTree
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/python"))
os.environ["HF_HUB_OFFLINE"] = "1"
try:
    import numpy as np
except ImportError:
    print("skipped: Python has no NumPy (Debian's package python3-numpy)")
    sys.exit(77)
import saccade  # noqa: E402
from saccade import program as its_program  # noqa: E402
from saccade.arrays import array_of, image_of, named_arrays  # noqa: E402

try:
    import torch
except ImportError:
    torch = None
try:
    import transformers
except ImportError:
    transformers = None


def weights(*shape, seed=0):
    scores = np.exp(np.random.default_rng(seed).normal(size=shape)).astype(np.float32)
    return scores / scores.sum(-1, keepdims=True)


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page.text, re.S).group(1))


def only_item(page):
    (one,) = data_of(page)["sets"]
    (item,) = one["items"]
    return one, item


class Arrays(unittest.TestCase):
    def test_an_array_or_a_list_of_layers_is_named(self):
        self.assertEqual(list(saccade.attentions_of(weights(2, 1, 3, 4, 4))), ["attentions"])
        found = saccade.attentions_of([weights(1, 3, 4, 4), weights(1, 3, 4, 4)])
        self.assertEqual(list(found), ["attentions.0", "attentions.1"])
        self.assertEqual(found["attentions.1"].shape, (1, 3, 4, 4))

    def test_numbers_in_lists_are_an_array(self):
        self.assertEqual(saccade.attentions_of([[0.5, 0.5], [1, 0]])["attentions"].shape, (2, 2))

    def test_lists_of_numbers_of_any_depth_are_what_the_array_is(self):
        for shape in ((3, 3), (2, 3, 3), (1, 2, 3, 3), (2, 1, 2, 3, 3)):
            array = weights(*shape)
            np.testing.assert_array_equal(saccade.attentions_of(array.tolist())["attentions"], array)
        steps = [[weights(1, 2, q, k).tolist()] for q, k in ((3, 3), (1, 4))]
        self.assertEqual(saccade.attentions_of(steps)["attentions.step_1.layer_0"].shape, (1, 2, 1, 4))
        with self.assertRaisesRegex(ValueError, "of several lengths; give an array"):
            saccade.attentions_of([[0.5, 0.5], [1.0]])

    def test_a_search_by_beams_shows_the_rows_that_its_indices_name(self):
        steps = [[weights(3, 2, q, k, seed=k)] for q, k in ((3, 3), (1, 4), (1, 5), (1, 6))]
        found = {"attentions": steps, "sequences": np.arange(6)[None], "beam_indices": np.array([[0, 2, 1]])}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.tsv")
            saccade.save(path, found, list("abcdef"), options=["--layer", "0", "--head", "1"])
            with open(path) as file:
                rows = [line.rstrip("\n").split("\t") for line in file]
            self.assertEqual([row[0] for row in rows[1:]], list("abcde"))
            np.testing.assert_allclose([float(x) for x in rows[5][1:]], steps[2][0][1, 1, 0], atol=1e-6)
            with self.assertRaisesRegex(ValueError, "beam_indices: are missing, with 3 items for 1 sequences"):
                saccade.save(path, {**found, "beam_indices": None})
            with self.assertRaisesRegex(saccade.SaccadeError, "beam_indices"):
                saccade.save(path, steps, list("abcdef"))

    def test_a_table_is_of_the_first_head_unless_another_is_named(self):
        given = weights(2, 3, 4, 4)
        given[0, 0] = 0.25  # no view would open with it
        with tempfile.TemporaryDirectory() as folder:
            for options, want in (((), given[0, 0]), (("--layer=1", "--head=2"), given[1, 2])):
                path = os.path.join(folder, "out.tsv")
                saccade.save(path, list(given[:, None]), list("abcd"), options=options)
                with open(path) as file:
                    rows = [line.rstrip("\n").split("\t") for line in file]
                np.testing.assert_allclose([[float(x) for x in row[1:]] for row in rows[1:]], want, atol=1e-6)

    def test_attributions_and_maps_over_a_picture_are_shown_as_what_they_are(self):
        rng = np.random.default_rng(2)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.tsv")
            for shape in ((4,), (4, 4), (4, 3, 5)):
                signed = rng.normal(size=shape).astype(np.float32)
                saccade.save(path, signed, list("abcd"), image=np.zeros((30, 50, 3), np.uint8) if len(shape) == 3 else None)
                with open(path) as file:
                    rows = [line.rstrip("\n").split("\t") for line in file]
                shown = np.array([[float(x) for x in row[1:]] for row in rows[1:]])
                np.testing.assert_allclose(shown, signed.reshape(1 if len(shape) == 1 else 4, -1), rtol=1e-5)
            saccade.save(path, np.abs(signed[0]), image=np.zeros((30, 50, 3), np.uint8))
            with open(path) as file:
                self.assertEqual(len(file.read().splitlines()), 2)

    def test_steps_of_generate_have_their_numbers(self):
        steps = tuple(tuple(weights(1, 2, q, k) for _ in range(2)) for q, k in ((3, 3), (1, 4), (1, 5)))
        found = saccade.attentions_of(steps)
        self.assertEqual(len(found), 6)
        self.assertEqual(found["attentions.step_2.layer_1"].shape, (1, 2, 1, 5))

    def test_what_holds_no_attention_is_refused_with_what_to_do(self):
        for value in ({"logits": weights(2, 2)}, object(), {"attentions": (None, None)}):
            with self.assertRaisesRegex(ValueError, "output_attentions=True"):
                saccade.attentions_of(value)

    def test_the_kind_that_is_asked_for_is_taken(self):
        several = {"encoder_attentions": [weights(1, 2, 5, 5)], "decoder_attentions": [weights(1, 2, 3, 3)],
                   "cross_attentions": [weights(1, 2, 3, 5)]}
        read, generated = list("abcde"), list("xyz")
        cross = named_arrays(several, read, generated)
        self.assertEqual(list(cross), ["cross_attentions.0", "columns", "rows"])
        decoder = named_arrays(several, read, generated, which="decoder")
        self.assertEqual((list(decoder), list(decoder["tokens"])), (["decoder_attentions.0", "tokens"], generated))
        encoder = named_arrays(several, read, generated, which="encoder_attentions")
        self.assertEqual(list(encoder["tokens"]), read)
        with self.assertRaisesRegex(ValueError, "there is no 'lookahead'; give one of encoder_attentions"):
            named_arrays(several, which="lookahead")

    def test_a_token_that_attends_to_nothing_is_left_out(self):
        steps = [[weights(1, 2, 2, 2)], [weights(1, 2, 1, 3)]]
        self.assertEqual(list(named_arrays(steps, list("abcd"))["tokens"]), list("abc"))
        cross = {"cross_attentions": [[weights(1, 2, 1, 5)], [weights(1, 2, 1, 5)]]}
        self.assertEqual(list(named_arrays(cross, list("abcde"), ["<s>", "un", "chat"])["rows"]), ["un", "chat"])

    def test_labels_that_are_no_text_are_refused(self):
        for labels in ([0.5], [object()], "abc", [["a"], ["b", "c"]]):
            with self.assertRaises(ValueError):
                named_arrays(weights(1, 1), labels)

    def test_pictures_of_every_kind(self):
        grey = np.full((4, 5), 0.5)
        self.assertEqual(image_of(grey).shape, (4, 5, 3))
        self.assertEqual(image_of(grey)[0, 0, 0], 128)
        self.assertEqual(image_of(np.zeros((3, 8, 9), np.uint8)).shape, (8, 9, 3))
        with self.assertRaisesRegex(ValueError, "before they are normalized"):
            image_of(np.full((3, 8, 8), -1.0))


class Pages(unittest.TestCase):
    def test_a_page_has_every_head_and_the_tokens(self):
        page = saccade.page(weights(2, 1, 3, 4, 4), ["a", "</script>", "c", "d"])
        one, item = only_item(page)
        self.assertEqual((len(one["layers"]), len(one["heads"])), (2, 3))
        self.assertEqual(item["rows"], ["a", "</script>", "c", "d"])

    def test_a_notebook_gets_the_page_in_a_frame_of_its_own(self):
        page = saccade.page(weights(3, 3), ["\"", "<b>", "&"], height=500)
        frame = page._repr_html_()
        self.assertIn('sandbox="allow-scripts allow-downloads"', frame)
        self.assertIn("height:500px", frame)
        self.assertIn("width:100%", frame)
        inside = re.fullmatch(r'<iframe id="[^"]*" srcdoc="([^"]*)" .*</iframe>', frame, re.S).group(1)
        self.assertEqual(html.unescape(inside), page.text)

    def test_without_a_height_the_frame_follows_that_of_the_page(self):
        page = saccade.page(weights(3, 3), width="60%")
        first, second = page._repr_html_(), page._repr_html_()
        self.assertIn("width:60%", first)
        name = re.match('<iframe id="([^"]*)"', first).group(1)
        self.assertIn(f'getElementById("{name}")', first.split("</iframe>")[1])
        self.assertNotIn(name, second)  # of two outputs each has its own
        self.assertIn("saccadeHeight", page.text)

    def test_one_list_of_tokens_is_of_layers_without_a_warning(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            page = saccade.page(weights(4, 8, 5, 5), list("abcde"), layer=2, head=5, view="matrix")
            items = saccade.page(weights(4, 3, 3), [list("abc")] * 4)
        one, _ = only_item(page)
        data = data_of(page)
        self.assertEqual((len(one["layers"]), len(one["heads"])), (4, 8))
        self.assertEqual((data["start"]["layer"], data["start"]["head"], data["note"]), (2, 5, ""))
        self.assertEqual(len(data_of(items)["sets"][0]["items"]), 4)
        other = saccade.page(weights(4, 8, 5, 5), list("abcde"), axes="BHQK")
        self.assertEqual(len(data_of(other)["sets"][0]["items"]), 4)

    def test_a_figure_is_for_paper(self):
        figure = saccade.figure(weights(4, 8, 5, 5), list("abcde"), layer=3, head=5)
        self.assertEqual(int.from_bytes(figure.png[16:20], "big"), 1063)  # 90 mm, 300 to the inch
        png, about = figure._repr_png_()
        self.assertEqual((png, about["width"]), (figure.png, 340))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "figure.pdf")
            figure.save(path)
            with open(path, "rb") as file:
                self.assertEqual(file.read(5), b"%PDF-")
            path = os.path.join(folder, "panels.svg")
            saccade.figure(weights(4, 8, 5, 5), list("abcde"), panels=[(3, 5), (0, 1)], width="180mm").save(path)
            with open(path, encoding="utf-8") as file:
                text = file.read()
        for part in ("(a)  layer 3, head 5", "(b)  layer 0, head 1", "query", "key"):
            self.assertIn(part, text)

    def test_steps_are_joined_to_one_map(self):
        steps = tuple(tuple(weights(1, 2, q, k) for _ in range(2)) for q, k in ((3, 3), (1, 4), (1, 5)))
        one, item = only_item(saccade.page(steps, list("abcdef")))
        self.assertEqual((item["steps"], item["positions"], len(one["layers"])), (5, 5, 2))

    def test_a_picture_lies_under_the_keys(self):
        page = saccade.page(weights(1, 2, 10, 10), image=np.zeros((30, 30, 3), np.uint8), grid=(3, 3), prefix=1)
        self.assertEqual(data_of(page)["picture"]["width"], 30)
        self.assertEqual(only_item(page)[0]["grid"], [3, 3])

    def test_a_grid_is_rows_and_columns_or_a_width_and_a_height(self):
        for grid in ((2, 3), "3x2"):
            page = saccade.page(weights(1, 2, 7, 7), image=np.zeros((20, 30, 3), np.uint8), grid=grid, prefix=1)
            self.assertEqual(only_item(page)[0]["grid"], [3, 2])  # width, height
        for wrong in ("3,2", (2, 3, 1), (2, 0)):
            with self.assertRaisesRegex(ValueError, "grid"):
                saccade.page(weights(1, 2, 7, 7), grid=wrong)

    def test_pictures_and_files(self):
        picture = saccade.picture(weights(4, 4), size=(640, 400))
        self.assertEqual(picture._repr_png_()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(int.from_bytes(picture.png[16:20], "big"), 640)
        with tempfile.TemporaryDirectory() as folder:
            for ending in ("html", "svg", "npz", "tsv"):
                path = os.path.join(folder, "out." + ending)
                saccade.save(path, weights(4, 4), list("abcd"))
                self.assertGreater(os.path.getsize(path), 100)

    def test_the_error_of_the_program_is_raised(self):
        with self.assertRaisesRegex(saccade.SaccadeError, "--nonsense"):
            saccade.page(weights(2, 2), options=["--nonsense"])
        for message, wanted in (("read as heads (--axes BHQK reads items)", 'read as heads (axes="BHQK" reads items)'),
                                ("one map (--grid WxH changes it)", "one map (grid=(rows, columns) changes it)"),
                                ("add --softmax", 'add options=["--softmax"]'), ("give --layer 3", "give layer=3")):
            self.assertEqual(its_program.in_python(message), wanted)
        with self.assertWarnsRegex(UserWarning, "rows"):
            saccade.page(weights(2, 2), ["a", "b"], rows=["x"])


class Program(unittest.TestCase):
    def test_a_program_that_is_missing_is_reported_with_a_remedy(self):
        with self.assertRaisesRegex(saccade.ProgramNotFound, "nowhere: is no program; install"):
            saccade.page(weights(2, 2), program="nowhere")

    def test_the_window_gets_the_arrays_and_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            fake, seen = os.path.join(folder, "saccade"), os.path.join(folder, "seen")
            with open(fake, "w") as file:
                file.write(f'#!/bin/sh\necho "$@" > "{seen}"\ncp "$2" "{seen}.npz"\n')
            os.chmod(fake, stat.S_IRWXU)
            self.assertEqual(saccade.open(weights(3, 3), list("abc"), view="matrix", program=fake).wait(), 0)
            with open(seen) as file:
                words = file.read().split()
            self.assertEqual((words[0], words[2:]), ("view", ["--tab", "matrix"]))
            self.assertEqual(list(np.load(seen + ".npz")["tokens"]), list("abc"))
            for _ in range(100):
                if not os.path.exists(words[1]):
                    break
                time.sleep(0.05)
            self.assertFalse(os.path.exists(words[1]))


class Wheel(unittest.TestCase):
    def test_its_version_is_that_of_the_program(self):
        versions = []
        for path, pattern in (("src/python/pyproject.toml", r'^version = "(.*)"'), ("CMakeLists.txt", r"^project\(saccade VERSION (\S+)")):
            with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", path)) as file:
                versions.append(re.search(pattern, file.read(), re.M).group(1))
        self.assertEqual(*versions)


class Surroundings(unittest.TestCase):
    """What a wheel adds to the environment of the program."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.drivers, self.fonts, self.cache = (os.path.join(self.folder, name) for name in ("vendors", "fonts & more", "cache"))
        os.makedirs(self.drivers)
        os.makedirs(self.fonts)
        variables = {name: value for name, value in os.environ.items()
                     if name not in ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "FONTCONFIG_FILE")}
        changed = mock.patch.dict(os.environ, {**variables, "XDG_CACHE_HOME": self.cache, "LIBRARY_PATH": "/its/own"}, clear=True)
        changed.start()
        self.addCleanup(changed.stop)
        pocl = types.ModuleType("saccade_pocl")
        pocl.library, pocl.folders = "/there/libpocl.so.2", {"COMPILER_PATH": "/there/bin", "LIBRARY_PATH": "/there/lib"}
        installed = mock.patch.dict(sys.modules, {"saccade_pocl": pocl})
        installed.start()
        self.addCleanup(installed.stop)

    def driver(self, name, library):
        with open(os.path.join(self.drivers, name), "w") as file:
            file.write(library + "\n")

    def found(self):
        return its_program.environment(self.fonts, self.drivers)

    def test_the_driver_of_the_wheel_joins_those_of_the_system(self):
        self.driver("nvidia.icd", "libnvidia-opencl.so.1")
        for _ in range(2):  # what was written is found again
            found = self.found()
            taken = {}
            for name in os.listdir(found["OCL_ICD_VENDORS"]):
                with open(os.path.join(found["OCL_ICD_VENDORS"], name)) as file:
                    taken[name] = file.read()
            self.assertEqual(taken, {"nvidia.icd": "libnvidia-opencl.so.1\n", "saccade-pocl.icd": "/there/libpocl.so.2\n"})
            self.assertEqual((found["COMPILER_PATH"], found["LIBRARY_PATH"]), ("/there/bin", "/there/lib:/its/own"))
        os.remove(os.path.join(self.drivers, "nvidia.icd"))
        self.assertEqual(os.listdir(self.found()["OCL_ICD_VENDORS"]), ["saccade-pocl.icd"])
        self.drivers = os.path.join(self.folder, "nowhere")
        self.assertEqual(os.listdir(self.found()["OCL_ICD_VENDORS"]), ["saccade-pocl.icd"])

    def test_a_pocl_of_the_system_or_a_wish_is_left_alone(self):
        self.driver("any.icd", "/usr/lib/libpocl.so.2")
        self.assertNotIn("OCL_ICD_VENDORS", self.found())
        self.assertEqual(self.found()["LIBRARY_PATH"], "/its/own")
        self.driver("any.icd", "libother.so")
        os.environ.update(OCL_ICD_VENDORS="/wished", FONTCONFIG_FILE="/wished.conf")
        self.assertEqual(self.found(), dict(os.environ))

    def test_the_fonts_of_the_wheel_join_those_of_the_system(self):
        tree = xml.etree.ElementTree.parse(self.found()["FONTCONFIG_FILE"])
        self.assertEqual([one.text for one in tree.iter("dir")], [self.fonts])
        self.assertEqual([one.text for one in tree.iter("include")], ["/etc/fonts/fonts.conf"])

    def test_a_cache_that_others_or_no_user_may_write_is_not_used(self):
        kept = os.path.dirname(self.found()["OCL_ICD_VENDORS"])
        self.assertEqual(kept, os.path.join(self.cache, "saccade", "python"))
        for mode in (0o777, 0o770):
            os.chmod(kept, mode)
            with mock.patch.object(tempfile, "tempdir", self.folder):
                self.assertEqual(os.path.dirname(self.found()["OCL_ICD_VENDORS"]), self.folder)
        os.environ["XDG_CACHE_HOME"] = os.path.join(self.folder, "file", "cache")
        with open(os.path.join(self.folder, "file"), "w"), mock.patch.object(tempfile, "tempdir", self.folder):
            self.assertEqual(os.path.dirname(self.found()["OCL_ICD_VENDORS"]), self.folder)
        with mock.patch.object(tempfile, "tempdir", os.path.join(self.folder, "nowhere")):
            self.assertEqual(self.found(), dict(os.environ))

    def test_the_command_becomes_the_program_of_the_wheel_without_numpy(self):
        package = os.path.join(self.folder, "site", "saccade")
        shutil.copytree(os.path.dirname(saccade.__file__), package)
        words = [sys.executable, "-c", "import sys; sys.modules['numpy'] = None; import saccade.program as p; p.main()", "view", "a b"]
        os.environ["PYTHONPATH"] = os.path.dirname(package)
        os.environ.pop("SACCADE", None)
        missing = subprocess.run(words, capture_output=True, text=True)
        self.assertEqual((missing.returncode, missing.stdout, missing.stderr.count("\n")), (1, "", 1))
        self.assertRegex(missing.stderr, "^saccade: .* is not installed; install")
        os.makedirs(os.path.join(package, "share", "fonts"))
        os.makedirs(os.path.join(package, "bin"))
        fake = os.path.join(package, "bin", "saccade")
        with open(fake, "w") as file:
            file.write('#!/bin/sh\nprintf "%s|" "$@" "$FONTCONFIG_FILE"\nexit 3\n')
        os.chmod(fake, stat.S_IRWXU)
        done = subprocess.run(words, capture_output=True, text=True)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stdout, r"^view\|a b\|" + re.escape(self.cache) + r"/.*fonts\.conf\|$")


@unittest.skipUnless(torch, "without PyTorch")
class Torch(unittest.TestCase):
    def test_tensors_of_every_type(self):
        for dtype in (torch.bfloat16, torch.float16, torch.float32, torch.float64):
            tensor = torch.softmax(torch.randn(1, 2, 4, 4), -1).to(dtype).requires_grad_()
            self.assertIn(array_of(tensor).dtype, (np.float16, np.float32, np.float64))
            self.assertEqual(only_item(saccade.page([tensor, tensor], torch.arange(4)))[1]["rows"], ["0", "1", "2", "3"])


@unittest.skipUnless(torch and transformers, "without transformers")
class Transformers(unittest.TestCase):
    def test_what_a_language_model_generates(self):
        config = transformers.GPT2Config(n_layer=2, n_head=2, n_embd=16, vocab_size=50, bos_token_id=1, eos_token_id=2)
        model = transformers.GPT2LMHeadModel._from_config(config, attn_implementation="eager").eval()
        out = model.generate(torch.tensor([[3, 4, 5]]), max_new_tokens=4, min_new_tokens=4, do_sample=False, output_attentions=True,
                             return_dict_in_generate=True)
        one, item = only_item(saccade.page(out, out.sequences[0]))
        self.assertEqual((item["steps"], item["positions"], len(one["layers"])), (6, 6, 2))
        self.assertEqual(item["columns"][:3], ["3", "4", "5"])
        whole = model(out.sequences[:, :-1], output_attentions=True)
        self.assertEqual(only_item(saccade.page(whole, out.sequences[0]))[1]["steps"], 6)

    def test_an_encoder_and_a_decoder(self):
        config = transformers.MarianConfig(vocab_size=60, d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
                                           decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, pad_token_id=0,
                                           eos_token_id=1, decoder_start_token_id=0, forced_eos_token_id=None)
        model = transformers.MarianMTModel._from_config(config, attn_implementation="eager").eval()
        out = model.generate(torch.tensor([[3, 4, 5]]), max_new_tokens=5, min_new_tokens=5, num_beams=1, do_sample=False,
                             output_attentions=True, return_dict_in_generate=True)
        read, generated = ["a", "b", "c"], [f"w{i}" for i in range(out.sequences.shape[1])]
        sizes = {"encoder": (3, 3), "decoder": (5, 5), "cross": (5, 3), None: (5, 3)}
        for which, size in sizes.items():
            item = only_item(saccade.page(out, read, generated, which=which))[1]
            self.assertEqual((item["steps"], item["positions"]), size)
        self.assertEqual(item["rows"], ["w1", "w2", "w3", "w4", "w5"])


if __name__ == "__main__":
    os.environ["SACCADE"] = os.path.abspath(sys.argv.pop(1))
    unittest.main()
