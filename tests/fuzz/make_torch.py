#!/usr/bin/env python3
"""The corpus of fuzz_torch: the files of tests/arrays/make_torch.py, and hostile ones in the format
before PyTorch 1.6, which needs no checksums:

    python3 tests/fuzz/make_torch.py tests/fuzz/corpus/torch
"""
import glob
import os
import shutil
import struct
import sys

MAGIC = bytes.fromhex("80028a0a6cfc9c46f9206aa8501 92e".replace(" ", ""))
SYSTEM = b"\x80\x02}X\x0d\0\0\0little_endian\x88s."


def text(word):
    return b"X" + struct.pack("<I", len(word)) + word


def tensor(key=b"0", offset=0, shape=(2, 3), stride=(3, 1), count=6, kind=b"FloatStorage", function=b"_rebuild_tensor_v2"):
    sizes = lambda numbers: b"(" + b"".join(b"\x8a\x08" + struct.pack("<q", n) for n in numbers) + b"t"
    return (b"ctorch._utils\n" + function + b"\n((" + text(b"storage") + b"ctorch\n" + kind + b"\n" + text(key) +
            text(b"cpu") + b"\x8a\x08" + struct.pack("<q", count) + b"NtQ" + b"\x8a\x08" + struct.pack("<q", offset) +
            sizes(shape) + sizes(stride) + b"\x89NtR")


def old(pickle, keys=(b"0",), counts=(6,), data=bytes(24)):
    listed = b"\x80\x02](" + b"".join(map(text, keys)) + b"e."
    storages = b"".join(struct.pack("<q", count) + data for count in counts)
    return MAGIC + b"\x80\x02M\xe9\x03." + SYSTEM + b"\x80\x02" + pickle + b"." + listed + storages


def item(value, name=b"a"):
    return b"}" + text(name) + value + b"s"


hostile = {
    "plain": old(item(tensor())),
    "transposed": old(item(tensor(shape=(3, 2), stride=(1, 3)))),
    "expanded_to_8_gb": old(item(tensor(shape=(1 << 20, 1 << 11), stride=(0, 0)))),
    "overflow": old(item(tensor(shape=(1 << 40, 1 << 40), stride=(1 << 40, 1)))),
    "stride_overflow": old(item(tensor(shape=(3, 3), stride=(1 << 62, 1 << 62)))),
    "empty_overflow": old(item(tensor(shape=(0, 1 << 62), stride=(1, 1)))),
    "negative": old(item(tensor(shape=(-1, 3)))),
    "offset": old(item(tensor(offset=1))),
    "huge_storage": old(item(tensor(count=1 << 60))),
    "huge_run": old(item(tensor()), counts=(1 << 60,)),
    "no_storage": old(item(tensor(key=b"1"))),
    "one_key_twice": old(item(tensor()), keys=(b"0", b"0"), counts=(6, 6)),
    "other_type_of_storage": old(item(tensor(kind=b"LongStorage"))),
    "unknown_storage": old(item(tensor(kind=b"SomeStorage"))),
    "unknown_function": old(item(tensor(function=b"_rebuild_other"))),
    "parameter_of_itself": old(b"ctorch._utils\n_rebuild_parameter\n](h\x00tq\x00R"),
    "list_in_itself": old(b"]q\x00h\x00a"),
    "dict_in_itself": old(b"}q\x00" + text(b"a") + b"h\x00s"),
    "state_dict_in_itself": old(b"}q\x00(" + (text(b"model") + b"h\x00") * 50 + b"u"),
    "each_twice_as_long": old(b"]q\x00" + b"".join(b"](h" + bytes([i]) + b"h" + bytes([i]) + b"eq" + bytes([i + 1])
                                                     for i in range(40))),
    "one_text_a_million_times": old(item(b"](" + text(b"x" * 4096) + b"q\x01" + b"h\x01" * 20000 + b"e")),
    "deep": old(b"]" * 10000 + b"a" * 9999),
    "marks": old(b"(" * 10000),
    "memo": old(b"]r\xff\xff\xff\xff"),
    "recalls_nothing": old(b"h\x07"),
    "long_text": old(b"X\xff\xff\xff\xff"),
    "ends_with_nothing": old(b""),
    "builds_nothing": old(b"Nb"),
    "items_of_a_number": old(b"K\x01K\x02a"),
    "odd_items": old(b"}(K\x01u"),
    "call_of_a_list": old(b"])R"),
    "system": old(b"cos\nsystem\n" + text(b"true") + b"\x85R"),
    "two_of_one_name": old(b"}(" + text(b"a") + tensor() + text(b"a") + tensor() + b"u"),
    "name_with_a_zero": old(item(tensor(), name=b"a\0b")),
    "name_not_utf8": old(item(tensor(), name=b"\xff\xfe")),
    "numpy": old(item(b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85C\x01b\x87R(K\x01K\x02\x85cnumpy\n"
                      b"dtype\n" + text(b"f4") + b"\x89\x88\x87R(K\x03" + text(b"<") + b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb"
                      b"\x89C\x08\0\0\x80?\0\0\0@tb")),
    "numpy_latin1": old(item(b"cnumpy._core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85C\x01b\x87R(K\x01K\x02\x85cnumpy\n"
                             b"dtype\n" + text(b"u1") + b"\x89\x88\x87R\x89c_codecs\nencode\n" + text(b"\xc3\xbf\x01") +
                             text(b"latin1") + b"\x86Rtb")),
    "numpy_other_size": old(item(b"cnumpy.core.multiarray\n_reconstruct\n)R(K\x01K\x07\x85cnumpy\ndtype\n" + text(b"f4") +
                                 b"\x85R\x89C\x01xtb")),
    "plain_pickle": b"\x80\x04\x95\x0b\0\0\0\0\0\0\0}\x94\x8c\x01a\x94K\x01s.",
    "cut": old(item(tensor()))[:-20],
}


def main(folder):
    os.makedirs(folder, exist_ok=True)
    data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../arrays/data")
    for path in glob.glob(f"{data}/torch_*.pt"):
        shutil.copy(path, f"{folder}/{os.path.basename(path)[len('torch_'):-len('.pt')]}")
    for name, content in hostile.items():
        with open(f"{folder}/{name}", "wb") as file:
            file.write(content)


if __name__ == "__main__":
    main(sys.argv[1])
