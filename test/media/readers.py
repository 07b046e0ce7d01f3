"""What readers from PyPI show of pictures: python3 readers.py <reader> FILE...

A line for each file: its size and SHA-256 of its samples, or "-" if it is refused. `versions` prints a line for each
reader: its name, its version and, of ffmpeg, where the program is.
"""

import hashlib
import io
import os
import sys
import warnings

warnings.simplefilter("ignore")  # about odd metadata


def line(size, *parts):
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part)
    return f"{size} {whole.hexdigest()[:16]}"


def pillow(path):
    from PIL import Image, ImageCms, ImageOps

    with Image.open(path) as image:
        frames = getattr(image, "n_frames", 1)
        image.load()
        profile = image.info.get("icc_profile")
        shown = ImageOps.exif_transpose(image)
        if profile and shown.mode == "RGB":
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            shown = ImageCms.profileToProfile(shown, source, ImageCms.createProfile("sRGB"))
        return line(f"{frames} {shown.size}", shown.convert("RGBA").tobytes())


def mupdf(path):
    import pymupdf

    with pymupdf.open(path) as document:
        page = document[0]
        plain = pymupdf.Pixmap(path)
        # A page is as large as the resolution says; what is compared is the picture, one sample for each.
        scale = max(plain.width, plain.height) / max(page.rect.width, page.rect.height)
        shown = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=True)
        whole = plain if plain.alpha else pymupdf.Pixmap(plain, 1)
        return line(f"{len(document)} {shown.width} {shown.height}", shown.samples, whole.samples)


def opencv(path):
    import cv2

    shown, whole = (cv2.imread(path, flag) for flag in (cv2.IMREAD_COLOR, cv2.IMREAD_UNCHANGED))
    if shown is None or whole is None:
        return "-"
    if len(whole.shape) == 3 and whole.shape[2] == 3:
        whole = cv2.cvtColor(whole, cv2.COLOR_BGR2BGRA)
    return line(shown.shape, shown.tobytes(), whole.tobytes())


def versions():
    import cv2
    import imageio_ffmpeg
    import PIL
    import pymupdf

    print("Pillow", PIL.__version__)
    print("MuPDF", pymupdf.VersionFitz)
    print("OpenCV", cv2.__version__)
    print("ffmpeg", imageio_ffmpeg.get_ffmpeg_version(), imageio_ffmpeg.get_ffmpeg_exe())


def look(reader, path):
    try:
        return reader(path)
    except Exception:  # whatever it is, the picture is not shown
        return "-"


command, *paths = sys.argv[1:]
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # libraries print what they think of a file
if command == "versions":
    versions()
else:
    reader = {"pillow": pillow, "mupdf": mupdf, "opencv": opencv}[command]
    answers = [look(reader, path) for path in paths]
    print("\n".join(answers))
