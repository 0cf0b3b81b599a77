"""pandas: its hash table numbers the ids, NumPy does the rest. For integer arrays only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from benches.python.by_hand import Columns, by_score


def rrf(arrays: Sequence[npt.NDArray[np.int64]]) -> Columns:
    codes, ids = pd.factorize(np.concatenate(arrays))
    return by_score(ids, codes, arrays)
