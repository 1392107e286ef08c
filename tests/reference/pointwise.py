"""Elementwise cases: functions of one, two and three tensors, plain, strided and with scalars, with gradients."""

from __future__ import annotations

from reference.frame import SIZES, add, case, with_grads


def dense(draw):
    return (draw(n) for n in SIZES)


def strided(draw):
    """A transposed tensor, a slice with steps, an expanded row."""
    yield draw(37, 21).t()
    yield draw(66, 3)[::2, ::2]
    yield draw(19)[None, :].expand(5, 19)


def positive(torch, x):
    return x.abs() + 0.001


def inside(torch, x):
    """Within (-1, 1)."""
    return x.tanh()


def unit(torch, x):
    """Within (0, 1)."""
    return (x * 0.25).sigmoid()


def wide(torch, x):
    return x * 8


# name: (function, the inputs' domain or None)
UNARY = {
    "abs": (lambda t, x: x.abs(), None),
    "neg": (lambda t, x: -x, None),
    "reciprocal": (lambda t, x: x.reciprocal(), positive),
    "square": (lambda t, x: x.square(), None),
    "sqrt": (lambda t, x: x.sqrt(), positive),
    "rsqrt": (lambda t, x: x.rsqrt(), positive),
    "exp": (lambda t, x: x.exp(), None),
    "exp2": (lambda t, x: x.exp2(), None),
    "expm1": (lambda t, x: x.expm1(), None),
    "log": (lambda t, x: x.log(), positive),
    "log2": (lambda t, x: x.log2(), positive),
    "log10": (lambda t, x: x.log10(), positive),
    "log1p": (lambda t, x: x.log1p(), positive),
    "sin": (lambda t, x: x.sin(), wide),
    "cos": (lambda t, x: x.cos(), wide),
    "tan": (lambda t, x: x.tan(), None),
    "asin": (lambda t, x: x.asin(), inside),
    "acos": (lambda t, x: x.acos(), inside),
    "atan": (lambda t, x: x.atan(), wide),
    "sinh": (lambda t, x: x.sinh(), None),
    "cosh": (lambda t, x: x.cosh(), None),
    "tanh": (lambda t, x: x.tanh(), None),
    "asinh": (lambda t, x: x.asinh(), None),
    "atanh": (lambda t, x: x.atanh(), inside),
    "erf": (lambda t, x: x.erf(), None),
    "erfc": (lambda t, x: x.erfc(), None),
    "erfinv": (lambda t, x: x.erfinv(), inside),
    "lgamma": (lambda t, x: x.lgamma(), positive),
    "digamma": (lambda t, x: x.digamma(), positive),
    "sigmoid": (lambda t, x: x.sigmoid(), wide),
    "logit": (lambda t, x: x.logit(), unit),
    "relu": (lambda t, x: x.relu(), None),
    "leaky_relu": (lambda t, x: t.nn.functional.leaky_relu(x, 0.1), None),
    "relu6": (lambda t, x: t.nn.functional.relu6(x), wide),
    "elu": (lambda t, x: t.nn.functional.elu(x, 0.7), None),
    "selu": (lambda t, x: t.nn.functional.selu(x), None),
    "celu": (lambda t, x: t.nn.functional.celu(x, 0.7), None),
    "gelu": (lambda t, x: t.nn.functional.gelu(x), None),
    "silu": (lambda t, x: t.nn.functional.silu(x), wide),
    "mish": (lambda t, x: t.nn.functional.mish(x), None),
    "softplus": (lambda t, x: t.nn.functional.softplus(x), wide),
    "hardtanh": (lambda t, x: t.nn.functional.hardtanh(x), None),
    "hardsigmoid": (lambda t, x: t.nn.functional.hardsigmoid(x), wide),
    "hardswish": (lambda t, x: t.nn.functional.hardswish(x), wide),
    "hardshrink": (lambda t, x: t.nn.functional.hardshrink(x), None),
    "softshrink": (lambda t, x: t.nn.functional.softshrink(x), None),
    "threshold": (lambda t, x: t.nn.functional.threshold(x, 0.1, 2.0), None),
    "log_sigmoid": (lambda t, x: t.nn.functional.logsigmoid(x), wide),
    "floor": (lambda t, x: x.floor(), wide),
    "ceil": (lambda t, x: x.ceil(), wide),
    "round": (lambda t, x: x.round(), wide),
    "trunc": (lambda t, x: x.trunc(), wide),
    "frac": (lambda t, x: x.frac(), wide),
    "sign": (lambda t, x: x.sign(), None),
    "clamp": (lambda t, x: x.clamp(-0.5, 0.7), None),
    "nan_to_num": (lambda t, x: x.nan_to_num(), None),
    "rsub": (lambda t, x: 1.5 - x, None),
    "deg2rad": (lambda t, x: x.deg2rad(), None),
    "rad2deg": (lambda t, x: x.rad2deg(), None),
    "sinc": (lambda t, x: x.sinc(), None),
    "acosh": (lambda t, x: (1 + x * x).acosh(), None),
}
# Further ways to call some of them: name: (operators, function, domain)
UNARY_VARIANTS = {
    "gelu_tanh": ("gelu", lambda t, x: t.nn.functional.gelu(x, approximate="tanh"), None),
    "softplus_beta": ("softplus", lambda t, x: t.nn.functional.softplus(x, 2.5, 4.0), wide),
    "add_scalar": ("add", lambda t, x: x + 0.3, None),
    "add_scalar_alpha": ("add", lambda t, x: t.add(x, 0.3, alpha=1.7), None),
    "sub_scalar": ("sub", lambda t, x: x - 0.3, None),
    "mul_scalar": ("mul", lambda t, x: x * 0.3, None),
    "div_scalar": ("div", lambda t, x: x / 0.3, None),
    "scalar_div": ("div", lambda t, x: 0.3 / x, positive),
    "remainder_scalar": ("remainder", lambda t, x: x % 0.3, None),
    "pow_2": ("pow", lambda t, x: x**2, None),
    "pow_3": ("pow", lambda t, x: x**3, None),
    "pow_half": ("pow", lambda t, x: x**0.5, positive),
    "pow_minus_half": ("pow", lambda t, x: x**-0.5, positive),
    "pow_minus_1": ("pow", lambda t, x: x**-1, positive),
    "pow_minus_2": ("pow", lambda t, x: x**-2, positive),
    "pow_scalar": ("pow", lambda t, x: x**1.7, positive),
    "scalar_pow": ("pow", lambda t, x: 2.5**x, None),
    "glu": ("glu", lambda t, x: t.nn.functional.glu(t.cat([x, x * 0.5], -1)), None),
}
BINARY = {
    "add": (lambda t, x, y: x + y, None),
    "add_alpha": (lambda t, x, y: t.add(x, y, alpha=0.7), None),
    "sub": (lambda t, x, y: x - y, None),
    "sub_alpha": (lambda t, x, y: t.sub(x, y, alpha=0.7), None),
    "mul": (lambda t, x, y: x * y, None),
    "div": (lambda t, x, y: x / y, positive),
    "floor_divide": (lambda t, x, y: (x // y).detach(), positive),
    "remainder": (lambda t, x, y: x % y, positive),
    "fmod": (lambda t, x, y: t.fmod(x, y), positive),
    "pow": (lambda t, x, y: x**y, positive),
    "maximum": (lambda t, x, y: t.maximum(x, y), None),
    "minimum": (lambda t, x, y: t.minimum(x, y), None),
    "atan2": (lambda t, x, y: t.atan2(x, y), None),
    "hypot": (lambda t, x, y: t.hypot(x, y), None),
    "logaddexp": (lambda t, x, y: t.logaddexp(x, y), None),
    "copysign": (lambda t, x, y: t.copysign(x, y), None),
    "xlogy": (lambda t, x, y: t.xlogy(x, y), positive),
    "lerp_scalar": (lambda t, x, y: t.lerp(x, y, 0.1), None),
    "lerp_scalar_late": (lambda t, x, y: t.lerp(x, y, 0.9), None),
    "where": (lambda t, x, y: t.where(x > y, x, y), None),
    "logaddexp2": (lambda t, x, y: t.logaddexp2(x, y), None),
    "ldexp": (lambda t, x, y: t.ldexp(x, y), None),
    "isclose": (lambda t, x, y: t.isclose(x, y, 0.3), None),
    "prelu": (lambda t, x, y: t.nn.functional.prelu(x, y.reshape(-1)[:1]), None),
}
TERNARY = {
    "lerp": (lambda t, x, y, z: t.lerp(x, y, z), None),
    "addcmul": (lambda t, x, y, z: t.addcmul(x, y, z, value=0.3), None),
    "addcdiv": (lambda t, x, y, z: t.addcdiv(x, y, z, value=0.3), positive),
    "addcmul_1": (lambda t, x, y, z: t.addcmul(x, y, z), None),
}
NOT_DIFFERENTIABLE = {"floor_divide", "isclose"}


def elementwise(layouts, function, domain, inputs: int, differentiable: bool):
    def draw(torch, *shape):
        x = torch.randn(shape)
        return domain(torch, x) if domain else x

    def body(torch):
        results = []
        streams = [layouts(lambda *shape: draw(torch, *shape)) for _ in range(inputs)]
        for tensors in zip(*streams):
            if differentiable:
                results += with_grads(torch, lambda *x: function(torch, *x), *tensors)
            else:
                results.append(function(torch, *tensors))
        return results

    return body


def enter(name: str, operators: str, *how) -> None:
    add(name, operators, elementwise(dense, *how))
    add(f"{name}_strided", operators, elementwise(strided, *how))


for _name, (_function, _domain) in UNARY.items():
    enter(_name, _name, _function, _domain, 1, True)
for _name, (_operators, _function, _domain) in UNARY_VARIANTS.items():
    enter(_name, _operators, _function, _domain, 1, True)
for _count, _table in ((2, BINARY), (3, TERNARY)):
    for _name, (_function, _domain) in _table.items():
        _operator = _name.removesuffix("_late").removesuffix("_scalar").removesuffix("_alpha").removesuffix("_1")
        enter(_name, _operator, _function, _domain, _count, _name not in NOT_DIFFERENTIABLE)


@case("add mul sub div lerp addcmul addcdiv clamp")
def in_place(torch):
    x, y, z = (torch.randn(n, 1001) for n in (33, 33, 33))
    x.add_(y, alpha=0.3).mul_(0.9).sub_(z).div_(y.abs().add_(1))
    x.lerp_(z, 0.1).addcmul_(y, z, value=0.01).addcdiv_(y, z.abs() + 1, value=-0.3).clamp_(-3, 3)
    return [x]


@case("add sub mul div maximum")
def broadcasting(torch):
    results = []
    for a, b in (((5, 7, 33), (33,)), ((5, 7, 33), (7, 1)), ((5, 1, 33), (1, 7, 1)), ((1,), (65,)), ((), (3, 5))):
        for function in (torch.add, torch.sub, torch.mul, torch.div, torch.maximum):
            results += with_grads(torch, function, torch.randn(a), torch.randn(b))
    return results


@case("_to_dtype")
def casts(torch):
    x = torch.randn(1003) * 100
    results = [x.to(d) for d in (torch.bfloat16, torch.float16, torch.float64, torch.int64, torch.int32, torch.uint8)]
    for dtype in (torch.bfloat16, torch.float16, torch.float64):
        results += with_grads(torch, lambda x: x.to(dtype).float(), x)
    return [*results, (x > 0).float(), torch.arange(1003).float(), torch.arange(1003).to(torch.bfloat16)]


@case("linspace arange full eye logspace")
def ranges(torch):
    made = [torch.linspace(-1, 2, n) for n in (1, 2, 17, 1001)]
    return [
        *made,
        torch.arange(0, 3, 0.1),
        torch.arange(7),
        torch.full((3, 3), 0.1),
        torch.eye(5),
        torch.logspace(-1, 1, 9),
    ]
