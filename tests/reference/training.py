"""Cases of training: embeddings, gathers and scatters, optimizers, clipping, a small GPT's steps."""

from __future__ import annotations

from reference.frame import add, case, with_grads


@case("embedding embedding_dense_backward")
def embedding(torch):
    results = []
    for rows, c, shape in ((5, 3, (7,)), (65, 64, (4, 32)), (65, 33, (200,)), (1000, 16, (3, 64))):
        index = torch.randint(rows, shape)
        results += with_grads(torch, lambda w: torch.nn.functional.embedding(index, w), torch.randn(rows, c))
    index = torch.randint(9, (33,))
    return results + with_grads(
        torch, lambda w: torch.nn.functional.embedding(index, w, padding_idx=3), torch.randn(9, 5)
    )


@case("embedding_bag")
def embedding_bag(torch):
    index, offsets = torch.randint(9, (33,)), torch.tensor([0, 5, 5, 20])
    bag = torch.nn.functional.embedding_bag
    return [
        r
        for mode in ("sum", "mean", "max")
        for r in with_grads(torch, lambda w: bag(index, w, offsets, mode=mode), torch.randn(9, 17))
    ]


@case("gather index_select take_along_dim masked_select take")
def gathers(torch):
    x = torch.randn(33, 17)
    rows, columns = torch.randint(33, (65,)), torch.randint(17, (33, 9))
    return [
        *with_grads(torch, lambda x: x[rows], x),
        *with_grads(torch, lambda x: x[:, columns[0]], x),
        *with_grads(torch, lambda x: x[rows[:33], columns[:, 0]], x),
        *with_grads(torch, lambda x: x.gather(1, columns), x),
        *with_grads(torch, lambda x: x.index_select(0, rows), x),
        *with_grads(torch, lambda x: x.take_along_dim(columns, 1), x),
        *with_grads(torch, lambda x: x[x > 0], x),
        *with_grads(torch, lambda x: x.take(rows), x),
    ]


@case("scatter scatter_add index_add index_put index_copy masked_fill masked_scatter scatter_reduce index_fill")
def scatters(torch):
    x, y = torch.randn(33, 17), torch.randn(65, 17)
    rows, many = torch.randint(33, (65,)), torch.randint(33, (65, 17))
    unique = torch.randperm(33)
    return [
        *with_grads(torch, lambda x, y: x.scatter_add(0, many, y), x, y),
        *with_grads(torch, lambda x, y: x.index_add(0, rows, y), x, y),
        *with_grads(torch, lambda x, y: x.index_add(0, rows, y, alpha=0.3), x, y),
        *with_grads(torch, lambda x, y: x.index_put((rows,), y, accumulate=True), x, y),
        *with_grads(torch, lambda x, y: x.index_copy(0, unique, y[:33]), x, y),
        *with_grads(torch, lambda x, y: x.scatter(0, unique[:, None].expand(33, 17), y[:33]), x, y),
        *with_grads(torch, lambda x: x.masked_fill(x > 0, 0.3), x),
        *with_grads(torch, lambda x: x.index_fill(0, unique[:5], 0.3), x),
        x.masked_scatter(x > 0, y),
        x.scatter_reduce(0, many, y, "amax"),
    ]


@case("cat stack split chunk tril triu pad flip roll repeat expand unbind permute diagonal")
def rearranged(torch):
    x = torch.randn(6, 9)
    return with_grads(
        torch,
        lambda x: (
            torch.cat([x, x * 2], 1),
            torch.stack([x, x]),
            *x.split(4, 1),
            *x.chunk(2),
            x.tril(),
            x.triu(1),
            x.flip(0),
            x.roll(2, 1),
            x.repeat(2, 3),
            x[:1].expand(4, 9),
            *x.unbind(0),
            x.t().contiguous(),
            x.diagonal(),
            torch.nn.functional.pad(x, (1, 2)),
        ),
        x,
    )


OPTIMIZERS = {
    "SGD": dict(lr=0.1),
    "SGD_momentum": dict(lr=0.1, momentum=0.9, weight_decay=1e-2),
    "SGD_nesterov": dict(lr=0.1, momentum=0.9, nesterov=True),
    "Adam": dict(lr=1e-2),
    "Adam_amsgrad": dict(lr=1e-2, weight_decay=1e-2, amsgrad=True),
    "AdamW": dict(lr=1e-2),
    "AdamW_nanogpt": dict(lr=6e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True),
    "NAdam": dict(lr=1e-2),
    "RAdam": dict(lr=1e-2),
    "Adamax": dict(lr=1e-2),
    "Adadelta": dict(lr=1.0),
    "Adagrad": dict(lr=1e-2),
    "RMSprop": dict(lr=1e-2),
    "RMSprop_centered": dict(lr=1e-2, centered=True, momentum=0.9),
    "Rprop": dict(lr=1e-2),
    "ASGD": dict(lr=1e-2),
}


def steps(name: str, options: dict):
    def body(torch):
        options_here = {k: v for k, v in options.items() if k != "fused"}
        parameters = [torch.nn.Parameter(torch.randn(s)) for s in ((33,), (17, 65), (1,), (256, 160))]
        optimizer = getattr(torch.optim, name.split("_")[0])(parameters, **options_here)
        for _ in range(4):
            for p in parameters:
                p.grad = torch.randn(p.shape)
            optimizer.step()
        return [p.detach() for p in parameters]

    return body


for _name, _options in OPTIMIZERS.items():
    add(f"optim_{_name}", f"optim.{_name.split('_')[0]}", steps(_name, _options))


@case("nanogpt")
def small_gpt(torch):
    """Three steps of a small GPT: tied embeddings, causal attention, dropout, AdamW, clipping."""
    nn = torch.nn
    B, T, C, H, V = 4, 32, 64, 4, 65

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.ln_1, self.ln_2 = nn.LayerNorm(C), nn.LayerNorm(C)
            self.attention, self.project = nn.Linear(C, 3 * C), nn.Linear(C, C)
            self.up, self.down = nn.Linear(C, 4 * C), nn.Linear(4 * C, C)

        def forward(self, x):
            q, k, v = (y.view(B, T, H, C // H).transpose(1, 2) for y in self.attention(self.ln_1(x)).split(C, 2))
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + nn.functional.dropout(self.project(y.transpose(1, 2).contiguous().view(B, T, C)), 0.1)
            return x + self.down(nn.functional.gelu(self.up(self.ln_2(x))))

    tokens, positions = nn.Embedding(V, C), nn.Embedding(T, C)
    blocks, norm, head = nn.Sequential(Block(), Block()), nn.LayerNorm(C), nn.Linear(C, V, bias=False)
    tokens.weight = head.weight
    modules = nn.ModuleList([tokens, positions, blocks, norm, head])
    optimizer = torch.optim.AdamW(modules.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)
    results = []
    for _ in range(3):
        x, y = torch.randint(V, (B, T)), torch.randint(V, (B, T))
        logits = head(norm(blocks(tokens(x) + positions(torch.arange(T)))))
        loss = nn.functional.cross_entropy(logits.view(-1, V), y.view(-1))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        results += [loss.detach(), nn.utils.clip_grad_norm_(modules.parameters(), 1.0)]
        optimizer.step()
    return [*results, *(p.detach() for p in modules.parameters())]


@case("resnet")
def small_resnet(torch):
    """Two steps of a small residual network with batch normalisation and SGD."""
    nn = torch.nn
    stem = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU())
    body = nn.Sequential(nn.Conv2d(16, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU())
    head = nn.Linear(16, 10)
    modules = nn.ModuleList([stem, body, head])
    optimizer = torch.optim.SGD(modules.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
    losses = []
    for _ in range(2):
        x, y = torch.randn(8, 3, 16, 16), torch.randint(10, (8,))
        x = stem(x)
        x = nn.functional.adaptive_avg_pool2d(x + body(x), 1).flatten(1)
        loss = nn.functional.cross_entropy(head(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return [*losses, *(p.detach() for p in modules.parameters())]
