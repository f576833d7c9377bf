"""How alembic reaches the index: over the connection that `RunIndex.upgrade` hands it."""

from alembic import context

from solvers.store.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
