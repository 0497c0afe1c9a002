"""Which decoder the rows of PyTorch use, with modules that stand in for its packages."""
import sys
import types
import unittest
from unittest import mock

import pytorch_images


def module(name, **members):
    made = types.ModuleType(name)
    vars(made).update(members)
    return made


TORCHVISION = module("torchvision", io=module(
    "torchvision.io", read_file=lambda file: file.encode(), ImageReadMode=types.SimpleNamespace(RGB=3),
    decode_image=lambda data, mode: ("torchvision", data, mode)))
TORCHCODEC = {"torchcodec": module("torchcodec"), "torchcodec.decoders": module(
    "torchcodec.decoders", decode_image=lambda file, mode: ("torchcodec", file, mode))}


class Decoder(unittest.TestCase):
    def test_torchcodec_is_first(self):
        with mock.patch.dict(sys.modules, {"torchvision": TORCHVISION, **TORCHCODEC}):
            name, decode = pytorch_images.decoder()
            self.assertEqual((name, decode("a.jpg")), ("TorchCodec", ("torchcodec", "a.jpg", "RGB")))

    def test_a_torchcodec_without_images_is_left(self):
        for codec in ({"torchcodec": None}, {**TORCHCODEC, "torchcodec.decoders": module("torchcodec.decoders")}):
            with mock.patch.dict(sys.modules, {"torchvision": TORCHVISION, **codec}):
                name, decode = pytorch_images.decoder()
                self.assertEqual((name, decode("a.jpg")), ("torchvision", ("torchvision", b"a.jpg", 3)))


if __name__ == "__main__":
    unittest.main()
