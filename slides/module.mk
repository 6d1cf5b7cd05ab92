# SPDX-License-Identifier: GPL-2.0 OR MIT
# Decks and pages.  One filter (render.lua), one look (theme.css), two
# templates; everything ends up in one self-contained file each.
#
#   make slides     build/slides/*.html and *.pdf, one deck a lab
#   make html       build/html/*.html: the manual, handouts, hints

# What the manual and the hints say, held against the code.
tests			+= test-manual
test-manual-src		:= slides/test_manual.c
test-manual-libs	:= model
test-manual-ldlibs	:= $(shell pkg-config --libs check)

decks		:= $(patsubst slides/%.md,%,$(wildcard slides/[0-9]*.md))
handouts	:= $(patsubst labs/%/README.md,%,$(wildcard labs/*/README.md))

deck-files	:= $(decks:%=build/slides/%.html)
page-files	:= build/html/manual.html build/html/boundary.html \
		   $(handouts:%=build/html/%.html) \
		   $(handouts:%=build/html/%-hints.html)
npm		:= build/npm/node_modules
render		:= slides/render.lua
render-deps	:= $(render) slides/theme.css build/npm/.done
regdump		:= $(bin)/regdump

slides: $(deck-files) $(deck-files:.html=.pdf)
	@echo "decks: $^"
html: $(page-files)
	@echo "pages: $^"

# What is missing is said once, before anything is made.
build/npm/.done: slides/package.json
	@missing=; for t in pandoc fossil dot chromium node npm; do \
		command -v $$t >/dev/null || missing="$$missing $$t"; done; \
	missing=$$(echo "$$missing" | sed 's/ dot/ graphviz/;s/ node/ nodejs/'); \
	test -z "$$missing" || { \
		echo "slides: install$$missing (apt-get install$$missing)"; \
		exit 1; }
	@mkdir -p $(@D) && cp $< $(@D)/
	@cd $(@D) && npm install --ignore-scripts --no-audit --no-fund \
		--no-package-lock --silent || { \
		echo "slides: npm could not fetch the packages of $<"; exit 1; }
	@touch $@

pandoc := pandoc +RTS -M1g -RTS --self-contained --fail-if-warnings --lua-filter $(render)

build/slides/%.html: slides/%.md slides/deck.html $(render-deps)
	@mkdir -p $(@D)
	$(call quiet,DECK)$(pandoc) -t revealjs -s --template slides/deck.html \
		--slide-level=2 --no-highlight -V revealjs-url=$(npm)/reveal.js \
		-o $@ $<
build/slides/%.pdf: build/slides/%.html slides/print.mjs
	$(call quiet,PDF)node slides/print.mjs $< $@

page = $(pandoc) -t html5 -s --template slides/page.html --toc \
	--metadata-file slides/pages.yaml -o $@
# The manual's appendix is the register tables.
build/html/appendix.md: $(regdump)
	@mkdir -p $(@D)
	@{ printf '\n\n## Appendix: registers\n\n'; \
	   for t in $$($< list); do \
		printf '\n### %s\n' "$$t.def"; $< md $$t || exit 1; \
	   done; } > $@
build/html/manual.html: vm/spec/manual.md build/html/appendix.md \
		slides/page.html slides/pages.yaml $(render-deps)
	$(call quiet,PAGE)$(page) --toc-depth=3 \
		-M title="The card: a programmer's manual" \
		vm/spec/manual.md build/html/appendix.md
build/html/%.html: labs/%/README.md slides/page.html slides/pages.yaml \
		$(render-deps)
	@mkdir -p $(@D)
	$(call quiet,PAGE)$(page) --toc-depth=3 -M manual=manual.html $<
build/html/%.html: labs/%.md slides/page.html slides/pages.yaml \
		$(render-deps)
	@mkdir -p $(@D)
	$(call quiet,PAGE)$(page) --toc-depth=2 -M manual=manual.html $<
build/html/%-hints.html: labs/%/hints.md slides/page.html slides/pages.yaml \
		$(render-deps)
	@mkdir -p $(@D)
	$(call quiet,PAGE)$(page) --toc-depth=2 -M manual=manual.html $<

.PHONY: slides html
