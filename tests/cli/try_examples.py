"""try_examples.py SACCADE: runs what `saccade example` prints on small models of random weights, made
here from their configurations, and opens what they make. Exit status 77 where a library is missing."""
import json, os, subprocess, sys, tempfile

os.environ["HF_HUB_OFFLINE"] = "1"  # nothing is downloaded
try:
    import diffusers, numpy as np, timm, tokenizers, torch, transformers
    from PIL import Image
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

saccade = os.path.abspath(sys.argv[1])
WORDS = "<pad> <unk> <s> </s> <image> USER : What is this ? ASSISTANT a cat on mat".split()


def save_text(path, lines):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def make_hf(folder):
    words = "[PAD] [UNK] [CLS] [SEP] [MASK] the cat sat on mat because it was tire ##d .".split()
    save_text(folder + "/vocab.txt", words)
    transformers.BertTokenizerFast(folder + "/vocab.txt").save_pretrained(folder)
    config = transformers.BertConfig(vocab_size=len(words), hidden_size=32, num_hidden_layers=3,
                                     num_attention_heads=4, intermediate_size=64)
    transformers.BertModel(config).save_pretrained(folder)
    return [folder], (3, 1, 4, 14, 14)


def make_vit(folder):
    name = "vit_tiny_patch16_224"
    os.makedirs(folder)
    torch.save(timm.create_model(name, pretrained=False, depth=2).state_dict(),
               folder + "/pytorch_model.bin")
    taken = {"input_size": [3, 224, 224], "num_classes": 1000, "mean": [0.5] * 3, "std": [0.5] * 3,
             "interpolation": "bicubic", "crop_pct": 0.9}
    save_text(folder + "/config.json", [json.dumps(
        {"architecture": name, "model_args": {"depth": 2}, "pretrained_cfg": taken})])
    return ["local-dir:" + folder, "picture.png"], (2, 1, 3, 197, 197)


def make_vlm(folder):
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel(
        {word: i for i, word in enumerate(WORDS)}, unk_token="<unk>"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", unk_token="<unk>", bos_token="<s>",
        eos_token="</s>", extra_special_tokens={"image_token": "<image>"})
    size = {"height": 56, "width": 56}
    transformers.LlavaProcessor(
        image_processor=transformers.CLIPImageProcessor(size={"shortest_edge": 56}, crop_size=size),
        tokenizer=tokenizer, patch_size=14, vision_feature_select_strategy="default",
        image_token="<image>", num_additional_image_tokens=1).save_pretrained(folder)
    sees = transformers.CLIPVisionConfig(hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                                         num_attention_heads=2, image_size=56, patch_size=14)
    decoder = transformers.LlamaConfig(
        vocab_size=len(WORDS), hidden_size=32, intermediate_size=64, num_hidden_layers=3,
        num_attention_heads=4, num_key_value_heads=2, pad_token_id=0, bos_token_id=2, eos_token_id=3)
    model = transformers.LlavaForConditionalGeneration(transformers.LlavaConfig(
        vision_config=sees, text_config=decoder, image_token_index=4,
        vision_feature_select_strategy="default", vision_feature_layer=-1))
    model.generation_config.suppress_tokens = [0, 3, 4]  # it generates words, up to the last
    model.save_pretrained(folder)
    return [folder, "picture.png"], (3, 1, 4, 12, 16)


def make_diffusers(folder):
    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary = ["<|startoftext|>", "<|endoftext|>", *letters, *(c + "</w>" for c in letters),
                  "ca", "cat</w>", "ma", "mat</w>", "on</w>"]
    save_text(folder + "-words/vocab.json", [json.dumps({w: i for i, w in enumerate(vocabulary)})])
    save_text(folder + "-words/merges.txt",
              ["#version: 0.2", "c a", "ca t</w>", "m a", "ma t</w>", "o n</w>"])
    text = transformers.CLIPTextConfig(
        vocab_size=len(vocabulary), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=2, max_position_embeddings=20, bos_token_id=0, eos_token_id=1,
        pad_token_id=1)
    unet = diffusers.UNet2DConditionModel(
        sample_size=16, layers_per_block=1, block_out_channels=(32, 64),
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"), cross_attention_dim=32,
        attention_head_dim=8, norm_num_groups=8)
    vae = diffusers.AutoencoderKL(
        block_out_channels=(16, 16), down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2, norm_num_groups=8)
    diffusers.StableDiffusionPipeline(
        vae=vae, text_encoder=transformers.CLIPTextModel(text), unet=unet,
        tokenizer=transformers.CLIPTokenizer(folder + "-words/vocab.json",
                                             folder + "-words/merges.txt", model_max_length=20),
        scheduler=diffusers.DDIMScheduler(), safety_checker=None, feature_extractor=None,
        requires_safety_checker=False).save_pretrained(folder)
    return [folder, "a cat on mat"], (6, 256)


def try_example(name, make):
    arguments, shape = make(os.path.abspath(name))
    script = subprocess.run([saccade, "example", name], check=True, capture_output=True, text=True)
    subprocess.run([sys.executable, "-", *arguments], input=script.stdout, text=True, check=True)
    made = np.load(name + ".npz")
    weights = made["attention" if "attention" in made else "attentions"]
    assert weights.shape == shape, (name, weights.shape)
    assert (weights >= 0).all() and np.isfinite(weights).all(), name
    subprocess.run([saccade, name + ".npz", "--png", name + ".png"], check=True)
    assert Image.open(name + ".png").size == (1280, 800), name
    print(name, weights.shape, "opened")


def try_tutorial(name):
    """A checkpoint as the tutorial saves it, of whole modules, whose classes the script finds."""
    import make_show_attend_tell as tutorial
    with torch.no_grad():
        model, words = tutorial.make("tiny", tutorial.TINY, tutorial.WORDS, 7, 0.5)
    torch.save({"epoch": 1, "encoder": model.encoder, "decoder": model.decoder}, "BEST.pth.tar")
    with open("tiny/config.json") as file:
        config = {**json.load(file), "image_size": 256}
    save_text("tiny/config.json", [json.dumps(config)])
    script = subprocess.run([saccade, "example", name], check=True, capture_output=True, text=True)
    subprocess.run([sys.executable, "-", "BEST.pth.tar", "tiny/wordmap.json"], input=script.stdout, text=True,
                   check=True, env={**os.environ, "PYTHONPATH": references})
    generated = [subprocess.run([saccade, "caption", "--weights", folder, "picture.png"], check=True, capture_output=True,
                           text=True).stdout for folder in (name, "tiny")]
    assert len(generated[0]) > 1 and generated[0] == generated[1], generated
    print(name, "caption:", generated[0].strip())


references = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../reference")
sys.path.insert(0, references)
torch.manual_seed(1)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    Image.fromarray(np.full((96, 128, 3), 120, "uint8")).save("picture.png")
    for name in ("hf", "vit", "vlm", "diffusers"):
        try_example(name, globals()["make_" + name])
    try_tutorial("show-attend-tell")
    os.chdir("/")
