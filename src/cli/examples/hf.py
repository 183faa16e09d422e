# Attention of a language model over a sentence: any model of transformers.
import sys, numpy as np, torch
from transformers import AutoModel, AutoTokenizer

name = sys.argv[1] if len(sys.argv) > 1 else "bert-base-uncased"
text = "The cat sat on the mat because it was tired."
tokenizer = AutoTokenizer.from_pretrained(name)
model = AutoModel.from_pretrained(name, attn_implementation="eager").eval()
inputs = tokenizer(text, return_tensors="pt")
with torch.no_grad():
    layers = model(**inputs, output_attentions=True).attentions  # one a layer: [1,H,T,T]
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
np.savez("hf.npz", attentions=torch.stack(layers).float().numpy(), tokens=tokens)  # saccade hf.npz
