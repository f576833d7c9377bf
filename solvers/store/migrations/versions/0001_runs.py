"""The first form of the index."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the table of runs."""
    op.create_table(
        "runs",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("folder", sa.String(255), nullable=False, unique=True),
        sa.Column("owner", sa.String(255), nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("name", "title", "outcome")),
        sa.Column("method", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("size", sa.Text, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("rows", "features", "wishes")),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("status", sa.String(16)),
        *(sa.Column(name, sa.Float) for name in ("cost", "bound")),
        *(sa.Column(name, sa.Integer) for name in ("errors", "questions")),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("starred", sa.Boolean, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("comment", "error")),
        sa.Column("task", sa.String(64), nullable=False),
        sa.Column("deleted", sa.DateTime),
    )
    op.create_index("runs_by_owner", "runs", ["owner", "deleted", "created"])


def downgrade() -> None:
    """Drop the table; the folders of the runs stay."""
    op.drop_table("runs")
