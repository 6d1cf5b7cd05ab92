# SPDX-License-Identifier: GPL-2.0 OR MIT
# Documents: Doxygen here; decks and handouts in slides/.

# Warnings are errors, but for members of structures whose names say it all.
docs:
	@sh $(tools)/doctor --quiet docs
	@mkdir -p build/docs
	@doxygen $(tools)/Doxyfile
	@! grep -v 'Member .* (variable) of struct' build/docs/warnings
	@echo build/docs/html/index.html

.PHONY: docs
