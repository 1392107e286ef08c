"""The namespaces that scripts ask about devices, compilers and processes."""

import pytest

import flambeau as torch


def test_there_is_no_gpu():
    from flambeau import accelerator, backends, cuda, mps, xpu

    for module in (cuda, mps, xpu, accelerator):
        assert module.is_available() is False and module.device_count() == 0
    cuda.manual_seed_all(1)
    cuda.empty_cache()
    assert cuda.memory_allocated() == 0 and cuda.get_rng_state_all() == []
    for function in (cuda.init, cuda.current_device, cuda.synchronize, cuda.Stream, cuda.Event):
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            function()
    with pytest.raises(RuntimeError, match="Cannot access accelerator device when none"):
        accelerator.synchronize()
    assert not backends.mps.is_available() and not backends.cudnn.is_available()


def test_switches_keep_their_values():
    from flambeau import backends

    backends.cuda.matmul.allow_tf32 = True
    backends.cudnn.benchmark = True
    assert backends.cuda.matmul.allow_tf32 and backends.cudnn.benchmark
    backends.cuda.matmul.allow_tf32 = backends.cudnn.benchmark = False
    with backends.cudnn.flags(enabled=False, deterministic=True):
        assert not backends.cudnn.enabled and backends.cudnn.deterministic
    assert backends.cudnn.enabled and not backends.cudnn.deterministic
    with pytest.raises(AttributeError, match="Unknown attribute"):
        backends.cuda.matmul.no_such_switch = 1


def test_compilers_step_aside():
    from flambeau import _dynamo, compiler, jit

    def function(x):
        return x

    assert compiler.compile(function, mode="max-autotune") is function
    assert compiler.compile(dynamic=True)(function) is function
    assert compiler.disable(function) is function and compiler.disable()(function) is function
    assert jit.ignore(function) is function and jit.ignore(drop=True)(function) is function
    assert jit.unused(function) is function and jit.export(function) is function
    assert not jit.is_scripting() and not jit.is_tracing() and not compiler.is_compiling()
    for unsupported in (jit.script, lambda f: jit.trace(f, ())):
        with pytest.raises(RuntimeError, match="not supported by flambeau"):
            unsupported(function)
    _dynamo.config.suppress_errors = True


def test_one_process():
    from flambeau import distributed
    from flambeau.distributed import destroy_process_group, init_process_group
    from flambeau.nn.parallel import DistributedDataParallel

    assert not distributed.is_available() and not distributed.is_initialized()
    with pytest.raises(RuntimeError, match="init_process_group is not supported"):
        init_process_group(backend="gloo")
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        destroy_process_group()
    with pytest.raises(RuntimeError, match="DistributedDataParallel is not supported"):
        DistributedDataParallel(object())


def test_random_state():
    from flambeau import random

    random.manual_seed(7)
    assert random.initial_seed() == 7
    state = random.get_rng_state()
    first = torch.rand(3).tolist()
    random.set_rng_state(state)
    with random.fork_rng():
        assert torch.rand(3).tolist() == first
    assert torch.rand(3).tolist() == first
    assert random.seed() == random.initial_seed()


def test_cpu_capability():
    from flambeau import backends

    assert backends.cpu.get_cpu_capability() in ("DEFAULT", "AVX2", "AVX512")


def test_dlpack_both_ways():
    numpy = pytest.importorskip("numpy")
    from flambeau.utils.dlpack import from_dlpack, to_dlpack

    tensor = torch.arange(6.0).reshape(2, 3)
    for other in (from_dlpack(to_dlpack(tensor)), from_dlpack(tensor)):
        other[0, 0] = 7
        assert tensor[0, 0].item() == 7
        tensor[0, 0] = 0
    assert from_dlpack(numpy.ones(2)).tolist() == [1, 1]
