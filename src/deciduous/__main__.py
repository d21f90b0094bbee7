"""`python -m deciduous` is the command `deciduous`."""

from deciduous.cli import main

raise SystemExit(main())
