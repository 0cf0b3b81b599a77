"""The oracle: what every operation means, in plain Python that is slow and obvious.

Nothing here imports the library. Arithmetic is exact (`fractions.Fraction`, `math.fsum`, a wide
`decimal` context), so an oracle value neither overflows nor vanishes on its way, and only the last
step rounds to a float. The tests hold the fast code against these functions.
"""
