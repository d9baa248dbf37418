"""python -m reproduce"""

import os
import sys

# Processes of single runs import this file, too: it must stay light.
if __name__ == "__main__":
    # Everybody computes on one thread unless told otherwise: said before any library is loaded.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    from reproduce.command import main

    sys.exit(main())
