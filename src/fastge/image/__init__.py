"""Images: scribble, and see the regions.

`colour` (pixels → channels), `graph` (channels → graph), `overlay` (labels → picture), `scribbles`
(strokes → labels), `segmentation` (the result), `segmenter` (the method, stroke after stroke).
"""

from fastge.image.colour import Pixels, lab, read_pixels
from fastge.image.graph import image_graph
from fastge.image.overlay import PALETTE, overlay
from fastge.image.scribbles import Scribbles, read_scribbles
from fastge.image.segmentation import Segmentation
from fastge.image.segmenter import CancelledError, Segmenter, segment

__all__ = [
    "PALETTE",
    "CancelledError",
    "Pixels",
    "Scribbles",
    "Segmentation",
    "Segmenter",
    "image_graph",
    "lab",
    "overlay",
    "read_pixels",
    "read_scribbles",
    "segment",
]
