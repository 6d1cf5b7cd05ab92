# SPDX-License-Identifier: GPL-2.0 OR MIT
# shellcheck shell=sh
#
# What the cases share.  A case is a script that runs in the guest, behind
# this one; a line "# run:" names the options that run is given.  It prints a
# line for each step, "ok STEP" or "FAIL STEP", the latter with what the step
# said, and ends with the status of `end`.
failed=0
cd /tmp || exit 1

# step NAME COMMAND…
step() {
	name=$1
	shift
	"$@" >/tmp/step.out 2>&1
	status=$?
	if [ $status = 0 ]; then
		echo "ok $name"
		return 0
	fi
	echo "FAIL $name (status $status)"
	tail -n 60 /tmp/step.out | sed 's/^/  | /'
	failed=1
	return 1
}
end() { exit $failed; }

# What no well-behaved driver causes, since this was last asked.
complaints='WARNING:|BUG:|Oops|general protection|Call Trace|Bad page|hung'
complaints="$complaints|refcount_t|corruption|sleeping function|DMAR:.*fault"
complaints="$complaints|irq .*: nobody cared|use-after-free|leak|stall"
kernel_is_quiet() {
	dmesg -c >/tmp/dmesg
	! grep -vE 'kmemleak|RETBleed|Spectre' /tmp/dmesg |
		grep -A 25 -E "$complaints"
}

# rules_broken [RULE…]: that the cards saw just these rules broken since this
# was last asked, whatever the number; none without a name.
rules_broken() {
	host violations >/tmp/rules || return 1
	cat /tmp/rules
	grep -oE 'RULE_[A-Z0-9_]+' /tmp/rules | sort -u >/tmp/seen
	for rule; do
		echo "$rule"
	done | sort -u >/tmp/meant
	cmp -s /tmp/seen /tmp/meant || {
		echo "rules broken: $(xargs </tmp/seen); meant: $*"
		return 1
	}
}

# The cards' addresses.
cards() {
	grep -l 0x10de /sys/bus/pci/devices/*/vendor |
		sed 's|/vendor||; s|.*/||'
}
load() { insmod /lib/modules/tesla.ko "$@"; }
# Up to $1 seconds for a command to succeed.
soon() {
	tries=$(($1 * 5))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.2
	done
}

# give ADDRESS DRIVER: from whatever has it.
give() {
	at=/sys/bus/pci/devices/$1
	[ ! -e "$at/driver" ] || echo "$1" >"$at/driver/unbind"
	echo "$2" >"$at/driver_override"
	echo "$1" >/sys/bus/pci/drivers_probe
	[ "$(basename "$(readlink -f "$at/driver")")" = "$2" ]
}

# at_work LOG COMMAND…: in the background, up to where it says that it works.
at_work() {
	log=$1
	shift
	# what an earlier one said is not what this one says
	rm -f "$log"
	"$@" >"$log" 2>&1 &
	worker=$!
	soon 30 grep -qE "working|ready" "$log"
}
# ends STATUS LOG: how the one at work ends, and what it said.
ends() {
	wait "$worker"
	ended=$?
	cat "$2"
	[ $ended = "$1" ]
}
# is_killed LOG: the one at work.
is_killed() {
	kill -9 "$worker"
	ends 137 "$1"
}

openers() { cat "/sys/class/tesla/tesla$1/openers"; }
nobody_has() { [ "$(openers "$1")" = 0 ]; }
# What is free when nothing waits to be freed, kB.
free_kb() {
	sleep 1
	echo 3 >/proc/sys/vm/drop_caches
	sed -n 's/^MemFree: *\([0-9]*\) .*/\1/p' /proc/meminfo
}
# memory_settles COMMAND…: that it costs no memory to run it once more.  Not
# the first times, as the kernel keeps some for later; a leak goes on and on.
memory_settles() {
	before=$(free_kb)
	for _ in 1 2 3 4 5; do
		"$@" || return 1
		after=$(free_kb)
		echo "free before: $before kB, after: $after kB"
		[ $((before - after)) -gt 128 ] || return 0
		before=$after
	done
	return 1
}

# The labs' programs on node $1, and what rules they break on purpose: they
# look at faults.
labs_on_node() {
	step "tesla$1: lab 01" lab01 "/dev/tesla$1"
	step "tesla$1: lab 01 breaks no rule" rules_broken
	step "tesla$1: lab 02" lab02 "/dev/tesla$1"
	step "tesla$1: lab 02 breaks what it means to" rules_broken \
		RULE_MMU_FAULT RULE_MMU_READ_ONLY
	step "tesla$1: lab 03" lab03 "/dev/tesla$1"
	step "tesla$1: lab 03 breaks what it means to" rules_broken \
		RULE_MMU_FAULT RULE_METHOD_HOST
	step "tesla$1: nobody has it open" soon 5 nobody_has "$1"
	step "tesla$1: the kernel is quiet" kernel_is_quiet
}
labs_on_vfio() {
	step "$1: vfio-pci takes it" give "$1" vfio-pci
	step "$1: lab 01 over VFIO" lab01-vfio "vfio:$1"
	step "$1: lab 01 breaks no rule" rules_broken
	step "$1: lab 02 over VFIO" lab02-vfio "vfio:$1"
	step "$1: lab 02 breaks what it means to" rules_broken \
		RULE_MMU_FAULT RULE_MMU_READ_ONLY
	step "$1: lab 03 over VFIO" lab03-vfio "vfio:$1"
	step "$1: lab 03 breaks what it means to" rules_broken \
		RULE_MMU_FAULT RULE_METHOD_HOST
	step "$1: the kernel is quiet" kernel_is_quiet
}
