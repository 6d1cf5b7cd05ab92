# SPDX-License-Identifier: GPL-2.0 OR MIT
# run: --chip p100 --chip p40
# shellcheck shell=sh
#
# A card is pulled out in the middle of its work, and comes back; then its
# server is killed, so that it only answers with ones.
killed_at_work() {
	at_work /tmp/hog.out hog /dev/tesla1 && host kill 1
}
back() {
	host unplug 1 && host plug 1 && soon 10 test -c /dev/tesla1
}
step "a process works on card 1" at_work /tmp/hog.out hog /dev/tesla1
step "the card is pulled out" host unplug 1
step "the process hears that it is lost" ends 3 /tmp/hog.out
step "its node is gone" soon 5 test ! -e /dev/tesla1
step "the other card works" lab01 /dev/tesla0
step "the card comes back" host plug 1
step "its node is there" soon 10 test -c /dev/tesla1
step "it works" lab01 /dev/tesla1
step "all who wait work on it" at_work /tmp/lost.out lost /dev/tesla1
step "the card is pulled out again" host unplug 1
step "all hear that it is lost" ends 0 /tmp/lost.out
step "it comes back" host plug 1
step "its node is there again" soon 10 test -c /dev/tesla1
step "one with everything mapped works on it" at_work /tmp/gone.out \
	gone /dev/tesla1
step "the card is pulled out once more" host unplug 1
step "parent and child end in peace" ends 0 /tmp/gone.out
step "it comes back once more" host plug 1
step "it has its node" soon 10 test -c /dev/tesla1
step "nothing of this breaks a rule" rules_broken
step "the kernel is quiet" kernel_is_quiet

step "its server is killed while a process works" killed_at_work
step "the process hears that it is lost" ends 3 /tmp/hog.out
step "a new one comes" back
step "all who wait work on it" at_work /tmp/lost.out lost /dev/tesla1 dead
step "its server is killed" host kill 1
step "all hear that it is dead" ends 0 /tmp/lost.out
step "the other card works on" lab01 /dev/tesla0
step "a new one comes" back
step "it works as the first" lab01 /dev/tesla1
step "the module unloads" rmmod tesla
step "no rule is broken" rules_broken
step "the kernel stays quiet" kernel_is_quiet
end
