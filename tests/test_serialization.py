"""torch.save and torch.load: round trips, and what damaged or hostile files may not do."""

import io
import os
import pickle
import struct
import zipfile
from collections import Counter, OrderedDict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import flambeau
from flambeau import serialization
from flambeau.serialization import archive, atomic, load, safetensors, save

DTYPES = ["float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8"]
# What load may raise on a damaged file; anything else is a bug.
CLEAR = (pickle.UnpicklingError, RuntimeError, EOFError, ValueError)


def saved(obj, **options):
    file = io.BytesIO()
    save(obj, file, **options)
    return file.getvalue()


def loaded(data, **options):
    return load(io.BytesIO(data), **options)


def zip_of(records, folder="archive"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as zipped:
        for name, data in {"version": b"3\n", **records}.items():
            zipped.writestr(f"{folder}/{name}", data)
    return file.getvalue()


def pickle_of(text):
    """A hand-made pickle: lines joined, protocol 2."""
    return b"\x80\x02" + text + b"."


@pytest.fixture
def sample():
    weight = flambeau.arange(12, dtype=flambeau.float32).reshape(3, 4)
    return {"weight": weight, "view": weight[1:], "step": 7, "nested": [1.5, (None, True), "x"]}


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("weights_only", [True, False])
def test_round_trip(sample, zipped, weights_only):
    data = saved(sample, _use_new_zipfile_serialization=zipped)
    result = loaded(data, weights_only=weights_only)
    assert list(result) == list(sample)
    assert result["weight"].tolist() == sample["weight"].tolist()
    assert result["nested"] == sample["nested"] and result["step"] == 7
    # A view is still a view.
    result["weight"][1, 0] = -1
    assert result["view"][0, 0].item() == -1


@pytest.mark.parametrize("name", [*DTYPES, "bool"])
def test_dtypes(name):
    tensor = flambeau.tensor([0, 1, 1], dtype=getattr(flambeau, name))
    result = loaded(saved(tensor))
    assert result.dtype == tensor.dtype and result.tolist() == tensor.tolist()


def test_shapes_and_strides():
    base = flambeau.arange(24).reshape(2, 3, 4)
    for tensor in (base, base.transpose(0, 2), base[:, 1], base[..., ::2], base[:0], base[1, 1, 1]):
        result = loaded(saved(tensor))
        assert result.shape == tensor.shape and result.stride() == tensor.stride()
        assert result.tolist() == tensor.tolist()


def test_plain_values():
    values = [None, True, -3, 2**70, 1.5, "é", b"\x00\xff", bytearray(b"x"), {1, 2}, 1j]
    values += [OrderedDict(a=1), Counter("aab"), flambeau.Size([2, 3]), flambeau.float16]
    values += [flambeau.device("cpu")]
    assert loaded(saved(values)) == values


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_protocols(sample, protocol):
    data = saved({"w": sample["weight"]}, pickle_protocol=protocol)
    for weights_only in (True, False):
        result = loaded(data, weights_only=weights_only)
        assert result["w"].tolist() == sample["weight"].tolist()


def test_requires_grad_is_kept():
    tensor = flambeau.ones(2, requires_grad=True)
    assert loaded(saved(tensor)).requires_grad


def test_parameter():
    from flambeau.nn import Parameter

    result = loaded(saved(Parameter(flambeau.ones(2), requires_grad=False)))
    assert type(result) is Parameter and not result.requires_grad


def test_records_are_aligned_as_torch_aligns_them(sample):
    with zipfile.ZipFile(io.BytesIO(saved(sample))) as zipped:
        names = [info.filename for info in zipped.infolist()]
        assert zipped.testzip() is None
    assert names == [
        "archive/data.pkl", "archive/.format_version", "archive/.storage_alignment",
        "archive/byteorder", "archive/data/0", "archive/version", "archive/.data/serialization_id",
    ]  # fmt: skip
    reader = archive.Reader(io.BytesIO(saved(sample)))
    assert all(reader.offset(name) % 64 == 0 for name in reader.names())


def test_names_in_the_file_are_torchs(sample):
    data = zipfile.ZipFile(io.BytesIO(saved(sample))).read("archive/data.pkl")
    assert b"flambeau" not in data
    assert b"ctorch._utils\n_rebuild_tensor_v2\n" in data and b"ctorch\nFloatStorage\n" in data


def test_paths_and_mmap(sample, tmp_path):
    path = tmp_path / "model.pt"
    save(sample, path)
    before = path.read_bytes()
    for mmap in (False, True):
        for name in (path, str(path)):
            result = load(name, mmap=mmap)
            assert result["weight"].tolist() == sample["weight"].tolist()
    result["weight"][0, 0] = 99  # a private copy of the page
    assert path.read_bytes() == before
    with pytest.raises(ValueError, match="f must be a file path in order to use the mmap"):
        load(io.BytesIO(before), mmap=True)


def test_map_location(sample):
    data = saved(sample)
    seen = []

    def remember(storage, location):
        seen.append(location)
        return storage

    for place in ("cpu", flambeau.device("cpu"), {"cuda:0": "cpu"}, remember):
        assert loaded(data, map_location=place)["weight"].tolist() == sample["weight"].tolist()
    assert seen == ["cpu"]
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device"):
        loaded(data, map_location="cuda")


def test_same_data_as_two_dtypes():
    tensor = flambeau.ones(4)
    with pytest.raises(RuntimeError, match="view the same data as different types"):
        saved([tensor, tensor.view(flambeau.int32)])


def test_big_endian_files_are_swapped():
    data = saved(flambeau.tensor([1, 2], dtype=flambeau.int32))
    records = zipfile.ZipFile(io.BytesIO(data))
    parts = {name.partition("/")[2]: records.read(name) for name in records.namelist()}
    parts["byteorder"] = b"big"
    parts["data/0"] = struct.pack(">2i", 1, 2)
    assert loaded(zip_of(parts)).tolist() == [1, 2]


def test_compressed_records_are_read(sample):
    records = zipfile.ZipFile(io.BytesIO(saved(sample)))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name in records.namelist():
            zipped.writestr(name, records.read(name))
    assert loaded(file.getvalue())["weight"].tolist() == sample["weight"].tolist()


def test_safetensors(tmp_path):
    tensors = {
        "b": flambeau.arange(6).reshape(2, 3),
        "a": flambeau.ones(2, 2).t(),
        "e": flambeau.empty(0),
    }
    path = tmp_path / "x.safetensors"
    safetensors.save_file(tensors, path, metadata={"format": "pt"})
    for result in (safetensors.load_file(path), load(path)):
        assert {name: tensor.tolist() for name, tensor in result.items()} == {
            name: tensor.tolist() for name, tensor in tensors.items()
        }
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(RuntimeError, match="deserializing header"):
        load(path)


# Files that replace others


def test_full_disk_leaves_the_old_file(sample, tmp_path, monkeypatch):
    path = tmp_path / "model.pt"
    save({"old": 1}, path)

    def full(self, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive.Writer, "_write", full)
    with pytest.raises(OSError, match="No space left"):
        save(sample, path)
    assert load(path) == {"old": 1}
    assert os.listdir(tmp_path) == ["model.pt"]


def test_failing_pickle_leaves_the_old_file(tmp_path):
    path = tmp_path / "model.pt"
    save({"old": 1}, path)
    with pytest.raises((AttributeError, pickle.PicklingError, TypeError)):
        save(lambda: None, path)
    assert load(path) == {"old": 1} and os.listdir(tmp_path) == ["model.pt"]


def test_mode_and_link_are_kept(tmp_path):
    path = tmp_path / "model.pt"
    link = tmp_path / "last.pt"
    save(1, path)
    path.chmod(0o640)
    link.symlink_to(path)
    save(2, link)
    assert link.is_symlink() and load(path) == 2
    assert path.stat().st_mode & 0o777 == 0o640


def test_what_is_not_a_file_is_written_directly():
    save(1, "/dev/null")
    assert not Path("/dev/null").is_file()
    with pytest.raises(IsADirectoryError), atomic.replacing("/"):
        pass


def test_missing_folder(tmp_path):
    with pytest.raises(RuntimeError, match="Parent directory .* does not exist"):
        save(1, tmp_path / "no" / "model.pt")


# weights_only

TOUCHED = []


class Custom:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return type(other) is Custom and other.value == self.value


def touch(*args):
    TOUCHED.append(args)


class Malicious:
    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("function", [os.system, eval, exec, getattr, open, touch, __import__])
@pytest.mark.parametrize("zipped", [True, False])
def test_calls_are_refused(function, zipped, tmp_path):
    target = tmp_path / "executed"
    data = saved([Malicious(function, f"touch {target}")], _use_new_zipfile_serialization=zipped)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        loaded(data)
    assert not TOUCHED and not target.exists()


def test_safe_globals():
    data = saved(Custom(3))
    name = f"{__name__}.Custom"
    assert serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(data)) == [name]
    with pytest.raises(pickle.UnpicklingError, match="was not an allowed global by default"):
        loaded(data)
    with serialization.safe_globals([Custom]):
        assert loaded(data) == Custom(3)
        assert serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(data)) == []
    assert serialization.get_safe_globals() == []
    serialization.add_safe_globals([(Custom, name)])
    assert loaded(data) == Custom(3)
    serialization.clear_safe_globals()
    with pytest.raises(pickle.UnpicklingError):
        loaded(data)


def test_blocked_modules_stay_blocked():
    with serialization.safe_globals([os.system]):
        with pytest.raises(pickle.UnpicklingError, match="whose module (posix|nt) is blocked"):
            loaded(saved(Malicious(os.system, "true")))


def test_environment_variables(monkeypatch):
    data = saved(Custom(1))
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(pickle.UnpicklingError):
        loaded(data, weights_only=False)
    monkeypatch.delenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD")
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    assert loaded(data) == Custom(1)


@pytest.mark.parametrize(
    "instructions",
    [
        b"ctorch\nFloatStorage\nK\x01\x85R",  # a class that may be named but not called
        b"cbuiltins\nbytearray\n\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x85R",  # a huge buffer
        b"c_codecs\nencode\nX\x01\x00\x00\x00aX\x03\x00\x00\x00hex\x86R",  # another codec
        b"ctorch._utils\n_rebuild_tensor_v2\n}b",  # attributes on a function
        b"X\x03\x00\x00\x00odd\x81",  # NEWOBJ from a string
        b"}" + b"K\x01" + b"\x85" * 100_000 + b"K\x01s",  # hashing would exhaust the stack
        b"}" + b"K\x01q\x00" + b"h\x00h\x00\x86q\x00" * 80 + b"K\x01s",  # or never end
        b"(lp0\n0",
        b"h\x05",
        b"t",
        b"\x8a\xff",
        b"X\xff\xff\xff\xff",
        b"X\x02\x00\x00\x00\xff\xff",
        b"K\x01Q",
        b"(X\x06\x00\x00\x00moduleK\x01tQ",
        b"(X\x07\x00\x00\x00storageK\x01tQ",
        b"ctorch.serialization\n_get_layout\nX\x08\x00\x00\x00__dict__\x85R",
    ],
)
def test_malformed_pickles(instructions):
    for data in (zip_of({"data.pkl": pickle_of(instructions)}), pickle_of(instructions)):
        with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
            loaded(data)


# Sizes, strides and offsets


def tensor_record(size, stride, offset=0, numel=2, key="0", data=b"\0" * 8, kind=None):
    """A file with one float tensor whose description is chosen freely."""

    class Storage:
        pass

    class Pickler(pickle._Pickler):
        def persistent_id(self, obj):
            if isinstance(obj, Storage):
                name = kind or flambeau.storage.FloatStorage
                return ("storage", name, key, "cpu", numel)
            return None

        def save_global(self, obj, name=None):
            module = obj.__module__.replace("flambeau", "torch")
            self.write(f"c{module}\n{obj.__name__}\n".encode())
            self.memoize(obj)

        dispatch = {**pickle._Pickler.dispatch, type: save_global, type(zip_of): save_global}
        dispatch[type(flambeau.storage.FloatStorage)] = save_global

    class Tensor:
        def __reduce__(self):
            rebuild = flambeau._utils._rebuild_tensor_v2
            return rebuild, (Storage(), offset, size, stride, False, OrderedDict())

    file = io.BytesIO()
    Pickler(file, 2).dump(Tensor())
    return zip_of({"data.pkl": file.getvalue(), "data/0": data})


def test_tensor_record_is_otherwise_valid():
    assert loaded(tensor_record((2,), (1,))).tolist() == [0, 0]


@pytest.mark.parametrize(
    "description",
    [
        {"size": (3,), "stride": (1,)},
        {"size": (2,), "stride": (2,)},
        {"size": (2,), "stride": (1,), "offset": 1},
        {"size": (2,), "stride": (1,), "offset": -1},
        {"size": (2,), "stride": (-1,), "offset": 1},
        {"size": (-2,), "stride": (1,)},
        {"size": (2, 1), "stride": (1,)},
        {"size": (2**40, 2**40), "stride": (0, 0)},
        {"size": (2**64 + 1,), "stride": (0,)},
        {"size": (0,), "stride": (2**64,)},
        {"size": (2.0,), "stride": (1,)},
        {"size": (True,), "stride": (1,)},
        {"size": ("2",), "stride": (1,)},
        {"size": 2, "stride": 1},
        {"size": (2,), "stride": (1,), "offset": None},
        {"size": (2,), "stride": (1,), "numel": 3},
        {"size": (2,), "stride": (1,), "numel": 2**62},
        {"size": (2,), "stride": (1,), "numel": -1},
        {"size": (2,), "stride": (1,), "numel": 2.0},
        {"size": (2,), "stride": (1,), "key": "../data.pkl"},
        {"size": (2,), "stride": (1,), "key": "/etc/passwd"},
        {"size": (2,), "stride": (1,), "key": 0},
        {"size": (2,), "stride": (1,), "kind": OrderedDict},
        {"size": (2,), "stride": (1,), "data": b"\0" * 7},
    ],
)
def test_tensors_that_leave_their_storage(description):
    with pytest.raises((RuntimeError, pickle.UnpicklingError)):
        loaded(tensor_record(**description))


# Damaged archives


def test_zip_bombs_are_refused():
    data = bytearray(zip_of({"data.pkl": pickle_of(b"N"), "data/0": b"\0" * 8}))
    at = data.rfind(b"PK\1\2")
    for field in (20, 24):  # stored and full size in the directory
        broken = bytearray(data)
        struct.pack_into("<L", broken, at + field, 0x7FFFFFFF)
        with pytest.raises(RuntimeError, match="PytorchStreamReader failed"):
            loaded(bytes(broken))


def test_messages(tmp_path):
    with pytest.raises(EOFError):
        loaded(b"")
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        loaded(b"hello world")
    with pytest.raises(RuntimeError, match="failed finding central directory"):
        loaded(saved(1)[:-100])
    with pytest.raises(RuntimeError, match="maximum supported version for reading is 10"):
        loaded(zip_of({"version": b"99"}))
    with pytest.raises(RuntimeError, match="not in a subdirectory"):
        loaded(zip_of({"data.pkl": b""}).replace(b"archive/", b"archive_"))
    with pytest.raises(RuntimeError, match="failed locating file data.pkl"):
        loaded(zip_of({}))
    with pytest.raises(RuntimeError, match="TorchScript"):
        loaded(zip_of({"constants.pkl": b""}))
    with pytest.raises(AttributeError, match="torch.load from a file that is seekable"):
        load(3)
    with pytest.raises(AttributeError, match="with a 'write' attribute"):
        save(1, 3)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "no.pt")
    with pytest.raises(RuntimeError, match="Invalid magic number; corrupt file?"):
        loaded(pickle_of(b"K\x01"))


def damaged(data, position, value, length):
    broken = bytearray(data[: max(1, int(len(data) * length))])
    broken[int(position * (len(broken) - 1))] ^= value
    return bytes(broken)


@pytest.mark.parametrize("zipped", [True, False])
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    position=st.floats(0, 1),
    value=st.integers(0, 255),
    length=st.one_of(st.just(1), st.floats(0, 1)),
)
def test_damaged_files_give_clear_errors(sample, zipped, position, value, length):
    data = saved(sample, _use_new_zipfile_serialization=zipped)
    try:
        loaded(damaged(data, position, value, length))
    except CLEAR:
        pass
    assert not TOUCHED


@settings(max_examples=300, deadline=None)
@given(data=st.binary(max_size=200))
def test_arbitrary_pickles(data):
    for file in (data, pickle_of(data), zip_of({"data.pkl": pickle_of(data)})):
        try:
            loaded(file)
        except CLEAR:
            pass


# Storages


def test_storage_bytes(tmp_path):
    storage = flambeau.tensor([1, 2, 3], dtype=flambeau.uint8).untyped_storage()
    assert len(storage) == storage.nbytes() == 3 and storage[1] == 2 and list(storage) == [1, 2, 3]
    part = storage[1:]
    memoryview(part)[0] = 9
    assert storage[1] == 9
    assert flambeau.asarray(part, dtype=flambeau.uint8).tolist() == [9, 3]
    assert flambeau.asarray(storage[:0], dtype=flambeau.uint8).tolist() == []
    with pytest.raises(IndexError):
        storage[3]


def test_memory_stays_while_somebody_looks_at_it():
    tensor = flambeau.ones(4)
    view = memoryview(tensor.untyped_storage())
    part = tensor.untyped_storage()[4:8]
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        tensor.resize_(1 << 20)
    del view
    with pytest.raises(RuntimeError, match="not resizable"):
        tensor.resize_(1 << 20)
    del part
    tensor.resize_(1 << 20)
    saved(tensor[:4])
    tensor.resize_(1 << 21)


def test_numpy_arrays_keep_the_memory_in_place():
    pytest.importorskip("numpy")
    tensor = flambeau.ones(4)
    array = tensor.numpy()
    with pytest.raises(RuntimeError, match="not resizable"):
        tensor.resize_(1 << 20)
    del array
    tensor.resize_(1 << 20)


def test_storage_from_file(tmp_path):
    path = tmp_path / "bytes"
    path.write_bytes(b"abcd")
    for shared in (False, True):
        storage = flambeau.UntypedStorage.from_file(str(path), shared=shared, nbytes=4)
        memoryview(storage)[0] = ord("z")
        assert path.read_bytes() == (b"zbcd" if shared else b"abcd")
    with pytest.raises(RuntimeError, match="has 4 bytes where 5 were expected"):
        flambeau.UntypedStorage.from_file(path, False, 5)


# pickle and copy outside of torch.save


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_plain_pickle(protocol):
    tensor = flambeau.arange(6).reshape(2, 3).t()
    result = pickle.loads(pickle.dumps(tensor, protocol=protocol))
    assert result.tolist() == tensor.tolist() and result.stride() == tensor.stride()


def test_deepcopy_keeps_sharing():
    import copy

    base = flambeau.arange(6)
    one, other = copy.deepcopy([base, base[2:]])
    one[2] = 9
    assert other[0].item() == 9 and base[2].item() == 2
    leaf = flambeau.ones(2, requires_grad=True)
    assert copy.deepcopy(leaf).requires_grad
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(leaf * 2)
