"""Module against PyTorch's: the same script runs in both, and everything it notes must agree.

A scenario gets `torch` (either library) and `note`, which takes tensors, texts and anything with a repr.
"""

from __future__ import annotations

import copy
import pickle
import warnings
from collections import OrderedDict

import pytest

torch = pytest.importorskip("torch")

import flambeau  # noqa: E402

SCENARIOS = []


def scenario(function):
    SCENARIOS.append(function)
    return function


def plain(value):
    """Something to compare: tensors as lists of exact values, errors and classes by their words."""
    if isinstance(value, (torch.Tensor, flambeau.Tensor)):
        return str(value.dtype).split(".")[-1], tuple(value.shape), value.detach().tolist()
    if isinstance(value, dict):
        return [(key, plain(item)) for key, item in value.items()]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return repr(value).replace("flambeau", "torch")
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Exception):
        return type(value).__name__, str(value).replace("flambeau", "torch")
    return repr(value).replace("flambeau", "torch")


def run(function, library):
    notes = []
    library.manual_seed(7)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(library, lambda *values: notes.extend(plain(value) for value in values))
    return notes, [(w.category.__name__, str(w.message).replace("flambeau", "torch")) for w in caught]


def attempt(note, call):
    try:
        note(call())
    except Exception as error:
        note(error)


def net(torch):
    nn = torch.nn
    inner = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2, bias=False))
    return nn.Sequential(OrderedDict(a=nn.Linear(5, 4), b=inner, c=nn.BatchNorm1d(2)))


@scenario
def attributes(torch, note):
    nn = torch.nn
    m = nn.Module()
    m.p = nn.Parameter(torch.ones(2))
    m.b = nn.Buffer(torch.zeros(3))
    m.t = torch.ones(1)
    m.sub = nn.Linear(1, 1)
    m.register_buffer("n", torch.ones(2), persistent=False)
    m.register_buffer("none", None)
    m.register_parameter("nothing", None)
    note(list(m.state_dict()), sorted(m._parameters), sorted(m._buffers), sorted(m._modules), m.nothing, m.none)
    note(sorted(set(vars(m)) - {"_backward_pre_hooks"}))
    m.p = None
    m.b = torch.ones(4)
    m.n = torch.zeros(1)
    note(m.p, m.b, list(m.state_dict()), sorted(m._non_persistent_buffers_set))
    m.t = nn.Parameter(torch.ones(1))
    m.sub = nn.Parameter(torch.ones(1))
    note(list(m._parameters), list(m._modules), "t" in vars(m))
    m.n = nn.Linear(1, 1)
    note(list(m._modules), list(m._buffers), sorted(m._non_persistent_buffers_set))
    del m.n
    del m.b
    del m.t
    note([name for name in dir(m) if name in ("n", "b", "t", "p", "sub", "none")])
    attempt(note, lambda: delattr(m, "gone"))


@scenario
def refusals(torch, note):
    nn = torch.nn
    m = nn.Linear(2, 2)
    m.sub = nn.ReLU()
    m.register_buffer("buf", torch.ones(1))
    one = nn.Parameter(torch.ones(1))
    for call in (
        lambda: setattr(m, "weight", torch.ones(2, 2)),
        lambda: setattr(m, "sub", torch.ones(1)),
        lambda: setattr(m, "buf", "text"),
        lambda: m.missing,
        lambda: m.register_parameter("x.y", one),
        lambda: m.register_parameter("", one),
        lambda: m.register_parameter("forward", one),
        lambda: m.register_parameter(3, one),
        lambda: m.register_parameter("q", torch.ones(1)),
        lambda: m.register_parameter("q", "text"),
        lambda: m.register_buffer("x.y", torch.ones(1)),
        lambda: m.register_buffer("", torch.ones(1)),
        lambda: m.register_buffer("weight", torch.ones(1)),
        lambda: m.register_buffer(3, torch.ones(1)),
        lambda: m.register_buffer("q", 3),
        lambda: m.add_module("x.y", nn.ReLU()),
        lambda: m.add_module("", nn.ReLU()),
        lambda: m.add_module("weight", nn.ReLU()),
        lambda: m.add_module(3, nn.ReLU()),
        lambda: m.add_module("q", torch.ones(1)),
        lambda: nn.Module(3),
        lambda: nn.Module(a=3),
        lambda: nn.Module()(1),
        lambda: m.train(1),
        lambda: m.to(torch.int64),
        lambda: m.get_submodule("sub.x"),
        lambda: m.get_submodule("weight"),
        lambda: m.get_parameter("sub"),
        lambda: m.get_parameter("gone"),
        lambda: m.get_buffer("weight"),
        lambda: m.get_buffer("gone"),
        lambda: m.set_submodule("", nn.ReLU()),
        lambda: m.set_submodule("sub", 3),
        lambda: m.set_submodule("gone", nn.ReLU(), strict=True),
        lambda: m.set_submodule("weight", nn.ReLU()),
        lambda: m.get_extra_state(),
    ):
        attempt(note, call)

    class Early(nn.Module):
        def __init__(self, value):
            self.x = value

    for value in (one, nn.ReLU()):
        attempt(note, lambda value=value: Early(value))
    grad = (one * 2).detach().requires_grad_() * 2
    attempt(note, lambda: m.register_parameter("q", grad))


@scenario
def traversal(torch, note):
    m = net(torch)
    m.b[2].weight = m.b[0].weight
    m.add_module("again", m.b)
    for call in (
        m.named_parameters,
        m.named_buffers,
        m.named_modules,
        m.named_children,
        lambda: m.named_parameters(prefix="x", recurse=False),
        lambda: m.named_parameters(remove_duplicate=False),
        lambda: m.named_modules(prefix="p", remove_duplicate=False),
    ):
        note([name for name, _ in call()])
    note(len(list(m.parameters())), len(list(m.modules())), len(list(m.children())), len(list(m.buffers())))
    seen = []
    m.apply(lambda module: seen.append(type(module).__name__))
    note(seen, m.get_submodule("b.0"), m.get_submodule("") is m, m.get_parameter("b.0.bias"))
    m.set_submodule("b.1", torch.nn.Tanh())
    note(m)


@scenario
def conversion(torch, note):
    m = net(torch)
    m(torch.randn(3, 5)).sum().backward()
    weight = m.a.weight
    for call in (m.double, m.float, m.half, m.bfloat16, lambda: m.to(torch.float64), lambda: m.to(torch.ones(1))):
        call()
        note(m.a.weight.dtype, m.a.weight.grad.dtype, m.c.running_mean.dtype, m.c.num_batches_tracked.dtype)
    note(m.a.weight is weight, m.to("cpu", torch.float64).a.weight.dtype, m.to(dtype=torch.float32).a.weight.dtype)
    note(m.type(torch.float64).c.num_batches_tracked.dtype)
    m.requires_grad_(False)
    note([p.requires_grad for p in m.parameters()])
    m.requires_grad_(True)
    note(m.eval().training, m.b[1].training, m.train().c.training)
    m.zero_grad()
    note([p.grad for p in m.parameters()])
    m.float()(torch.randn(3, 5)).sum().backward()
    m.zero_grad(set_to_none=False)
    note([p.grad for p in m.parameters()])


@scenario
def copies(torch, note):
    m = net(torch)
    m(torch.randn(3, 5))
    m.a.weight.requires_grad_(False)
    twin = copy.deepcopy(m)
    note(twin.state_dict(), [p.requires_grad for p in twin.parameters()], twin.a.weight is m.a.weight)
    m.b[2].weight = m.b[0].weight
    twin = copy.deepcopy(m)
    note(twin.b[2].weight is twin.b[0].weight)


@scenario
def state(torch, note):
    m = net(torch)
    saved = m.state_dict()
    note(saved, saved._metadata, type(saved).__name__, [v.requires_grad for v in saved.values()])
    note([v.requires_grad for v in m.state_dict(keep_vars=True).values()], list(m.state_dict(prefix="p.")))
    note(list(m.state_dict(OrderedDict(), "q.", True)))
    other = net(torch)
    note(other.load_state_dict(saved), other.state_dict())
    broken = OrderedDict(saved)
    del broken["a.bias"]
    broken["more"] = torch.ones(1)
    broken["b.7.weight"] = torch.ones(1)
    broken["b.0.weight.deep"] = torch.ones(1)
    broken["b.0.weight"] = torch.ones(3, 3)
    broken["b.0.bias"] = "text"
    attempt(note, lambda: other.load_state_dict(broken))
    attempt(note, lambda: other.load_state_dict(broken, strict=False))
    del broken["b.0.weight"], broken["b.0.bias"]
    note(other.load_state_dict(broken, strict=False))
    attempt(note, lambda: other.load_state_dict([1]))
    weight = other.a.weight
    other.load_state_dict({k: v.double() for k, v in saved.items()}, assign=True)
    note(other.a.weight.dtype, other.a.weight is weight, other.a.weight.requires_grad, other.c.running_mean.dtype)
    scalar = torch.nn.Module()
    scalar.p = torch.nn.Parameter(torch.ones(()))
    scalar.load_state_dict({"p": torch.full((1,), 3.0)})
    note(scalar.p)


@scenario
def extra_state(torch, note):
    class Extra(torch.nn.Linear):
        kept = 1

        def get_extra_state(self):
            return {"kept": self.kept}

        def set_extra_state(self, state):
            self.kept = state["kept"]

    m = torch.nn.Sequential(Extra(1, 1))
    m[0].kept = 5
    saved = m.state_dict()
    other = torch.nn.Sequential(Extra(1, 1))
    note(list(saved), other.load_state_dict(saved), other[0].kept)
    del saved["0._extra_state"]
    attempt(note, lambda: other.load_state_dict(saved))
    saved["0._extra_state"] = 1
    attempt(note, lambda: torch.nn.Sequential(torch.nn.Linear(1, 1)).load_state_dict(saved))


@scenario
def state_hooks(torch, note):
    m = net(torch)
    m._register_state_dict_hook(lambda module, state, prefix, meta: note("private", prefix, len(state), meta))
    m.b.register_state_dict_post_hook(lambda module, state, prefix, meta: note("post", prefix, len(state)))
    m.b.register_state_dict_pre_hook(lambda module, prefix, keep_vars: note("pre", prefix, keep_vars))
    m.b._register_load_state_dict_pre_hook(lambda *args: note("load", args[1:3], args[3]))
    handle = m.b.register_load_state_dict_pre_hook(lambda module, *args: note("load2", type(module).__name__, args[1]))
    m.b.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.append("added"))
    saved = m.state_dict()
    attempt(note, lambda: m.load_state_dict(saved))
    handle.remove()
    note(m.load_state_dict(saved, strict=False))
    m.a.register_state_dict_post_hook(lambda *args: 3)
    attempt(note, m.state_dict)
    m.c.register_load_state_dict_post_hook(lambda *args: 3)
    attempt(note, lambda: m.load_state_dict(saved))


@scenario
def forward_hooks(torch, note):
    m = torch.nn.Linear(2, 2)
    x = torch.randn(3, 2)
    first = m.register_forward_hook(lambda module, args, out: note("hook", len(args), out))
    m.register_forward_hook(lambda module, args, kwargs, out: out + 1, with_kwargs=True)
    m.register_forward_hook(lambda module, args, out: note("front", out), prepend=True)
    m.register_forward_pre_hook(lambda module, args: args[0] * 2)
    m.register_forward_pre_hook(lambda module, args, kwargs: (args, {}), with_kwargs=True)
    note(m(x), m(x, extra=3))
    first.remove()
    m.register_forward_hook(lambda module, args, out: note("always", out), always_call=True)
    note(m(x))
    attempt(note, lambda: m(torch.randn(3, 3)))
    bad = m.register_forward_pre_hook(lambda module, args, kwargs: 3, with_kwargs=True)
    attempt(note, lambda: m(x))
    bad.remove()

    def fail(module, args, out):
        raise ValueError("also wrong")

    m.register_forward_hook(fail, always_call=True)
    attempt(note, lambda: m(torch.randn(3, 3)))


@scenario
def global_hooks(torch, note):
    api = torch.nn.modules.module
    handles = [
        api.register_module_forward_pre_hook(lambda module, args: note("pre", type(module).__name__)),
        api.register_module_forward_hook(lambda module, args, out: note("post", type(module).__name__)),
        api.register_module_full_backward_pre_hook(lambda module, grad: note("bpre", type(module).__name__)),
        api.register_module_full_backward_hook(lambda module, gi, go: note("back", type(module).__name__, gi, go)),
        api.register_module_parameter_registration_hook(lambda module, name, p: note("parameter", name)),
        api.register_module_buffer_registration_hook(lambda module, name, b: note("buffer", name)),
        api.register_module_module_registration_hook(lambda module, name, m: note("module", name)),
    ]
    attempt(note, lambda: api.register_module_backward_hook(lambda *args: None))
    m = net(torch)
    m(torch.randn(3, 5)).sum().backward()
    m.b = torch.nn.Identity()
    for handle in handles:
        handle.remove()
    note(m.a(torch.randn(2, 5)))


@scenario
def backward_hooks(torch, note):
    nn = torch.nn
    m = nn.Linear(2, 3)
    x = torch.randn(4, 2, requires_grad=True)
    m.register_full_backward_hook(lambda module, gi, go: note("back", gi, go))
    m.register_full_backward_hook(lambda module, gi, go: (gi[0] * 2,))
    m.register_full_backward_hook(lambda module, gi, go: note("first", gi), prepend=True)
    m.register_full_backward_pre_hook(lambda module, go: note("pre", go))
    m.register_full_backward_pre_hook(lambda module, go: (go[0] * 3,))
    attempt(note, lambda: m.register_backward_hook(lambda *args: None))
    (m(x) ** 2).sum().backward()
    note(x.grad, m.weight.grad, m.bias.grad)

    m = nn.Linear(2, 3)
    m.register_full_backward_hook(lambda module, gi, go: note("no input grad", gi, go))
    m(torch.randn(4, 2)).sum().backward()
    m.register_full_backward_hook(lambda module, gi, go: (torch.ones(1),))
    attempt(note, lambda: m(torch.randn(4, 2)).sum().backward())

    class Two(nn.Module):
        def forward(self, a, b, c):
            return a * b, b + c

    two = Two()
    two.register_full_backward_hook(lambda module, gi, go: note(gi, go))
    a = torch.randn(2, requires_grad=True)
    b = torch.randn(2)
    first, second = two(a, b, 3)
    (first.sum() + second.sum()).backward()
    note(a.grad)
    two.register_full_backward_hook(lambda module, gi, go: (None,))
    attempt(note, lambda: two(a, b, 3)[0].sum().backward())

    class Named(nn.Module):
        def forward(self, x):
            return {"y": x * 2}

    named = Named()
    named.register_full_backward_hook(lambda module, gi, go: note("never"))
    named(a)["y"].sum().backward()


@scenario
def simple_backward_hooks(torch, note):
    m = torch.nn.Linear(2, 3)
    m.register_backward_hook(lambda module, gi, go: note(len(gi), go))
    attempt(note, lambda: m.register_full_backward_hook(lambda *args: None))
    m(torch.randn(4, 2, requires_grad=True)).sum().backward()


@scenario
def containers(torch, note):
    nn = torch.nn
    s = nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Tanh())
    s.append(nn.Sigmoid()).insert(1, nn.ELU()).extend([nn.GELU()])
    note(s, s[1:3], s[-1], len(s))
    del s[0]
    del s[1:3]
    note(s, s + nn.Sequential(nn.ReLU()), s * 2, s.pop(0), list(s._modules))
    s[0] = nn.SELU()
    s += nn.Sequential(nn.ReLU())
    s *= 2
    note(s, 2 * s)
    for call in (
        lambda: s[9],
        lambda: s + 3,
        lambda: s * 1.5,
        lambda: s * 0,
        lambda: s.insert(99, nn.ReLU()),
        lambda: s.__imul__("a"),
    ):
        attempt(note, call)
    ml = nn.ModuleList([nn.Linear(1, 1), nn.Linear(1, 1), nn.ReLU()])
    ml += [nn.ReLU()]
    ml.insert(0, nn.Tanh())
    note(ml, ml[1:], ml[-1], len(ml), ml + [nn.ELU()], nn.ModuleList())
    del ml[0]
    del ml[::2]
    note(ml, ml.pop(0), list(ml._modules), [type(m).__name__ for m in ml])
    for call in (lambda: ml[5], lambda: ml.extend(3), lambda: ml.append(3), lambda: nn.ModuleList(3)):
        attempt(note, call)
    md = nn.ModuleDict({"x": nn.ReLU(), "y": nn.Tanh()})
    md["z"] = nn.ELU()
    md.update([("x", nn.GELU()), ("w", nn.SELU())])
    note(md, list(md), list(md.keys()), "x" in md, len(md), md.pop("y"), [k for k, _ in md.items()])
    for call in (lambda: md["q"], lambda: md.update(3), lambda: md.update([3]), lambda: md.update([(1, 2, 3)])):
        attempt(note, call)
    md.clear()
    note(md)


@scenario
def parameter_containers(torch, note):
    nn = torch.nn
    p = nn.Parameter(torch.ones(2, 3))
    pl = nn.ParameterList([p, torch.zeros(1), 3])
    pl.append(torch.ones(2))
    pl += [None]
    note(pl, len(pl), pl[-2], pl[1:3], list(pl.state_dict()), [type(v).__name__ for v in pl])
    pl[0] = torch.zeros(1)
    note(list(pl.parameters()))
    for call in (lambda: pl[9], lambda: pl(), lambda: pl.extend(3)):
        attempt(note, call)
    pd = nn.ParameterDict({"x": p, "y": torch.ones(1), "n": 3})
    pd["z"] = torch.zeros(2)
    note(pd, list(pd), len(pd), "x" in pd, pd.get("q", 5), pd.setdefault("v", torch.ones(1)), list(pd.state_dict()))
    note(list((pd | {"k": p}).keys()), list(pd.copy().keys()), pd.popitem()[0], list(reversed(pd)), pd.pop("n"))
    pd |= {"j": p}
    note(list(pd.keys()), [k for k, _ in pd.items()], len(list(pd.values())), pd.fromkeys(["a"], 1)["a"])
    for call in (
        lambda: pd[3],
        lambda: pd(1),
        lambda: pd.update(3),
        lambda: pd.update([3]),
        lambda: pd.update(["abc"]),
    ):
        attempt(note, call)
    pd.clear()
    note(len(pd))


@scenario
def parameters(torch, note):
    nn = torch.nn
    p = nn.Parameter(torch.ones(2), requires_grad=False)
    note(isinstance(p, nn.Parameter), isinstance(p, torch.Tensor), isinstance(torch.ones(1), nn.Parameter))
    note(
        nn.Parameter().shape,
        p.requires_grad,
        nn.Parameter(p).requires_grad,
        type(p.data).__name__,
        type(p * 2).__name__,
    )
    twin = copy.deepcopy(p)
    note(twin, type(twin).__name__, twin.requires_grad, pickle.loads(pickle.dumps(p)))
    b = nn.Buffer(torch.ones(2), persistent=False)
    note(isinstance(b, nn.Buffer), b.persistent, isinstance(torch.ones(1), nn.Buffer))
    note(isinstance(nn.UninitializedParameter(), nn.Parameter), repr(nn.UninitializedParameter()))
    attempt(note, lambda: nn.UninitializedParameter().shape)


@scenario
def lazy(torch, note):
    nn = torch.nn
    m = nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(3))
    note(m, list(m.state_dict()))
    torch.manual_seed(3)
    note(m(torch.randn(2, 3, 5, 5)), m, m.state_dict(), type(m[0]).__name__, len(m[0]._forward_pre_hooks))
    loaded = nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(3))
    note(loaded.load_state_dict(m.state_dict()), loaded(torch.randn(2, 3, 5, 5)))
    for call in (
        lambda: nn.LazyConv1d(4, 3)(torch.randn(2)),
        lambda: nn.Linear(2, 2).load_state_dict(nn.LazyLinear(2).state_dict()),
        lambda: nn.LazyConvTranspose1d(4, 3, groups=2)(torch.randn(1, 3, 8)),
        lambda: nn.LazyInstanceNorm1d()(torch.randn(2, 3, 4)),
    ):
        attempt(note, call)


@scenario
def spectral_norm(torch, note):
    nn = torch.nn
    m = nn.utils.spectral_norm(nn.Linear(3, 4), n_power_iterations=2)
    note(m.state_dict(), m.weight)
    for _ in range(2):
        out = m(torch.randn(2, 3))
        out.pow(2).sum().backward()
        note(out, m.weight_orig.grad, m.weight)
    note(m.eval()(torch.randn(2, 3)), m.state_dict())
    attempt(note, lambda: nn.utils.spectral_norm(m))
    note(list(nn.utils.remove_spectral_norm(m).state_dict()), m(torch.randn(2, 3)))
    attempt(note, lambda: nn.utils.remove_spectral_norm(m))
    note(nn.utils.spectral_norm(nn.ConvTranspose1d(2, 3, 2)).state_dict())
    attempt(note, lambda: nn.utils.spectral_norm(nn.Linear(2, 2), n_power_iterations=0))
    attempt(note, lambda: nn.utils.spectral_norm(nn.Linear(2, 2, bias=False), "bias"))
    attempt(note, lambda: nn.utils.spectral_norm(nn.LazyLinear(2)))


@pytest.mark.parametrize("function", SCENARIOS, ids=lambda f: f.__name__)
def test_same_notes(function):
    expected, expected_warnings = run(function, torch)
    got, got_warnings = run(function, flambeau)
    assert len(expected) == len(got)
    for wanted, given in zip(expected, got):
        assert given == wanted
    assert got_warnings == expected_warnings
