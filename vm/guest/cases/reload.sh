# SPDX-License-Identifier: GPL-2.0 OR MIT
# run: --chip p100 --chip m40 --no-driver
# shellcheck shell=sh
#
# Loading and unloading, with work in flight, until a leak would show.
refused() { ! "$@"; }
round() {
	load || return 1
	at_work /tmp/hog.out hog /dev/tesla0 || return 1
	# in use: the module stays, and a card may go all the same
	refused rmmod tesla || return 1
	card=$(basename "$(readlink -f /sys/class/tesla/tesla0/device)")
	echo "$card" >/sys/bus/pci/drivers/tesla/unbind
	ends 3 /tmp/hog.out || return 1
	lab01 /dev/tesla1 || return 1
	rmmod tesla
}
rounds() { round && round; }
nothing_is_left() {
	! grep -i tesla /proc/iomem /proc/interrupts /proc/devices \
		/proc/modules
}
step "it is loaded, used, taken from work, unloaded" rounds
step "the memory is free again" memory_settles rounds
step "nothing of it is left" nothing_is_left
step "no rule is broken" rules_broken
step "the kernel is quiet" kernel_is_quiet
end
