# Which part of a picture each word drew: Stable Diffusion and its kin. Arguments: MODEL "PROMPT"
import sys, numpy as np, torch
from diffusers import DiffusionPipeline

pipe, prompt, maps = DiffusionPipeline.from_pretrained(sys.argv[1]), sys.argv[2], []

class Keep:  # attention as it is, with its weights kept where it looks at the words
    def __call__(self, attn, hidden_states, encoder_hidden_states=None, attention_mask=None, **_):
        words = hidden_states if encoder_hidden_states is None else encoder_hidden_states
        q, k, v = (attn.head_to_batch_dim(f(x)) for f, x in
                   ((attn.to_q, hidden_states), (attn.to_k, words), (attn.to_v, words)))
        weights = attn.get_attention_scores(q, k, attention_mask)
        if encoder_hidden_states is not None:  # [items · heads, cells, words]; the last item has the prompt
            maps.append(weights[-attn.heads:].float().mean(0))
        return attn.to_out[1](attn.to_out[0](attn.batch_to_head_dim(weights @ v)))

pipe.unet.set_attn_processor(Keep())
picture = pipe(prompt, num_inference_steps=20).images[0]
cells = max(m.shape[0] for m in maps)  # the finest grid, the mean over layers and steps
words = torch.stack([m for m in maps if m.shape[0] == cells]).mean(0).T
tokens = pipe.tokenizer.convert_ids_to_tokens(pipe.tokenizer(prompt)["input_ids"])
words = (words / words.sum(1, keepdim=True))[: len(tokens)].numpy()
np.savez("diffusers.npz", attention=words, rows=tokens, image=np.asarray(picture),
         grid=[int(cells**0.5)] * 2)  # saccade diffusers.npz
