"""What stands in the documents of libraries that fuse documents."""

#: About the length of a retrieved passage; ids go in front, so that no two are equal.
PASSAGE = " " + 4 * (
    "Several retrievers answer one question, each with passages of a few hundred characters, and "
    "each holds its own copy of what it found. "
)
