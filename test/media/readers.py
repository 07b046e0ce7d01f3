"""What readers from PyPI show of pictures: python3 readers.py <reader> FILE...

A line for each file: its size and SHA-256 of its samples, or "-" if it is refused. `versions` prints a line for each
reader: its name, its version and, of ffmpeg, where the program is.
"""

import hashlib
import io
import os
import sys
import warnings

import numpy

warnings.simplefilter("ignore")  # about odd metadata


def line(size, *parts):
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part)
    return f"{size} {whole.hexdigest()[:16]}"


def seen(pixels):
    """RGBA samples with the colours of invisible pixels as 0."""
    return numpy.where(pixels[..., 3:] == 0, 0, pixels).tobytes()


def pillow(path, mode="RGBA"):
    from PIL import Image, ImageCms, ImageOps

    with Image.open(path) as image:
        frames = getattr(image, "n_frames", 1)
        image.load()
        profile = image.info.get("icc_profile")
        shown = ImageOps.exif_transpose(image)
        if shown.mode == "P":
            shown = shown.convert("RGBA" if "transparency" in image.info else "RGB")
        if profile and shown.mode == "RGB":
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            shown = ImageCms.profileToProfile(shown, source, ImageCms.createProfile("sRGB"))
        pixels = numpy.asarray(shown.convert(mode))
        return line(f"{frames} {shown.size}", seen(pixels) if mode == "RGBA" else pixels.tobytes())


def mupdf(path):
    import pymupdf

    with pymupdf.open(path) as document:
        page = document[0]
        plain = pymupdf.Pixmap(path)
        # A page is as large as the resolution says; what is compared is the picture, one sample for each.
        scale = max(plain.width, plain.height) / max(page.rect.width, page.rect.height)
        shown = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=True)
        if plain.n - plain.alpha == 1:
            plain = pymupdf.Pixmap(pymupdf.csRGB, plain)
        whole = plain if plain.alpha else pymupdf.Pixmap(plain, 1)
        return line(f"{len(document)} {shown.width} {shown.height}", shown.samples, whole.samples)


def opencv(path):
    import cv2

    shown, whole = (cv2.imread(path, flag) for flag in (cv2.IMREAD_COLOR, cv2.IMREAD_UNCHANGED))
    if shown is None or whole is None:
        return "-"
    if whole.dtype == numpy.uint16 and not (whole % 257).any():
        whole = (whole // 257).astype(numpy.uint8)
    if len(whole.shape) == 2 or whole.shape[2] == 3:
        whole = cv2.cvtColor(whole, cv2.COLOR_GRAY2BGRA if len(whole.shape) == 2 else cv2.COLOR_BGR2BGRA)
    is_opaque = whole[..., 3].min() == numpy.iinfo(whole.dtype).max
    return line(shown.shape, seen(whole), shown.tobytes() if is_opaque else b"")


def opencv_without_alpha(path):
    import cv2

    shown = cv2.imread(path, cv2.IMREAD_COLOR)
    return "-" if shown is None else line(shown.shape, shown.tobytes())


def versions():
    import cv2
    import imageio_ffmpeg
    import PIL
    import pymupdf

    print("Pillow", PIL.__version__, file=answer)
    print("MuPDF", pymupdf.VersionFitz, file=answer)
    print("OpenCV", cv2.__version__, file=answer)
    print("ffmpeg", imageio_ffmpeg.get_ffmpeg_version(), imageio_ffmpeg.get_ffmpeg_exe(), file=answer)


def look(reader, path):
    try:
        return reader(path)
    except Exception:  # whatever it is, the picture is not shown
        return "-"


command, *paths = sys.argv[1:]
answer = os.fdopen(os.dup(1), "w")
for stream in (1, 2):  # libraries print what they think of a file
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
if command == "versions":
    versions()
else:
    reader = {
        "pillow": pillow,
        "pillow-without-alpha": lambda path: pillow(path, "RGB"),
        "mupdf": mupdf,
        "opencv": opencv,
        "opencv-without-alpha": opencv_without_alpha,
    }[command]
    for path in paths:
        print(look(reader, path), file=answer)
