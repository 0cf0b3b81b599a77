"""Fuse two rankings of your own, and see why each document stands where it does."""

import rankmeld as rm

# What two retrievers answered: ids and scores, best first. Their scores need not be comparable.
bm25 = [("install", 14.2), ("upgrade", 11.7), ("changelog", 3.1)]
dense = [("quickstart", 0.83), ("install", 0.79), ("upgrade", 0.42)]

fused = rm.rrf([rm.Source("bm25", bm25), rm.Source("dense", dense)])

for hit in fused:
    print(f"{hit.score:.5f}  {hit.id}")

print()
print(fused.explain("install"))
