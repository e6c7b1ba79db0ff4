#!/bin/sh
# Fetches real data for the examples into target/data: two photographs, a word list, measurements.
#
#   camera.pgm, astronaut.pgm   512 x 512 photographs out of the scikit-image wheel (PyPI): CC0 by Lav Varshney; NASA, public domain
#   words                       word list of Debian's package wamerican (public domain and permissive, see its copyright file)
#   novel.txt                   Jane Austen, Pride and Prejudice (1813, public domain), out of Debian's package r-cran-janeaustenr
#   wine.csv                    178 wines, 13 measurements, out of the scikit-learn wheel (PyPI): UCI wine data, CC BY 4.0
#
# Needs python3 with pip; word list and novel also need apt-get and dpkg-deb, but neither root nor an installation. What is there
# already is kept.
set -eu
cd "$(dirname "$0")/.."
data=target/data
mkdir -p "$data"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

wheel() { # wheel PACKAGE: downloads it to $work/PACKAGE
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: -d "$work/$1" "$1"
}

if [ ! -s "$data/camera.pgm" ] || [ ! -s "$data/astronaut.pgm" ]; then
    wheel scikit-image
    python3 - "$work/scikit-image" "$data" camera astronaut <<'EOF'
import glob, os, struct, sys, zipfile, zlib

def grey(png):
    """Width, height and grey pixels of a PNG image with 8 bits a sample, not interlaced."""
    at, packed = 8, b''
    while at < len(png):
        size, kind = struct.unpack('>I4s', png[at:at + 8])
        body = png[at + 8:at + 8 + size]
        if kind == b'IHDR':
            width, height, depth, colour, _, _, interlaced = struct.unpack('>IIBBBBB', body)
            samples = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
            assert depth == 8 and not interlaced
        elif kind == b'IDAT':
            packed += body
        at += size + 12
    rows, stride = zlib.decompress(packed), width * samples
    above, pixels = bytearray(stride), bytearray()
    for y in range(height):
        method, row = rows[y * (stride + 1)], bytearray(rows[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            a, b = (row[x - samples] if x >= samples else 0), above[x]
            c = above[x - samples] if x >= samples else 0
            if method == 1:
                guess = a
            elif method == 2:
                guess = b
            elif method == 3:
                guess = (a + b) // 2
            elif method == 4:
                pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
                guess = a if pa <= pb and pa <= pc else b if pb <= pc else c
            else:
                guess = 0
            row[x] = (row[x] + guess) & 255
        for x in range(0, stride, samples):
            # Rec. 601 luma for colour images.
            pixels.append((299 * row[x] + 587 * row[x + 1] + 114 * row[x + 2]) // 1000 if samples > 2 else row[x])
        above = row
    return width, height, pixels

folder, data, *names = sys.argv[1:]
archive = zipfile.ZipFile(glob.glob(folder + '/*.whl')[0])
for name in names:
    width, height, pixels = grey(archive.read(f'skimage/data/{name}.png'))
    with open(f'{data}/{name}.pgm.part', 'wb') as out:
        out.write(b'P5\n%d %d\n255\n' % (width, height) + pixels)
    os.replace(f'{data}/{name}.pgm.part', f'{data}/{name}.pgm')
EOF
fi

if [ ! -s "$data/wine.csv" ]; then
    wheel scikit-learn
    python3 - "$work/scikit-learn" "$data" <<'EOF'
import glob, os, sys, zipfile

names = ('alcohol,malic_acid,ash,alcalinity_of_ash,magnesium,total_phenols,flavanoids,nonflavanoid_phenols,'
         'proanthocyanins,color_intensity,hue,od280_od315,proline,class')
folder, data = sys.argv[1:]
archive = zipfile.ZipFile(glob.glob(folder + '/*.whl')[0])
# The first line holds counts and class names instead of a header.
lines = archive.read('sklearn/datasets/data/wine_data.csv').decode().split('\n')[1:]
with open(data + '/wine.csv.part', 'w') as out:
    out.write('\n'.join([names] + lines))
os.replace(data + '/wine.csv.part', data + '/wine.csv')
EOF
fi

if [ ! -s "$data/words" ]; then
    if [ -s /usr/share/dict/american-english ]; then
        cp /usr/share/dict/american-english "$data/words"
    else
        (cd "$work" && apt-get -o APT::Sandbox::User=root download --quiet --quiet wamerican && dpkg-deb -x wamerican_*.deb words)
        cp "$work/words/usr/share/dict/american-english" "$data/words"
    fi
fi

if [ ! -s "$data/novel.txt" ]; then
    (cd "$work" && apt-get -o APT::Sandbox::User=root download --quiet --quiet r-cran-janeaustenr && dpkg-deb -x r-cran-janeaustenr_*.deb novel)
    python3 - "$work/novel/usr/lib/R/site-library/janeaustenr/data/Rdata.rdb" "$data/novel.txt" <<'EOF'
import os, struct, sys, zlib

# R's lazy-loading database: blocks of zlib, each after four bytes of length; a string has four bytes of flags and four of length.
packed, out = sys.argv[1:]
rest = open(packed, 'rb').read()
while rest:
    unpack = zlib.decompressobj()
    data, rest = unpack.decompress(rest[4:]), unpack.unused_data
    if b'PRIDE AND PREJUDICE' not in data:
        continue
    lines, at = [], data.find(b'\x00\x04\x00\x09')
    while at >= 0:
        size = struct.unpack('>i', data[at + 4:at + 8])[0]
        lines.append(data[at + 8:at + 8 + size])
        at = data.find(b'\x00\x04\x00\x09', at + 8 + size)
    with open(out + '.part', 'wb') as text:
        text.write(b'\n'.join(lines) + b'\n')
    os.replace(out + '.part', out)
EOF
fi
ls -l "$data"
