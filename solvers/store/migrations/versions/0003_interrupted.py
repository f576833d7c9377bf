"""Whether a run was interrupted, which only its error said before."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_ERROR = "The run was interrupted before its end (the program was closed)."


def upgrade() -> None:
    """Add the column, filled from the errors."""
    op.add_column("runs", sa.Column("interrupted", sa.Boolean, nullable=False, server_default="0"))
    runs = sa.table("runs", sa.column("error", sa.Text), sa.column("interrupted", sa.Boolean))
    op.execute(runs.update().where(runs.c.error.startswith(_ERROR)).values(interrupted=True))


def downgrade() -> None:
    """Drop the column; the errors say the same."""
    with op.batch_alter_table("runs") as table:
        table.drop_column("interrupted")
