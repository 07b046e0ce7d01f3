"""What optimisers from PyPI make of an image: python3 optimise.py IN OUT [strip]"""

import sys

source, target, *how = sys.argv[1:]
if source.endswith(".png"):
    import oxipng

    strip = oxipng.StripChunks.all() if how == ["strip"] else oxipng.StripChunks.none()
    oxipng.optimize(source, target, strip=strip, force=True)
else:
    from mozjpeg_lossless_optimization import optimize

    with open(source, "rb") as file:
        data = optimize(file.read())
    with open(target, "wb") as file:
        file.write(data)
