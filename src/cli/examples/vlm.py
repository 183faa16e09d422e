# Where a vision-language model looks while it generates: LLaVA and its kin in transformers. Arguments: MODEL PICTURE
import sys, numpy as np, torch
from PIL import Image
from transformers import AutoModelForImageTextToText, AutoProcessor

processor = AutoProcessor.from_pretrained(sys.argv[1])
model = AutoModelForImageTextToText.from_pretrained(sys.argv[1], attn_implementation="eager").eval()
picture = Image.open(sys.argv[2]).convert("RGB").resize((336, 336))
inputs = processor(images=picture, text="USER: <image>\nWhat is this? ASSISTANT:", return_tensors="pt")
with torch.no_grad():
    ids = model.generate(**inputs, max_new_tokens=12, do_sample=False)
    layers = model(**{**inputs, "input_ids": ids, "attention_mask": torch.ones_like(ids)},
                   output_attentions=True).attentions  # one a layer: [1,H,T,T]
seen = ids[0] == model.config.image_token_id  # the tokens that are patches of the picture
start, side = inputs["input_ids"].shape[1], int(seen.sum()) ** 0.5
words = processor.tokenizer.convert_ids_to_tokens(ids[0, start:])
weights = torch.stack(layers).float()[:, :, :, start - 1:-1][..., seen]  # each word by what was before it
np.savez("vlm.npz", attentions=weights.numpy(), rows=words, image=np.asarray(picture),
         grid=[int(side), int(side)])  # saccade vlm.npz
