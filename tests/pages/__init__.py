"""The screens, their components and their facts."""
