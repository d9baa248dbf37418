"""The page on which images are segmented while they are painted on: `fastge paint`.

Reading order: `limits`, `guard` (who may ask), `document` (classes, strokes, undo), `drawing`
(strokes → pixels), `solver` (pixels → segmentation), `workers` (threads and memory), `protocol`
(messages), `pages` (who looks), `session` (one image and those who look at it), `sessions` (all
of them), `downloads`, `server` (addresses), `run`.
"""
