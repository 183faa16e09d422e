# Attention of a vision transformer over a picture: any ViT of timm. Arguments: MODEL PICTURE
import sys, numpy as np, timm, torch
from PIL import Image

timm.layers.set_fused_attn(False)  # so that the weights exist
model = timm.create_model(sys.argv[1], pretrained=True).eval()
config = timm.data.resolve_model_data_config(model)
height, width = config["input_size"][1:]
picture = Image.open(sys.argv[2]).convert("RGB").resize((width, height))
maps, transform = [], timm.data.create_transform(**config)
for block in model.blocks:  # what goes into the dropout are the weights [1,H,T,T]
    block.attn.attn_drop.register_forward_hook(lambda _, given, result: maps.append(given[0]))
with torch.no_grad():
    model(transform(picture)[None])
np.savez("vit.npz", attentions=torch.stack(maps).numpy(), image=np.asarray(picture),
         grid=model.patch_embed.grid_size, prefix=model.num_prefix_tokens)  # saccade vit.npz
