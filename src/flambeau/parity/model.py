"""A GPT of 27,000 parameters in plain torch code, and text for it to learn: what the parity check trains.

Everything takes the library as an argument, so that the same code runs under Flambeau and under PyTorch.
"""

from __future__ import annotations

import hashlib
import random

CONTEXT, WIDTH, HEADS, LAYERS, BATCH = 48, 48, 3, 2, 8
ALPHABET = "\n 0123456789+-*="


def sums(count: int = 4000) -> str:
    """Lines such as 12+7=19: the same text on every machine and Python."""
    source = random.Random(2013)
    lines = []
    for _ in range(count):
        a, b = int(source.random() * 100), int(source.random() * 100)
        kind = "+-*"[int(source.random() * 3)]
        lines.append(f"{a}{kind}{b}={a + b if kind == '+' else a - b if kind == '-' else a * b}\n")
    return "".join(lines)


def build(torch, dropout: float):
    """The model with its initial weights, from seed 1337."""
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.norm1 = nn.LayerNorm(WIDTH)
            self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
            self.project = nn.Linear(WIDTH, WIDTH)
            self.norm2 = nn.LayerNorm(WIDTH)
            self.widen = nn.Linear(WIDTH, 4 * WIDTH)
            self.narrow = nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x):
            batch, time, _ = x.shape
            parts = self.qkv(self.norm1(x)).split(WIDTH, dim=2)
            q, k, v = (part.view(batch, time, HEADS, WIDTH // HEADS).transpose(1, 2) for part in parts)
            p = dropout if self.training else 0.0
            y = F.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)
            y = self.project(y.transpose(1, 2).contiguous().view(batch, time, WIDTH))
            x = x + F.dropout(y, dropout, self.training)
            y = self.narrow(F.gelu(self.widen(self.norm2(x))))
            return x + F.dropout(y, dropout, self.training)

    class GPT(nn.Module):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.tokens = nn.Embedding(len(ALPHABET), WIDTH)
            self.positions = nn.Embedding(CONTEXT, WIDTH)
            self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
            self.norm = nn.LayerNorm(WIDTH)
            self.head = nn.Linear(WIDTH, len(ALPHABET), bias=False)
            self.head.weight = self.tokens.weight
            for module in self.modules():
                if isinstance(module, (nn.Linear, nn.Embedding)):
                    nn.init.normal_(module.weight, std=0.05)

        def forward(self, tokens, targets=None):
            x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1]))
            x = F.dropout(x, dropout, self.training)
            for block in self.blocks:
                x = block(x)
            logits = self.head(self.norm(x))
            if targets is None:
                return logits
            return F.cross_entropy(logits.view(-1, len(ALPHABET)), targets.view(-1))

    torch.manual_seed(1337)
    return GPT()


def digest(tensors) -> str:
    """Ten hex digits over the bits of some tensors."""
    state = hashlib.sha256()
    for tensor in tensors:
        flat = tensor.detach().contiguous().view(-1)
        state.update(bytes(_memory(flat)))
    return state.hexdigest()[:10]


def _memory(flat):
    """The bytes of a contiguous tensor, with or without NumPy."""
    import ctypes

    return (ctypes.c_char * (flat.numel() * flat.element_size())).from_address(flat.data_ptr())


def train(torch, steps: int, dropout: float):
    """Yields a record a step: loss, gradient norm, and digests of gradients and updated weights.

    The first one, of step -1, tells the initial weights, each by name.
    """
    model = build(torch, dropout)
    names = [name for name, _ in model.named_parameters()]
    parameters = list(model.parameters())
    yield {"step": -1, "weights": {name: digest([p]) for name, p in zip(names, parameters)}}
    text = sums()
    number = {c: i for i, c in enumerate(ALPHABET)}
    data = torch.tensor([number[c] for c in text])
    decay = [p for p in parameters if p.dim() > 1]
    rest = [p for p in parameters if p.dim() < 2]
    groups = [{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=3e-3, betas=(0.9, 0.99))
    for step in range(steps):
        starts = torch.randint(len(data) - CONTEXT - 1, (BATCH,))
        inputs = torch.stack([data[i : i + CONTEXT] for i in starts])
        targets = torch.stack([data[i + 1 : i + 1 + CONTEXT] for i in starts])
        loss = model(inputs, targets)
        loss.backward()
        gradients = digest([p.grad for p in parameters])
        by_name = {n: digest([p.grad]) for n, p in zip(names, parameters)} if step == 0 else None
        norm = torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        record = {
            "step": step,
            "loss": loss.item(),
            "norm": norm.item(),
            "gradients": gradients,
            "weights": digest(parameters),
        }
        if by_name:
            record["gradients by name"] = by_name
        yield record
    model.eval()
    torch.manual_seed(7)
    tokens = torch.zeros((1, 1), dtype=torch.long)
    with torch.no_grad():
        for _ in range(60):
            chances = torch.nn.functional.softmax(model(tokens[:, -CONTEXT:])[:, -1] / 0.7, dim=-1)
            tokens = torch.cat((tokens, torch.multinomial(chances, 1)), dim=1)
    yield {"step": steps, "text": "".join(ALPHABET[i] for i in tokens[0].tolist())}
