"""Cases of what goes along rows: sums and other reductions, scans, softmax, normalisation, norms, losses."""

from __future__ import annotations

from reference.frame import SIZES, add, case, with_grads


def shaped(torch):
    """Tensors and dimensions: contiguous, transposed, few and many columns, past the grain of threads."""
    for n in SIZES:
        yield torch.randn(n), None
    for shape in ((5, 33), (33, 5), (257, 64), (1031, 37), (384, 384), (3, 100, 65)):
        x = torch.randn(shape)
        yield from (
            (x, None),
            (x, 0),
            (x, -1),
            (x.transpose(-1, -2), None),
            (x.transpose(-1, -2), -1),
            (x.transpose(-1, -2), 0),
        )
    yield torch.randn(4, 17, 9, 11), (0, 2, 3)
    yield torch.randn(4, 17, 9, 11), (1, 2)
    yield torch.randn(32, 16, 65), (0, 1)
    yield torch.randn(8, 128, 96)[:, ::2], 1


def reduction(function, differentiable: bool = True):
    def body(torch):
        results = []
        for x, dim in shaped(torch):
            if differentiable:
                results += with_grads(torch, lambda x: function(torch, x, dim), x)
            else:
                results.append(function(torch, x, dim))
        return results

    return body


def along(method: str, **options):
    """A method called with a dimension where there is one."""
    return lambda t, x, dim: getattr(x, method)(**options) if dim is None else getattr(x, method)(dim, **options)


def over_all(x) -> tuple[int, ...]:
    return tuple(range(x.dim()))


REDUCTIONS = {
    "sum": along("sum"),
    "mean": along("mean"),
    "var": lambda t, x, dim: x.var(dim, correction=min(1, x.numel() - 1)),
    "std": lambda t, x, dim: x.std(dim, correction=min(1, x.numel() - 1)),
    "var_mean": lambda t, x, dim: t.var_mean(x, dim, correction=0),
    "amax": lambda t, x, dim: x.amax(over_all(x) if dim is None else dim),
    "amin": lambda t, x, dim: x.amin(over_all(x) if dim is None else dim),
    "logsumexp": lambda t, x, dim: x.logsumexp(over_all(x) if dim is None else dim),
}
for _name, _function in REDUCTIONS.items():
    add(_name, _name, reduction(_function))
for _order in (2, 1, 0, 3, float("inf")):
    add(
        f"vector_norm_{_order}",
        "linalg_vector_norm norm" if _order == 2 else "linalg_vector_norm",
        reduction(lambda t, x, dim, order=_order: t.linalg.vector_norm(x, order, dim), _order != 0),
    )


@case("sum")
def sums_of_other_types(torch):
    x = torch.randn(257, 129)
    halves = [h.sum(dim).float() for h in (x.bfloat16(), x.half()) for dim in ((0, 1), 0, 1)]
    return [x.double().sum(), x.double().sum(0), (x * 9).long().sum(), (x > 0).sum(1), *halves]


@case("prod cumsum cumprod")
def products_and_scans(torch):
    results = []
    for shape, dim in (((17,), 0), ((5, 33), 0), ((5, 33), 1), ((3, 7, 65), 1)):
        x = 1 + 0.1 * torch.randn(shape)
        for function in (torch.prod, torch.cumsum, torch.cumprod):
            results += with_grads(torch, lambda x: function(x, dim), x)
    return results


@case("cummax cummin max min argmax argmin sort topk median argsort all any")
def order(torch):
    x = torch.randn(65, 33)
    results = [*x.max(0), *x.min(1), x.argmax(), x.argmin(1), *x.sort(1), *x.topk(5, 1), *x.median(1), x.argsort(0)]
    results += [*x.cummax(0), *x.cummin(1), (x > 0).all(0), (x > 2).any(1), x.max(), x.min()]
    results += with_grads(torch, lambda x: (x.max(0)[0], x.min(1)[0], x.sort(0)[0], x.topk(3)[0]), x)
    return results


ROWS = (1, 3, 8, 15, 16, 17, 31, 32, 33, 65, 100, 384, 1031)


@case("softmax")
def softmax(torch):
    return [r for n in ROWS for r in with_grads(torch, lambda x: x.softmax(-1), torch.randn(7, n))]


@case("log_softmax")
def log_softmax(torch):
    return [r for n in ROWS for r in with_grads(torch, lambda x: x.log_softmax(-1), 3 * torch.randn(7, n))]


@case("softmax")
def softmax_other_dims(torch):
    shapes = ((5, 33), (17, 9, 21), (3, 65, 40), (2, 10, 31, 33))
    return [r for s in shapes for d in (0, 1) for r in with_grads(torch, lambda x: x.softmax(d), torch.randn(s))]


@case("log_softmax")
def log_softmax_other_dims(torch):
    shapes = ((5, 33), (17, 9, 21), (3, 65, 40), (2, 10, 31, 33))
    return [r for s in shapes for d in (0, 1) for r in with_grads(torch, lambda x: x.log_softmax(d), torch.randn(s))]


@case("layer_norm")
def layer_norm(torch):
    results = []
    for rows, n in ((1, 1), (3, 7), (5, 8), (7, 33), (64, 64), (33, 128), (65, 384), (17, 768), (3, 1601)):
        x, w, b = torch.randn(rows, n), 1 + 0.1 * torch.randn(n), torch.randn(n)
        norm = torch.nn.functional.layer_norm
        results += with_grads(torch, lambda x, w, b: norm(x, (n,), w, b), x, w, b)
        results += with_grads(torch, lambda x, w: norm(x, (n,), w), x, w)
        results += with_grads(torch, lambda x: norm(x, (n,)), x)
    return results


@case("rms_norm")
def rms_norm(torch):
    results = []
    for rows, n in ((3, 7), (7, 33), (64, 64), (33, 384), (5, 1601)):
        norm = torch.nn.functional.rms_norm
        results += with_grads(torch, lambda x, w: norm(x, (n,), w), torch.randn(rows, n), torch.randn(n))
        results += with_grads(torch, lambda x: norm(x, (n,), eps=1e-5), torch.randn(rows, n))
    return results


@case("group_norm")
def group_norm(torch):
    results = []
    for shape, groups in (((2, 6, 7), 3), ((3, 16, 8, 8), 4), ((2, 33, 5, 5), 1), ((2, 12, 9), 12)):
        x, w, b = torch.randn(shape), torch.randn(shape[1]), torch.randn(shape[1])
        results += with_grads(torch, lambda x, w, b: torch.nn.functional.group_norm(x, groups, w, b), x, w, b)
    return results


BATCHES = ((8, 5), (33, 17), (4, 16, 7), (3, 8, 9, 9), (16, 16, 8, 8), (8, 33, 16, 16))


@case("batch_norm")
def batch_norm_training(torch):
    results = []
    for shape in BATCHES:
        c = shape[1]
        x, w, b, mean, var = torch.randn(shape), torch.randn(c), torch.randn(c), torch.randn(c), torch.rand(c)
        norm = torch.nn.functional.batch_norm
        results += with_grads(torch, lambda x, w, b: norm(x, mean, var, w, b, training=True), x, w, b)
        results += [mean, var]
    return results


@case("batch_norm")
def batch_norm_inference(torch):
    results = []
    for shape in BATCHES:
        c = shape[1]
        mean, var = torch.randn(c), torch.rand(c) + 0.1
        norm = torch.nn.functional.batch_norm
        results += with_grads(
            torch, lambda x, w, b: norm(x, mean, var, w, b), torch.randn(shape), torch.randn(c), torch.randn(c)
        )
    return results


@case("linalg_vector_norm stack clamp mul")
def clip_grad_norm(torch):
    parameters = [torch.nn.Parameter(torch.randn(s)) for s in ((33,), (65, 64), (256, 192), (1,), (384, 384))]
    for p in parameters:
        p.grad = torch.randn(p.shape)
    total = torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    return [total, *(p.grad for p in parameters)]


def classes(torch, n: int, c: int):
    return torch.randn(n, c), torch.randint(c, (n,))


LOGITS = ((1, 3), (7, 10), (33, 65), (64, 65), (257, 33), (96, 1031))


@case("cross_entropy_loss")
def cross_entropy(torch):
    loss = torch.nn.functional.cross_entropy
    results = []
    for n, c in LOGITS:
        x, y = classes(torch, n, c)
        for reduction in ("mean", "sum", "none"):
            results += with_grads(torch, lambda x: loss(x, y, reduction=reduction), x)
        y = y.where(torch.rand(n) < 0.7, torch.full_like(y, -1))
        y[0] = 1
        results += with_grads(torch, lambda x: loss(x, y, ignore_index=-1), x)
    return results


@case("cross_entropy_loss")
def cross_entropy_options(torch):
    """Class weights, smoothing, and targets that are probabilities."""
    loss = torch.nn.functional.cross_entropy
    results = []
    for n, c in LOGITS:
        x, y = classes(torch, n, c)
        weight, soft = torch.rand(c), torch.rand(n, c).softmax(1)
        results += with_grads(torch, lambda x: loss(x, y, weight), x)
        results += with_grads(torch, lambda x: loss(x, y, label_smoothing=0.1), x)
        results += with_grads(torch, lambda x: loss(x, soft), x)
    return results


@case("nll_loss_nd nll_loss nll_loss2d")
def nll_loss(torch):
    loss = torch.nn.functional.nll_loss
    results = []
    for n, c in LOGITS:
        x, y = classes(torch, n, c)
        results += with_grads(torch, lambda x: loss(x, y), x)
        results += with_grads(torch, lambda x: loss(x, y, torch.rand(c), reduction="sum"), x)
    x, y = torch.randn(3, 5, 7, 9), torch.randint(5, (3, 7, 9))
    return [*results, *with_grads(torch, lambda x: loss(x, y), x)]


def distance(name: str, **options):
    def body(torch):
        loss = getattr(torch.nn.functional, name)
        results = []
        for shape in ((1,), (7,), (33,), (64, 10), (33, 1031), (257, 129)):
            x, y = torch.randn(shape), torch.randn(shape)
            if name.startswith("binary"):
                y = y.sigmoid()
            if name == "binary_cross_entropy":
                x = x.sigmoid()
            if name == "kl_div":
                x, y = x.log_softmax(-1), y.softmax(-1)
            for reduction in ("mean", "sum", "none"):
                results += with_grads(torch, lambda x: loss(x, y, reduction=reduction, **options), x)
        return results

    return body


for _name in (
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "kl_div",
    "soft_margin_loss",
    "poisson_nll_loss",
):
    add(_name, _name, distance(_name))
add("smooth_l1_beta", "smooth_l1_loss", distance("smooth_l1_loss", beta=0.3))
add("huber_delta", "huber_loss", distance("huber_loss", delta=0.3))


@case("cosine_similarity cosine_embedding_loss")
def cosine(torch):
    f = torch.nn.functional
    x, y, sign = torch.randn(33, 17), torch.randn(33, 17), torch.randint(2, (33,)) * 2 - 1
    results = with_grads(torch, lambda x, y: f.cosine_similarity(x, y), x, y)
    return results + with_grads(torch, lambda x, y: f.cosine_embedding_loss(x, y, sign), x, y)


@case("pairwise_distance triplet_margin_loss dist")
def distances(torch):
    f = torch.nn.functional
    x, y, z = torch.randn(33, 17), torch.randn(33, 17), torch.randn(33, 17)
    results = with_grads(torch, f.pairwise_distance, x, y) + with_grads(torch, torch.dist, x, y)
    return results + with_grads(torch, f.triplet_margin_loss, x, y, z)


@case("margin_ranking_loss hinge_embedding_loss")
def margins(torch):
    f = torch.nn.functional
    x, y, sign = torch.randn(33), torch.randn(33), torch.randint(2, (33,)) * 2 - 1
    return with_grads(torch, lambda x, y: f.margin_ranking_loss(x, y, sign), x, y) + with_grads(
        torch, lambda x: f.hinge_embedding_loss(x, sign), x
    )


@case("multi_margin_loss multilabel_margin_loss")
def class_margins(torch):
    f = torch.nn.functional
    x, y = classes(torch, 33, 10)
    many = torch.randint(10, (33, 10))
    many[:, 4:] = -1
    return with_grads(torch, lambda x: f.multi_margin_loss(x, y), x) + with_grads(
        torch, lambda x: f.multilabel_margin_loss(x, many), x
    )


@case("trace std_mean nansum nanmean diff")
def statistics(torch):
    x = torch.randn(33, 33)
    x_nan = x.where(x < 1, torch.full_like(x, float("nan")))
    return [
        *with_grads(torch, torch.trace, x),
        *with_grads(torch, lambda x: torch.std_mean(x, 1), x),
        x_nan.nansum(0),
        x_nan.nanmean(1),
        *with_grads(torch, torch.diff, x),
    ]


@case("quantile cov corrcoef")
def spread(torch):
    x = torch.randn(9, 33)
    return [x.quantile(0.3, 1), x.quantile(torch.tensor([0.1, 0.9])), x.cov(), x.corrcoef()]


@case("linalg_norm linalg_matrix_norm")
def matrix_norms(torch):
    x = torch.randn(33, 17)
    results = with_grads(torch, torch.linalg.norm, x) + with_grads(torch, torch.linalg.matrix_norm, x)
    return results + with_grads(torch, lambda x: torch.linalg.norm(x, 1), x)


@case("instance_norm")
def instance_norm(torch):
    norm = torch.nn.functional.instance_norm
    return with_grads(
        torch, lambda x, w, b: norm(x, weight=w, bias=b), torch.randn(3, 5, 9, 7), torch.randn(5), torch.randn(5)
    )


@case("_weight_norm norm_except_dim renorm")
def weight_norm(torch):
    return [
        *with_grads(torch, torch._weight_norm, torch.randn(17, 33), torch.rand(17, 1)),
        torch.randn(9, 33).renorm(2, 0, 1.5),
    ]


@case("logcumsumexp linalg_cross cross")
def scans_more(torch):
    results = with_grads(torch, lambda x: x.logcumsumexp(1), torch.randn(5, 33))
    return results + with_grads(torch, torch.linalg.cross, torch.randn(9, 3), torch.randn(9, 3))


@case("hann_window hamming_window bartlett_window blackman_window")
def windows(torch):
    return [
        getattr(torch, f"{name}_window")(n) for name in ("hann", "hamming", "bartlett", "blackman") for n in (7, 64)
    ]
