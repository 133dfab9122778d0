"""What procurement takes as given: the CPV 2008 vocabulary, the Spanish provinces, country codes and accent folding.

Values only, read from package data on first use; the room imports the standard library and nothing of ours. Ask the
modules: ``workbench.reference.cpv``, ``.provinces``, ``.countries`` and ``.text``. The sources and their terms are in
``data/NOTICE.txt``; ``build`` makes the vocabulary's data again.
"""
