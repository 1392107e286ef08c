"""Files that flambeau and PyTorch write for each other."""

import io
import zipfile
from collections import OrderedDict

import pytest

import flambeau
from flambeau.serialization import load, save

torch = pytest.importorskip("torch")

DTYPES = [
    "float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool",
]  # fmt: skip


def sample(library):
    base = library.arange(24, dtype=library.float32).reshape(2, 3, 4)
    result = OrderedDict((name, library.tensor([0, 1, 1], dtype=getattr(library, name))) for name in DTYPES)
    result["view"] = base[:, 1:].transpose(0, 2)
    result["base"] = base
    result["empty"] = library.empty(0, 3)
    result["scalar"] = library.tensor(2.5)
    result["leaf"] = library.ones(2, requires_grad=True)
    result["parameter"] = library.nn.Parameter(library.ones(2, 2))
    result["values"] = [
        None,
        True,
        2**70,
        1.5,
        "é",
        (b"\0\xff", {1}),
        library.Size([1]),
        library.float16,
    ]
    result["values"] += [library.device("cpu")]
    return result


def plain(result):
    """Values and structure without either library's classes."""
    described = {}
    for name, value in result.items():
        if hasattr(value, "tolist"):
            kind = type(value).__name__
            place = tuple(value.shape), value.stride(), value.storage_offset()
            described[name] = kind, str(value.dtype), place, value.requires_grad, value.tolist()
        else:
            described[name] = str(value)
    return described


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("weights_only", [True, False])
def test_either_reads_the_other(zipped, weights_only):
    ours, theirs = io.BytesIO(), io.BytesIO()
    save(sample(flambeau), ours, _use_new_zipfile_serialization=zipped)
    torch.save(sample(torch), theirs, _use_new_zipfile_serialization=zipped)
    for file in (ours, theirs):
        for read, library in ((load, flambeau), (torch.load, torch)):
            file.seek(0)
            result = read(file, weights_only=weights_only)
            assert plain(result) == plain(sample(library))
            result["base"][0, 1, 0] = -1
            assert result["view"][0, 0, 0].item() == -1


def test_attributes_travel():
    ours, theirs = io.BytesIO(), io.BytesIO()
    for library, write, file in ((flambeau, save, ours), (torch, torch.save, theirs)):
        tensor = library.ones(2)
        tensor.note = "kept"
        write(tensor, file)
        for read in (load, torch.load):
            file.seek(0)
            assert read(file).note == "kept"


def test_files_are_the_same_but_for_their_id():
    ours, theirs = io.BytesIO(), io.BytesIO()
    save(sample(flambeau), ours)
    torch.save(sample(torch), theirs)
    left, right = zipfile.ZipFile(ours), zipfile.ZipFile(theirs)
    assert left.namelist() == right.namelist()
    for one, other in zip(left.infolist(), right.infolist()):
        assert (one.header_offset, one.flag_bits) == (other.header_offset, other.flag_bits)
        if not one.filename.endswith("serialization_id"):
            assert left.read(one) == right.read(other), one.filename


def test_legacy_files_are_the_same():
    ours, theirs = io.BytesIO(), io.BytesIO()
    for library, write, file in ((flambeau, save, ours), (torch, torch.save, theirs)):
        obj = {"a": library.arange(3), "b": [library.ones(2, 2).t()]}
        write(obj, file, _use_new_zipfile_serialization=False)
    # Keys of storages are addresses in PyTorch, so only the lengths around them can differ.
    assert ours.getvalue()[:40] == theirs.getvalue()[:40]


def test_state_dict_of_a_model(tmp_path):
    path = tmp_path / "model.pt"
    theirs = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    torch.save(theirs.state_dict(), path)
    ours = flambeau.nn.Sequential(flambeau.nn.Linear(3, 4), flambeau.nn.BatchNorm1d(4))
    ours.load_state_dict(load(path, mmap=True))
    save(ours.state_dict(), path)
    for name, tensor in torch.load(path, mmap=True).items():
        assert torch.equal(tensor, theirs.state_dict()[name])


def test_optimizer_state(tmp_path):
    path = tmp_path / "optimizer.pt"
    for library, write, read in ((flambeau, save, torch.load), (torch, torch.save, load)):
        parameter = library.nn.Parameter(library.ones(3))
        optimizer = library.optim.AdamW([parameter], lr=0.1)
        (parameter * parameter).sum().backward()
        optimizer.step()
        write(optimizer.state_dict(), path)
        state = read(path)
        assert state["param_groups"][0]["lr"] == 0.1
        expected = optimizer.state_dict()["state"][0]["exp_avg"].tolist()
        assert state["state"][0]["exp_avg"].tolist() == expected
