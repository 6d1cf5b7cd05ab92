# SPDX-License-Identifier: GPL-2.0 OR MIT
# The card over vfio-user, for stock QEMU.
server-dir	:= vm/server
server-code	:= message version connection maps guard dma irq region \
		   device clock report arena trial server

libs		+= server
server-src	:= $(server-code:%=$(server-dir)/%.c)
server-ldlibs	:= -lcjson

# The card once more, in memory that knows a way back: arena.c.
libs		+= model-arena
model-arena-src	:= $(model-src)
model-arena-cflags := -Dmalloc=arena_malloc -Dcalloc=arena_calloc \
		   -Drealloc=arena_realloc -Dfree=arena_free

programs	+= tesla-server
tesla-server-src := $(addprefix $(server-dir)/,main.c options.c listen.c)
tesla-server-libs := server model-arena

# Tests: of each part, of a server with a client in the same process, and of
# the program.
define server-test
tests			+= test-server-$(1)
test-server-$(1)-src	:= $(server-dir)/test_$(1).c $(2)
test-server-$(1)-libs	:= server model-arena
test-server-$(1)-ldlibs	:= $(shell pkg-config --libs check)
endef
$(eval $(call server-test,message))
$(eval $(call server-test,maps))
$(eval $(call server-test,arena))
$(eval $(call server-test,device,$(server-dir)/test_client.c))
$(eval $(call server-test,irq,$(server-dir)/test_client.c))
$(eval $(call server-test,dma,$(server-dir)/test_client.c))
$(eval $(call server-test,trial,$(server-dir)/test_client.c))
$(eval $(call server-test,life,$(server-dir)/test_client.c))
$(eval $(call server-test,faults,$(server-dir)/test_client.c $(server-src)))
test-server-faults-libs := model-arena
test-server-faults-cflags := -Dmalloc=faulty_malloc -Drealloc=faulty_realloc
test-server-faults-ldlibs += -lcjson
$(eval $(call server-test,program))
test-server-program-deps := $(bin)/tesla-server
test-server-program-cflags = -DSERVER='"$(bin)/tesla-server"'

# The parser and the server once more, for libFuzzer: reference/tools/fuzz.
# A step of make check, always the same inputs; and a minute of new ones.
fuzz-messages-dir := reference/tools/fuzz
fuzz-messages-sanitize := -fsanitize=address,undefined \
		   -fno-sanitize-recover=all
programs	+= fuzz-messages
fuzz-messages-src := $(fuzz-messages-dir)/messages.c $(server-src)
fuzz-messages-libs := model-arena
fuzz-messages-cc := clang
fuzz-messages-cflags := -fsanitize=fuzzer-no-link $(fuzz-messages-sanitize) \
		   -Wno-missing-field-initializers
fuzz-messages-ldlibs := -fsanitize=fuzzer $(fuzz-messages-sanitize) -lcjson
fuzz-messages-skip := asan clang release debug
fuzz-messages-corpus := $(fuzz-messages-dir)/corpus/messages
ifeq ($(V),default)
check-steps	+= fuzz-messages
fuzz-messages-command := rm -rf build/fuzz/messages-check && \
		   mkdir -p build/fuzz/messages-check && \
		   $(bin)/fuzz-messages -runs=20000 -seed=1 -max_len=512 \
		   -timeout=60 -artifact_prefix=build/fuzz/ \
		   build/fuzz/messages-check $(fuzz-messages-corpus)
endif

fuzz: fuzz-of-messages
fuzz-of-messages: $(bin)/fuzz-messages
	@mkdir -p build/fuzz/messages
	$(bin)/fuzz-messages -max_total_time=60 -max_len=2048 -len_control=0 \
		-timeout=60 -artifact_prefix=build/fuzz/ \
		build/fuzz/messages $(fuzz-messages-corpus)
.PHONY: fuzz-of-messages
