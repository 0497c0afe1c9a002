"""The trainer of trainer.c in Python, with ctypes alone: python3 trainer.py libweir-c.so [DATA]."""
import ctypes as c
import math
import sys


class Error(c.Structure):
    _fields_ = [("size", c.c_size_t), ("code", c.c_int32), ("option", c.c_char * 64), ("value", c.c_char * 128),
                ("bound", c.c_char * 256), ("way_out", c.c_char * 256), ("text", c.c_char * 1024)]


class Array(c.Structure):
    _fields_ = [("size", c.c_size_t), ("data", c.c_void_p), ("element", c.c_int32), ("dims", c.c_uint32),
                ("shape", c.c_uint64 * 4), ("strides", c.c_int64 * 4)]


weir, data = c.CDLL(sys.argv[1]), (sys.argv[2:] or ["synthetic:200,48x64"])[0]
error, loader, batch = Error(size=c.sizeof(Error)), c.c_void_p(), c.c_uint64()


def call(function, *arguments):
    code = function(*arguments, c.byref(error))
    if code not in (0, 100):
        sys.exit(f"trainer.py: {error.text.decode()}")
    return code == 0


def column(name, element):
    array = Array(size=c.sizeof(Array))
    call(weir.weir_column, loader, batch, None, name, c.byref(array))
    return (element * math.prod(array.shape)).from_address(array.data), list(array.shape)


call(weir.weir_open, data.encode(), b"shape=32x32,batch=20,order=shuffle,seed=3", c.byref(loader))
weights, losses = [[0.0] * 4 for _ in range(10)], []
for epoch in range(4):  # a stream of one epoch each would begin with epoch 0 again
    extent = (c.c_uint64 * 4)(32, 0, epoch, epoch + 1)  # weir_stream_options: size, resume, first_epoch, epochs
    call(weir.weir_start, loader, extent)
    losses.append([])
    while call(weir.weir_next, loader, c.c_int64(-1), c.byref(batch)):
        (pixels, shape), (labels, _) = column(b"pixels", c.c_uint8), column(b"labels", c.c_int64)
        count = shape[1] * shape[2]
        for row, label in enumerate(labels):
            if not 0 <= label < len(weights):
                sys.exit(f"trainer.py: label {label} is not below {len(weights)}")
            image = bytes(pixels[row * count * 3:(row + 1) * count * 3])
            x = [sum(image[channel::3]) / (255.0 * count) - 0.5 for channel in range(3)] + [1.0]
            scores = [math.exp(sum(w * v for w, v in zip(line, x))) for line in weights]
            for k, line in enumerate(weights):
                slope = 0.5 * (scores[k] / sum(scores) - (k == label))
                weights[k] = [w - slope * v for w, v in zip(line, x)]
            losses[-1].append(-math.log(scores[label] / sum(scores)))
        call(weir.weir_release, loader, batch, 1)
first, last = (sum(each) / len(each) for each in (losses[0], losses[-1]))
print(f"{sum(map(len, losses))} samples, loss {first:.3f}, then {last:.3f}")
call(weir.weir_close, c.byref(loader))
