# A folder that Saccade runs, of a checkpoint of the PyTorch tutorial on image captioning (Show, Attend and Tell).
# Start it beside the tutorial's models.py, with a file that you trust: a checkpoint is a pickle, which runs what is
# written in it. Arguments: BEST_checkpoint_….pth.tar WORDMAP_….json
import json, os, sys, torch
from safetensors.torch import save_file

sys.path.insert(0, "")
checkpoint = torch.load(sys.argv[1], map_location="cpu", weights_only=False)
encoder, decoder = checkpoint["encoder"], checkpoint["decoder"]
with open(sys.argv[2]) as file:
    words = json.load(file)
config = {"model_type": "show-attend-tell", "wordmap": "wordmap.json", "num_beams": 5, "image_size": 256,
          "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225],
          "encoded_image_size": encoder.enc_image_size, "pad_token_id": words["<pad>"],
          "bos_token_id": words["<start>"], "eos_token_id": words["<end>"]}
for size in ("encoder_dim", "attention_dim", "embed_dim", "decoder_dim", "vocab_size"):
    config[size] = getattr(decoder, size)
tensors = {f"{part}.{name}": x.contiguous() for part in ("encoder", "decoder")
           for name, x in checkpoint[part].state_dict().items()}
os.makedirs("show-attend-tell", exist_ok=True)
save_file(tensors, "show-attend-tell/model.safetensors")
for name, value in (("config", config), ("wordmap", words)):
    with open(f"show-attend-tell/{name}.json", "w") as file:
        json.dump(value, file, indent=2)
# saccade show-attend-tell photo.jpg
