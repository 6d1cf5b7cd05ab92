# SPDX-License-Identifier: GPL-2.0 OR MIT
# run: --chip p100
# shellcheck shell=sh
#
# A process is killed in mid-submission: its contexts, memory and fences are
# gone, and others work on.
hog_is_killed() {
	at_work /tmp/hog.out hog /dev/tesla0 || return 1
	sleep "0.$1"
	is_killed /tmp/hog.out
}
some_are_killed() {
	for n in 1 3 5 7 9; do
		hog_is_killed $n || return 1
		soon 10 nobody_has 0 || return 1
	done
}
others_work_on() {
	env TEST=share lab01 /dev/tesla0 1 5 >/tmp/lab01.out 2>&1 &
	other=$!
	while kill -0 $other 2>/dev/null; do
		hog_is_killed 1 || return 1
	done
	wait $other || { cat /tmp/lab01.out; return 1; }
}
step "some are killed, one by one" some_are_killed
step "the next one finds all well" lab01 /dev/tesla0
step "their memory is free again" memory_settles some_are_killed
step "others work on while some are killed" others_work_on
step "nobody has it open" soon 10 nobody_has 0
step "the module unloads" rmmod tesla
step "it breaks no rule" rules_broken
step "the kernel is quiet" kernel_is_quiet
end
