# What figures.sh has drawn: sizes, sizes of text, fonts.
import re
import zlib

POINTS = {"column": 334 * 0.75, "page": 685 * 0.75}


def plain(path):
    """A PDF with its streams inflated."""
    data = open(path, "rb").read()
    assert data.startswith(b"%PDF-"), path
    out = [data]
    for match in re.finditer(rb"stream\r?\n", data):
        try:
            out.append(zlib.decompressobj().decompress(data[match.end():]))
        except zlib.error:
            pass
    return b"\n".join(out)


for name, points in POINTS.items():
    svg = open(name + ".svg").read()
    width = float(re.search(r'<svg[^>]* width="([\d.]+)"', svg).group(1))
    assert width * 0.75 == points, (name, width)
    sizes = {float(px) * 0.75 for px in re.findall(r'font-size="([\d.]+)px"', svg)}
    assert sizes and min(sizes) >= 6.9 and max(sizes) <= 8.1, sizes
    assert svg.count("<pattern ") == 1, "the second series is hatched"
    for pdf in (name + ".pdf", name + "-facets.pdf"):
        text = plain(pdf)
        box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+)", text)
        assert abs(float(box.group(1)) - points) < 0.6, (pdf, box.group(0))
        assert b"/FontFile" in text, pdf + " has no font in it"
        assert b"/Type3" not in text, pdf
    # Patterns are no pictures.
    assert b"/Subtype /Image" not in plain(name + ".pdf"), name
print("figures: 2 widths, SVG and PDF")
