# SPDX-License-Identifier: GPL-2.0 OR MIT
# vm/guest: a Linux guest for the card, from Debian's packages.

programs	+= guest-qmp
guest-qmp-src	:= vm/guest/qmp.c
guest-qmp-ldlibs := -lcjson
