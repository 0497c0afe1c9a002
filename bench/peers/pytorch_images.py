"""How PyTorch's own users decode an image."""


def decoder():
    """Name, and a function that gives the file of an image as a tensor of RGB, uint8, CHW. TorchCodec has replaced
    torchvision.io, which is used where TorchCodec 0.16 or later is missing."""
    try:
        from torchcodec.decoders import decode_image
    except ImportError:
        from torchvision import io
        return "torchvision", lambda file: io.decode_image(io.read_file(file), mode=io.ImageReadMode.RGB)
    return "TorchCodec", lambda file: decode_image(file, mode="RGB")
