"""Statements: identifiers quoted, parameters always bound."""

from __future__ import annotations

from psycopg import sql

__all__ = ["Names"]

#: The tables of a store.
_TABLES = ("store", "sources", "documents", "vectors")

#: Its indexes that people may see in a plan or in an error.
_INDEXES = ("words", "attributes", "created", "source", "hnsw")


class Names:
    """The names of one store's tables, to be filled into statements.

    Parameters
    ----------
    schema, prefix : str
        Where the tables are, and how their names begin.
    extension : str, optional
        The schema that pgvector is installed in. Types and operators are named with it, so that a
        ``search_path`` neither hides nor replaces them.
    """

    def __init__(self, schema: str, prefix: str, extension: str = "public") -> None:
        self.schema = schema
        self.prefix = prefix
        self.extension = extension
        self._filled: dict[str, sql.Composable] = {
            "schema": sql.Identifier(schema),
            "vector": sql.Identifier(extension, "vector"),
            "halfvec": sql.Identifier(extension, "halfvec"),
            "vector_dims": sql.Identifier(extension, "vector_dims"),
            "l2_normalize": sql.Identifier(extension, "l2_normalize"),
            "away": sql.SQL("OPERATOR({}.<=>)").format(sql.Identifier(extension)),
            **{name: sql.Identifier(schema, prefix + name) for name in _TABLES},
            # An index is named without its schema where it is made: it is always that of its table.
            **{f"{name}_index": sql.Identifier(f"{prefix}documents_{name}") for name in _INDEXES},
            "hnsw_index": sql.Identifier(f"{prefix}vectors_hnsw"),
            "hnsw": sql.Identifier(schema, f"{prefix}vectors_hnsw"),
        }

    def table(self, name: str) -> str:
        """The bare name of a table."""
        return self.prefix + name

    def fill(self, text: str, **more: sql.Composable) -> sql.Composed:
        """Make a statement.

        Parameters
        ----------
        text : str
            With ``{documents}`` and so on for names, and ``%s`` for parameters.
        **more
            Parts of the statement that it names besides.
        """
        return sql.SQL(text).format(**self._filled, **more)
