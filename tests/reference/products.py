"""Cases of products: matrices and vectors in every layout, linear layers, attention, convolution and pooling."""

from __future__ import annotations

from reference.frame import add, case, with_grads

PAIRS = ("NN", "NT", "TN", "TT")
LITTLE = (
    (1, 1, 1),
    (2, 3, 5),
    (7, 8, 9),
    (16, 16, 16),
    (17, 33, 31),
    (64, 10, 65),
    (1, 65, 64),
    (33, 1, 40),
    (5, 4, 300),
)
GPT = ((64, 192, 64), (64, 64, 256), (256, 256, 64), (256, 65, 64), (96, 384, 384), (65, 64, 256), (384, 384, 64))


def laid_out(torch, layout: str, *shape: int):
    """Drawn plain, or as the transpose of a plain one."""
    if layout == "N":
        return torch.randn(shape)
    return torch.randn(*shape[:-2], shape[-1], shape[-2]).transpose(-1, -2)


def matrices(sizes):
    def body(torch):
        return [
            laid_out(torch, left, m, k) @ laid_out(torch, right, k, n) for m, n, k in sizes for left, right in PAIRS
        ]

    return body


add("mm_small", "mm matmul", matrices(LITTLE))
add("mm_gpt", "mm matmul", matrices(GPT))


@case("mm matmul")
def mm_gradients(torch):
    return [r for m, n, k in LITTLE for r in with_grads(torch, torch.mm, torch.randn(m, k), torch.randn(k, n))]


def layers(sizes, bias: bool):
    def body(torch):
        results = []
        for m, n, k in sizes:
            x, w = torch.randn(m, k), torch.randn(n, k) * 0.1
            inputs = (x, w, torch.randn(n)) if bias else (x, w)
            results += with_grads(torch, torch.nn.functional.linear, *inputs)
        x = torch.randn(4, 24, 33)
        return results + with_grads(
            torch, torch.nn.functional.linear, x, torch.randn(17, 33), *[torch.randn(17)] * bias
        )

    return body


for _bias in (False, True):
    _end = "_bias" if _bias else ""
    add(f"linear{_end}_small", "linear", layers(LITTLE, _bias))
    add(f"linear{_end}_gpt", "linear", layers(GPT, _bias))


# name: the shapes of its three operands
ADDED = {
    "addmm": ((17, 33), (17, 9), (9, 33)),
    "addmv": ((17,), (17, 33), (33,)),
    "addr": ((17, 33), (17,), (33,)),
    "baddbmm": ((4, 5, 7), (4, 5, 9), (4, 9, 7)),
    "addbmm": ((5, 7), (4, 5, 9), (4, 9, 7)),
}


def added(name: str, shapes):
    def body(torch):
        function = getattr(torch, name)
        results = with_grads(torch, function, *map(torch.randn, shapes))
        return results + with_grads(torch, lambda *x: function(*x, beta=0.3, alpha=0.7), *map(torch.randn, shapes))

    return body


for _name, _shapes in ADDED.items():
    add(_name, _name, added(_name, _shapes))


@case("bmm matmul")
def bmm(torch):
    shapes = ((1, 3, 4, 5), (3, 7, 9, 8), (6, 16, 16, 16), (4, 33, 17, 31), (16, 64, 64, 16), (8, 64, 16, 64))
    return [
        torch.bmm(laid_out(torch, left, b, m, k), laid_out(torch, right, b, k, n))
        for b, m, n, k in shapes
        for left, right in PAIRS
    ]


@case("bmm matmul")
def matmul_batches(torch):
    results = with_grads(torch, torch.matmul, torch.randn(2, 3, 17, 9), torch.randn(2, 3, 9, 33))
    results += with_grads(torch, torch.matmul, torch.randn(3, 17, 9), torch.randn(9, 33))
    return results + with_grads(torch, torch.matmul, torch.randn(2, 1, 5, 7), torch.randn(3, 7, 4))


@case("mv matmul")
def mv(torch):
    results = []
    for m, n in ((1, 1), (3, 5), (8, 8), (17, 33), (33, 16), (64, 65), (100, 257), (384, 384)):
        for layout in "NT":
            results += with_grads(torch, torch.mv, laid_out(torch, layout, m, n), torch.randn(n))
    return results


@case("dot vdot")
def dot(torch):
    results = []
    for n in (1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 64, 65, 127, 128, 129, 1000, 10007):
        results += with_grads(torch, torch.dot, torch.randn(n), torch.randn(n))
    x, y = torch.randn(33), torch.randn(33)
    return [*results, torch.vdot(x, y)]


@case("inner")
def inner(torch):
    results = [torch.inner(torch.randn(n), torch.randn(n)) for n in (1, 7, 16, 33, 100)]
    return results + with_grads(torch, torch.inner, torch.randn(5, 33), torch.randn(33))


@case("einsum bmm")
def einsum(torch):
    r = torch.randn
    results = with_grads(torch, lambda a, b: torch.einsum("bij,bjk->bik", a, b), r(3, 7, 9), r(3, 9, 5))
    results += with_grads(torch, lambda a, b: torch.einsum("bhid,bhjd->bhij", a, b), r(2, 3, 17, 8), r(2, 3, 17, 8))
    return results + with_grads(torch, lambda a, b: torch.einsum("i,j->ij", a, b), r(5), r(7))


@case("outer kron")
def outer(torch):
    return [
        *with_grads(torch, torch.outer, torch.randn(17), torch.randn(33)),
        torch.kron(torch.randn(3, 4), torch.randn(5, 2)),
    ]


@case("bilinear")
def bilinear(torch):
    inputs = (torch.randn(7, 9), torch.randn(7, 5), torch.randn(3, 9, 5), torch.randn(3))
    return with_grads(torch, torch.nn.functional.bilinear, *inputs)


@case("tensordot linalg_multi_dot linalg_matrix_power linalg_vecdot")
def products_composed(torch):
    a, b, c = torch.randn(7, 9), torch.randn(9, 33), torch.randn(33, 5)
    square = torch.randn(9, 9)
    return [
        *with_grads(torch, lambda a, b: torch.tensordot(a, b, 1), a, b),
        torch.linalg.multi_dot([a, b, c]),
        *with_grads(torch, lambda x: torch.linalg.matrix_power(x, 3), square),
        torch.linalg.vecdot(square, square[0]),
    ]


def attend(torch, shapes, **options):
    results = []
    for b, h, l, s, d in shapes:
        q, k, v = torch.randn(b, h, l, d), torch.randn(b, h, s, d), torch.randn(b, h, s, d)
        attention = torch.nn.functional.scaled_dot_product_attention
        results += with_grads(torch, lambda q, k, v: attention(q, k, v, **options), q, k, v)
    return results


HEADS = (
    (1, 1, 1, 1, 8),
    (2, 3, 7, 7, 16),
    (2, 4, 32, 32, 16),
    (1, 3, 33, 33, 24),
    (2, 2, 64, 64, 32),
    (1, 2, 257, 257, 16),
)
ATTENTION = "scaled_dot_product_attention"


@case(ATTENTION)
def attention(torch):
    return attend(torch, (*HEADS, (2, 2, 17, 65, 16)))


@case(ATTENTION)
def attention_causal(torch):
    return attend(torch, HEADS, is_causal=True)


@case(ATTENTION)
def attention_scale(torch):
    return attend(torch, HEADS[:4], scale=0.3)


@case(ATTENTION)
def attention_masks(torch):
    results = []
    for b, h, n, d in ((2, 3, 17, 16), (1, 2, 64, 32)):
        keep = torch.rand(n, n) < 0.8
        keep.fill_diagonal_(True)
        results += attend(torch, [(b, h, n, n, d)], attn_mask=keep)
        results += attend(torch, [(b, h, n, n, d)], attn_mask=torch.randn(b, 1, n, n))
    return results


@case(ATTENTION)
def attention_grouped(torch):
    q, k, v = torch.randn(2, 6, 33, 16), torch.randn(2, 2, 33, 16), torch.randn(2, 2, 33, 16)
    attention = torch.nn.functional.scaled_dot_product_attention
    return with_grads(torch, lambda q, k, v: attention(q, k, v, is_causal=True, enable_gqa=True), q, k, v)


@case(ATTENTION)
def attention_dropout(torch):
    """Dropout takes the mathematical path."""
    return attend(torch, HEADS[1:5], is_causal=True, dropout_p=0.2)


@case(ATTENTION)
def attention_transposed(torch):
    """As nanoGPT calls it: heads are slices of one product."""
    x = torch.randn(4, 32, 3 * 64)

    def attention(x):
        q, k, v = (y.view(4, 32, 4, 16).transpose(1, 2) for y in x.split(64, 2))
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return y.transpose(1, 2).contiguous().view(4, 32, 64)

    return with_grads(torch, attention, x)


@case("matmul softmax masked_fill")
def attention_by_hand(torch):
    mask = torch.tril(torch.ones(33, 33)) == 0

    def attention(q, k, v):
        y = ((q @ k.transpose(-2, -1)) * 0.25).masked_fill(mask, float("-inf"))
        return y.softmax(-1) @ v

    return with_grads(torch, attention, *(torch.randn(2, 3, 33, 16) for _ in range(3)))


def convolution(name: str, shapes):
    def body(torch):
        function = getattr(torch.nn.functional, name)
        results = []
        for x, w, options in shapes:
            bias = torch.randn(w[1] if "transpose" in name else w[0])
            results += with_grads(
                torch, lambda x, w, b: function(x, w, b, **options), torch.randn(x), torch.randn(w), bias
            )
        return results

    return body


add(
    "conv2d",
    "conv2d",
    convolution(
        "conv2d",
        [
            ((2, 3, 8, 8), (16, 3, 3, 3), dict(padding=1)),
            ((4, 16, 8, 8), (16, 16, 3, 3), dict(padding=1)),
            ((4, 16, 8, 8), (32, 16, 3, 3), dict(padding=1, stride=2)),
        ],
    ),
)
add(
    "conv2d_pointwise",
    "conv2d",
    convolution(
        "conv2d",
        [
            ((4, 16, 8, 8), (32, 16, 1, 1), {}),
            ((4, 16, 8, 8), (32, 16, 1, 1), dict(stride=2)),
        ],
    ),
)
add(
    "conv2d_lenet",
    "conv2d",
    convolution(
        "conv2d",
        [
            ((4, 1, 28, 28), (6, 1, 5, 5), dict(padding=2)),
            ((4, 6, 14, 14), (16, 6, 5, 5), {}),
        ],
    ),
)
add(
    "conv2d_groups",
    "conv2d",
    convolution(
        "conv2d",
        [
            ((2, 16, 8, 8), (16, 1, 3, 3), dict(padding=1, groups=16)),
            ((2, 8, 9, 9), (8, 4, 3, 3), dict(groups=2, dilation=2)),
        ],
    ),
)
add(
    "conv1d",
    "conv1d",
    convolution("conv1d", [((2, 3, 33), (8, 3, 5), {}), ((2, 16, 31), (16, 16, 3), dict(padding=1))]),
)
add(
    "conv_transpose2d",
    "conv_transpose2d",
    convolution("conv_transpose2d", [((2, 8, 7, 7), (8, 4, 3, 3), dict(stride=2))]),
)


@case("max_pool2d max_pool2d_with_indices max_pool1d")
def max_pool(torch):
    pool = torch.nn.functional
    results = with_grads(torch, lambda x: pool.max_pool2d(x, 2), torch.randn(2, 5, 14, 14))
    results += with_grads(torch, lambda x: pool.max_pool2d(x, 3, 2, 1), torch.randn(2, 16, 15, 15))
    return results + with_grads(torch, lambda x: pool.max_pool1d(x, 3), torch.randn(2, 5, 33))


@case("avg_pool2d avg_pool1d")
def avg_pool(torch):
    pool = torch.nn.functional
    results = with_grads(torch, lambda x: pool.avg_pool2d(x, 2), torch.randn(2, 5, 14, 14))
    results += with_grads(torch, lambda x: pool.avg_pool2d(x, 3, 2, 1), torch.randn(2, 16, 15, 15))
    return results + with_grads(torch, lambda x: pool.avg_pool1d(x, 3), torch.randn(2, 5, 33))


@case("adaptive_avg_pool1d avg_pool3d adaptive_avg_pool3d")
def pool_1d_3d(torch):
    pool = torch.nn.functional
    results = with_grads(torch, lambda x: pool.adaptive_avg_pool1d(x, 5), torch.randn(2, 3, 33))
    results += with_grads(torch, lambda x: pool.avg_pool3d(x, 2), torch.randn(2, 3, 8, 8, 8))
    return results + with_grads(torch, lambda x: pool.adaptive_avg_pool3d(x, 3), torch.randn(2, 3, 8, 8, 8))


@case("adaptive_avg_pool2d")
def adaptive_avg_pool(torch):
    pool = torch.nn.functional.adaptive_avg_pool2d
    return [r for size in (1, 3, 7) for r in with_grads(torch, lambda x: pool(x, size), torch.randn(3, 16, 8, 8))]


@case("upsample_nearest2d")
def upsample_nearest(torch):
    return with_grads(torch, lambda x: torch.nn.functional.interpolate(x, scale_factor=2), torch.randn(2, 5, 7, 9))


@case("upsample_bilinear2d")
def upsample_bilinear(torch):
    resize = torch.nn.functional.interpolate
    results = []
    for corners in (False, True):
        results += with_grads(
            torch, lambda x: resize(x, (13, 17), mode="bilinear", align_corners=corners), torch.randn(2, 5, 7, 9)
        )
    return results
