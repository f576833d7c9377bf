"""Favourite models of a run, and what was written about them."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the columns; the next look at the folders fills them."""
    op.add_column("runs", sa.Column("marked", sa.Integer, nullable=False, server_default="0"))
    op.add_column("runs", sa.Column("notes", sa.Text, nullable=False, server_default=""))


def downgrade() -> None:
    """Drop the columns; the notes stay in the folders."""
    with op.batch_alter_table("runs") as table:
        table.drop_column("notes")
        table.drop_column("marked")
