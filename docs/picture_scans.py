"""Scans for the documentation's pictures: docs/picture_scans.py mri SCAN OUT | labels PHANTOM OUT.

mri cuts everything below the forehead off an MRI of a head, so that no picture shows a person's face. labels makes a label
map of the head phantom, with its names beside it. Both read and write gzip-compressed little-endian NIfTI-1 of int16."""

import array
import gzip
import struct
import sys
from pathlib import Path

KEPT = 0.46  # of the height of the scan, from above: brain without eyes, nose and mouth


def read(path):
    data = gzip.decompress(Path(path).read_bytes())
    size = struct.unpack_from("<3h", data, 42)
    begin = int(struct.unpack_from("<f", data, 108)[0])
    if struct.unpack_from("<ih", data, 0)[0] != 348 or struct.unpack_from("<h", data, 70)[0] != 4:
        sys.exit(f"{path}: must be little-endian NIfTI-1 of int16")
    voxels = array.array("h")
    voxels.frombytes(data[begin : begin + 2 * size[0] * size[1] * size[2]])
    return bytearray(data[:352]), size, voxels


def write(path, header, voxels):
    struct.pack_into("<f", header, 108, 352)
    header[348:352] = bytes(4)  # no extensions
    Path(path).write_bytes(gzip.compress(bytes(header) + voxels.tobytes(), 5))


def mri(source, target):
    header, size, voxels = read(source)
    if struct.unpack_from("<h", header, 254)[0] <= 0:
        sys.exit(f"{source}: must have a sform")
    rows = [list(struct.unpack_from("<4f", header, 280 + 16 * row)) for row in range(3)]
    axis = max(range(3), key=lambda a: abs(rows[2][a]))  # the one that runs most from inferior to superior
    kept = round(KEPT * size[axis])
    first = size[axis] - kept if rows[2][axis] > 0 else 0
    new = list(size)
    new[axis] = kept
    start = [first if a == axis else 0 for a in range(3)]
    out = array.array("h")
    for k in range(start[2], start[2] + new[2]):
        for j in range(start[1], start[1] + new[1]):
            row = size[0] * (j + size[1] * k) + start[0]
            out.extend(voxels[row : row + new[0]])
    struct.pack_into("<3h", header, 42, *new)
    struct.pack_into("<h", header, 252, 0)  # the qform would have to be moved, too
    for row in rows:
        row[3] += row[axis] * first
    struct.pack_into("<12f", header, 280, *(value for row in rows for value in row))
    write(target, header, out)


def labels(source, target):
    header, size, voxels = read(source)
    spacing = struct.unpack_from("<3f", header, 80)
    middle = [n / 2 for n in size]

    def within(i, j, k, center, radii):
        return sum(((at - c) * s / r) ** 2 for at, c, s, r in zip((i, j, k), center, spacing, radii)) < 1

    tumour = (middle[0] - 26, middle[1] + 6, middle[2] + 6)
    out = array.array("B", bytes(len(voxels)))
    for k in range(size[2]):
        for j in range(size[1]):
            row = size[0] * (j + size[1] * k)
            for i in range(size[0]):
                value = voxels[row + i]
                if within(i, j, k, tumour, (11, 11, 11)):
                    out[row + i] = 3
                elif within(i, j, k, tumour, (22, 20, 19)) and i > tumour[0]:  # the half that does not hide it in 3D
                    out[row + i] = 2
                elif value >= 500 and k < middle[2] - 8:
                    out[row + i] = 4
                elif i > middle[0] and -20 <= value <= 90 and within(i, j, k, (middle[0], middle[1] - 4, middle[2] + 14), (70, 80, 52)):
                    out[row + i] = 1
    struct.pack_into("<2h", header, 70, 2, 8)
    struct.pack_into("<2f", header, 112, 1, 0)
    write(target, header, out)
    Path(target.removesuffix(".nii.gz") + ".txt").write_text(
        "1 Right hemisphere 90 140 240 0\n2 Oedema 80 200 90 0\n3 Tumour 230 70 70 0\n4 Bone 235 220 170 0\n")


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("mri", "labels"):
        sys.exit(__doc__)
    {"mri": mri, "labels": labels}[sys.argv[1]](sys.argv[2], sys.argv[3])
