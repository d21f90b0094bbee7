"""The command `deciduous`. One file a sub-command: one library call plus printing."""

from deciduous.cli.app import main

__all__ = ["main"]
