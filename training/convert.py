"""Writes a trained adapter as a GGUF file that llama.cpp applies to the base.

    python training/convert.py run/last.pt react.gguf

llama.cpp keeps the rows of the query and key matrices in the order of its rotary embedding: within each head, the two
halves that `transformers` keeps apart are interleaved. The same permutation is due for the rows of B of these matrices;
A acts on the input, which has no such order.
Names and keys: llama.cpp `convert_lora_to_gguf.py` (``blk.N.*.weight.lora_a`` of shape (rank, inputs) and ``lora_b`` of
shape (outputs, rank), `adapter.lora.alpha`).
"""

import argparse
import re
from pathlib import Path

import gguf
import numpy as np
import torch

NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
HEADS = {"attn_q": 9, "attn_k": 3}
"""Heads of SmolLM2-135M: queries, and keys that three queries share."""
_WRITTEN = re.compile(r"blk\.(\d+)\.(\w+)\.weight\.lora_([ab])")
_TENSOR = re.compile(r"layers\.(\d+)\.(\w+\.\w+)\.lora_([AB])\.")


def permuted(rows: np.ndarray, heads: int) -> np.ndarray:
    """Rows of (outputs, rank) in llama.cpp's order."""
    outputs, rank = rows.shape
    return rows.reshape(heads, 2, outputs // heads // 2, rank).swapaxes(1, 2).reshape(outputs, rank)


def convert(saved: Path, to: Path, alpha: float | None) -> None:
    """Write the file; half precision."""
    tensors: dict[str, torch.Tensor] = torch.load(saved)
    rank = next(value.shape[0] for name, value in tensors.items() if "lora_A" in name)
    writer = gguf.GGUFWriter(to, "llama")
    writer.add_string("general.type", "adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_string("general.name", "SmolLM2-135M-Instruct ReAct adapter")
    writer.add_string("general.license", "apache-2.0")
    writer.add_float32("adapter.lora.alpha", float(alpha or 2 * rank))
    for name, value in tensors.items():
        found = _TENSOR.search(name)
        if found is None:
            raise SystemExit(f"{name} is no tensor of an adapter")
        layer, place, side = found[1], NAMES[found[2]], found[3]
        data = value.float().numpy()
        if side == "B" and place in HEADS:
            data = permuted(data, HEADS[place])
        writer.add_tensor(f"blk.{layer}.{place}.weight.lora_{side.lower()}", data.astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def restored(file: Path) -> dict[str, torch.Tensor]:
    """The tensors of a GGUF adapter under the names and in the order that `train.py` has them, to go on training."""
    places = {place: name for name, place in NAMES.items()}
    tensors: dict[str, torch.Tensor] = {}
    for tensor in gguf.GGUFReader(file).tensors:
        found = _WRITTEN.fullmatch(tensor.name)
        if found is None:
            raise SystemExit(f"{tensor.name} is no tensor of an adapter")
        layer, place, side = found[1], found[2], found[3].upper()
        data = np.array(tensor.data, dtype=np.float32)
        if side == "B" and place in HEADS:
            outputs, rank = data.shape
            data = (
                data.reshape(HEADS[place], outputs // HEADS[place] // 2, 2, rank).swapaxes(1, 2).reshape(outputs, rank)
            )
        name = f"base_model.model.model.layers.{layer}.{places[place]}.lora_{side}.default.weight"
        tensors[name] = torch.from_numpy(data)
    return tensors


def main() -> None:
    """Read the command line and convert."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("saved", type=Path, help="a file of train.py")
    parser.add_argument("to", type=Path, help="the GGUF file to write")
    parser.add_argument("--alpha", type=float, default=None, help="twice the rank where not given")
    arguments = parser.parse_args()
    convert(arguments.saved, arguments.to, arguments.alpha)


if __name__ == "__main__":
    main()
