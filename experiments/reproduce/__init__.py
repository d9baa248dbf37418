"""Every figure of the FAST-GE paper, measured again: `make reproduce`.

Reading order: `schema` (a run and its record), `cases` (data), `worker` (one run in a process of
its own), `store` (results/*.json), `runs` (which runs a figure wants, and carrying them out),
`verdicts` (the paper's claims against the records), `figures` (one file per figure of the paper),
`report` (the page).
"""
