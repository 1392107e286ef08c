"""Backward passes: accumulation, hooks, modes, in-place changes and their errors, custom functions."""

import gc
import threading
import weakref

import pytest

import flambeau as torch


def leaf(*values):
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


def test_gradients_add_up_in_grad():
    x = leaf(1.0, 2.0)
    (x * x).sum().backward()
    (x * 3).sum().backward()
    assert x.grad.tolist() == [5.0, 7.0]


def test_a_tensor_used_twice_gets_both_gradients():
    x = leaf(2.0)
    y = x * x
    (y * x + y).backward()
    assert x.grad.item() == 3 * 4 + 2 * 2


def test_backward_needs_a_scalar_or_a_gradient():
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        (x * 2).backward()
    (x * 2).backward(torch.tensor([1.0, 10.0], dtype=torch.float64))
    assert x.grad.tolist() == [2.0, 20.0]


def test_backward_without_history():
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad and does not have a grad_fn"):
        torch.ones(1).backward()


def test_a_graph_is_freed_unless_retained():
    x = leaf(3.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 12.0
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()


def test_grad_returns_and_leaves_grad_alone():
    x, y = leaf(3.0), leaf(4.0)
    gx, gy = torch.autograd.grad((x * y).sum(), (x, y))
    assert (gx.item(), gy.item()) == (4.0, 3.0)
    assert x.grad is None and y.grad is None


def test_grad_of_an_intermediate():
    x = leaf(2.0)
    y = x * 3
    (gy,) = torch.autograd.grad((y * y).sum(), y)
    assert gy.item() == 12.0


def test_unused_inputs():
    x, y = leaf(1.0), leaf(1.0)
    with pytest.raises(RuntimeError, match="One of the differentiated Tensors appears to not have been used"):
        torch.autograd.grad((x * 2).sum(), (x, y))
    gx, gy = torch.autograd.grad((x * 2).sum(), (x, y), allow_unused=True)
    assert gx.item() == 2.0 and gy is None
    _, gy = torch.autograd.grad((x * 2).sum(), (x, y), materialize_grads=True)
    assert gy.item() == 0.0


def test_double_backward():
    x = leaf(2.0)
    (g,) = torch.autograd.grad((x * x * x).sum(), x, create_graph=True)
    assert g.item() == 12.0
    (gg,) = torch.autograd.grad(g.sum(), x)
    assert gg.item() == 12.0


def test_saved_outputs_take_part_in_double_backward():
    x = leaf(0.5)
    (g,) = torch.autograd.grad(x.exp().sum(), x, create_graph=True)
    (gg,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    (ggg,) = torch.autograd.grad(gg.sum(), x)
    assert g.item() == gg.item() == ggg.item()


def test_no_grad_and_its_kin():
    x = leaf(1.0)
    with torch.no_grad():
        assert not (x * 2).requires_grad
        with torch.enable_grad():
            assert (x * 2).requires_grad

    @torch.no_grad()
    def inside():
        return torch.is_grad_enabled()

    assert not inside() and torch.is_grad_enabled()
    with torch.set_grad_enabled(False):
        assert not (x * 2).requires_grad
    with torch.inference_mode():
        y = x * 2
    assert y.is_inference()
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        x * y


def test_in_place_on_a_leaf():
    x = leaf(1.0)
    with pytest.raises(
        RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation."
    ):
        x.add_(1)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used"):
        x[0:1].mul_(2)
    with torch.no_grad():
        x.add_(1)
    assert x.item() == 2.0


def test_in_place_on_a_needed_tensor():
    x = leaf(1.0, 2.0)
    y = x * 2
    z = (y * y).sum()
    y.add_(1)
    message = (
        r"one of the variables needed for gradient computation has been modified by an inplace operation: "
        r"\[torch.DoubleTensor \[2\]\], which is output 0 of \w+Backward0, is at version 1; expected version 0 instead"
    )
    with pytest.raises(RuntimeError, match=message):
        z.backward()


def test_in_place_takes_part_in_the_graph():
    x = leaf(1.0, 2.0)
    y = x * 1
    y.mul_(3).add_(1)
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_in_place_on_a_view_changes_the_base_history():
    x = leaf(1.0, 2.0, 3.0)
    y = x * 1
    y[1:].mul_(10)
    assert type(y.grad_fn).__name__ == "CopySlices"
    (y * torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)).sum().backward()
    assert x.grad.tolist() == [1.0, 20.0, 30.0]


def test_writing_into_a_plain_tensor_makes_it_part_of_the_graph():
    x = leaf(2.0)
    out = torch.zeros(3, dtype=torch.float64)
    view = out[1]
    out[1] = x[0] * 5
    assert out.requires_grad and view.requires_grad
    (out * out).sum().backward()
    assert x.grad.item() == 2 * 10 * 5


def test_data_and_detach():
    x = leaf(1.0)
    y = x * 2
    assert not y.detach().requires_grad and y.data.is_leaf
    x.data.add_(1)
    assert x.item() == 2.0 and x._version == 0
    x.detach().add_(1)
    assert x._version == 1


def test_hooks_see_and_replace_gradients():
    x = leaf(1.0)
    seen = []
    y = x * 2
    handle = y.register_hook(lambda grad: seen.append(grad.item()))
    y.register_hook(lambda grad: grad * 10)
    (y * 3).sum().backward(retain_graph=True)
    assert seen == [3.0] and x.grad.item() == 60.0
    handle.remove()
    x.register_hook(lambda grad: grad * 0)
    (y * 3).sum().backward()
    assert seen == [3.0] and x.grad.item() == 60.0


def test_retain_grad_and_post_accumulate_hooks():
    x = leaf(1.0)
    calls = []
    x.register_post_accumulate_grad_hook(lambda t: calls.append(t.grad.item()))
    y = x * 2
    y.retain_grad()
    (y * 3).sum().backward()
    assert y.grad.item() == 3.0 and calls == [6.0]


def test_hooks_that_fail_tell_so():
    x = leaf(1.0)
    y = x * 2

    def fail(grad):
        raise KeyError("from the hook")

    y.register_hook(fail)
    with pytest.raises(KeyError, match="from the hook"):
        y.sum().backward()


def test_anomaly_mode_names_the_operation():
    x = leaf(-1.0)
    with torch.autograd.set_detect_anomaly(True):
        with pytest.raises(RuntimeError, match="Function 'SqrtBackward0' returned nan values in its 0th output."):
            x.sqrt().sum().backward()


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return x * x * x * scale

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x * x * ctx.scale, None


def test_custom_function():
    x = leaf(2.0)
    y = Cube.apply(x, 10)
    assert type(y.grad_fn).__name__ == "CubeBackward"
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert g.item() == 120.0
    (gg,) = torch.autograd.grad(g.sum(), x)
    assert gg.item() == 120.0
    assert torch.autograd.gradcheck(lambda t: Cube.apply(t, 2.0), (leaf(0.3, 1.5),))


def test_custom_function_with_several_outputs_and_unused_ones():
    class Split(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, a, b):
            return a * 2 + b * 3

    x = leaf(1.0)
    _, b = Split.apply(x)
    b.sum().backward()
    assert x.grad.item() == 3.0


def test_custom_function_with_the_wrong_number_of_gradients():
    class Bad(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, grad):
            return grad

    with pytest.raises(RuntimeError, match=r"returned an incorrect number of gradients \(expected 2, got 1\)"):
        Bad.apply(leaf(1.0), leaf(1.0)).sum().backward()


def test_once_differentiable():
    from flambeau.autograd.function import once_differentiable

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            return grad * 2 * ctx.saved_tensors[0]

    x = leaf(3.0)
    seed = leaf(1.0)
    (g,) = torch.autograd.grad(Square.apply(x), x, seed, create_graph=True)
    with pytest.raises(RuntimeError, match="marked with @once_differentiable"):
        g.sum().backward()


def test_a_long_chain_needs_no_deep_stack():
    x = leaf(1.0)
    y = x
    for _ in range(100_000):
        y = y + 1
    y.sum().backward()
    assert x.grad.item() == 1.0
    del y


def test_a_long_chain_is_destroyed_without_backward():
    y = leaf(1.0)
    for _ in range(100_000):
        y = y * 1.0
    del y


def test_objects_are_kept_while_the_tensor_lives():
    x = leaf(1.0)
    x.label = "mine"
    y = x * x
    ident = id(x)
    del x
    gc.collect()
    found = y.grad_fn.next_functions[0][0].variable
    assert found.label == "mine" and id(found) == ident


def test_cycles_through_attributes_hooks_and_functions_are_collected():
    def attribute():
        x = leaf(1.0)
        x.me = x
        return weakref.ref(x)

    def hook():
        x = leaf(1.0)
        y = x * 2
        y.register_hook(lambda grad: grad * y.numel())
        return weakref.ref(y)

    def function():
        class Keep(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.x = x
                return x * 2

            @staticmethod
            def backward(ctx, grad):
                return grad

        y = Keep.apply(leaf(1.0))
        y.grad_fn.me = None
        return weakref.ref(y)

    references = [attribute(), hook()]
    try:
        references.append(function())
    except AttributeError:
        pass
    gc.collect()
    assert [r() for r in references] == [None] * len(references)


def test_several_threads_may_differentiate_at_once():
    x = leaf(*[1.0] * 100)
    failures = []

    def work():
        try:
            for _ in range(50):
                y = leaf(*[2.0] * 100)
                ((x * y).sum() + (y * y).sum()).backward()
                assert y.grad.tolist() == [5.0] * 100
        except Exception as error:  # told to the main thread
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert x.grad.tolist() == [2.0 * 200] * 100


def test_saved_tensors_hooks():
    x = leaf(3.0)
    packed = []

    def pack(tensor):
        packed.append(tensor.item())
        return tensor.item()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda value: leaf(value).detach()):
        y = x * x
    assert packed == [3.0, 3.0]
    y.sum().backward()
    assert x.grad.item() == 6.0
