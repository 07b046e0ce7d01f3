"""What Pillow makes of images: python3 pillow.py <command> <arguments>.

hash FILE...             a line for each: SHA-256 of all its frames as RGBA or 16-bit grey; or "-" if it cannot be read
apart FILE FILE ...      a line for each pair: by how much samples of 8 bits differ at most
psnr FILE FILE           the peak signal-to-noise ratio between both, in dB
save IN OUT [NAME=VALUE] writes an image again, with parameters of its format; scale=0.5 scales it, alpha=128 adds that
"""

import hashlib
import math
import sys
import warnings

from PIL import Image, ImageChops, ImageSequence, ImageStat

warnings.simplefilter("ignore")  # about large images and odd metadata


def digest(path):
    whole = hashlib.sha256()
    try:
        with Image.open(path) as image:
            for frame in ImageSequence.Iterator(image):
                deep = frame.mode.startswith("I")
                whole.update(f"{frame.size} ".encode() + (frame if deep else frame.convert("RGBA")).tobytes())
    except (OSError, SyntaxError, ValueError):
        return "-"
    return whole.hexdigest()


def apart(first, second):
    with Image.open(first) as one, Image.open(second) as other:
        if one.mode.startswith("I"):
            return 0  # 16 bits
        bands = ImageChops.difference(one, other).getextrema()
    return max(high for _, high in (bands if isinstance(bands[0], tuple) else [bands]))


def psnr(first, second):
    with Image.open(first) as one, Image.open(second) as other:
        squares = ImageStat.Stat(ImageChops.difference(one, other)).sum2
        mean = sum(squares) / len(squares) / (one.width * one.height)
    return math.inf if mean == 0 else 10 * math.log10(255**2 / mean)


def save(source, target, *parameters):
    values = {name: int(value) if value.isdigit() else value for name, value in (p.split("=") for p in parameters)}
    scale = float(values.pop("scale", 1))
    alpha = values.pop("alpha", None)
    with Image.open(source) as image:
        if scale != 1:
            image = image.resize((round(image.width * scale), round(image.height * scale)))
        if alpha is not None:
            image = image.convert("RGBA")
            image.putalpha(alpha)
        image.save(target, **values)


command, *arguments = sys.argv[1:]
if command == "hash":
    print("\n".join(map(digest, arguments)))
elif command == "apart":
    print("\n".join(str(apart(*pair)) for pair in zip(arguments[::2], arguments[1::2])))
elif command == "psnr":
    print(psnr(*arguments))
else:
    save(*arguments)
