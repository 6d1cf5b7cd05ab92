# SPDX-License-Identifier: GPL-2.0 OR MIT
# run: --chip p100 --chip p40 --chip m40 --no-driver
# shellcheck shell=sh
#
# All three cards at once, and every lab's program on each node.
step "the module loads" load
step "each card has its node" test -c /dev/tesla0 -a -c /dev/tesla1 \
	-a -c /dev/tesla2
for n in 0 1 2; do
	labs_on_node $n
	step "tesla$n: the boundary" boundary "/dev/tesla$n"
	step "tesla$n: a program of 32 bits" compat32 "/dev/tesla$n"
	step "tesla$n: the boundary breaks no rule" rules_broken
done
step "tesla-info tells of all" tesla-info
step "the kernel is quiet so far" kernel_is_quiet
step "nobody gets more than is theirs" bounds /dev/tesla0
# who was killed for it is in the log, with a trace
dmesg -c >/tmp/dmesg
at_once() {
	for n in 0 1 2; do
		lab01 /dev/tesla$n >/tmp/lab01.$n 2>&1 || touch /tmp/bad &
	done
	wait
	cat /tmp/lab01.?
	[ ! -e /tmp/bad ]
}
step "three cards work at once" at_once
step "the module unloads" rmmod tesla
step "no node is left" test ! -e /dev/tesla0
step "it breaks no rule" rules_broken
step "the kernel is quiet" kernel_is_quiet
end
