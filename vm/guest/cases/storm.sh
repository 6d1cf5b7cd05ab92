# SPDX-License-Identifier: GPL-2.0 OR MIT
# run: --chip p100 --chip m40
# shellcheck shell=sh
#
# The card goes and comes all the time, by sysfs, while processes open it, map,
# cut, fork, and are killed.
card=$(basename "$(readlink -f /sys/class/tesla/tesla0/device)")
driver=/sys/bus/pci/drivers/tesla
gone_by() {
	at_work /tmp/gone.out gone /dev/tesla0 || return 1
	"$@" || return 1
	ends 0 /tmp/gone.out
}
unbind() { echo "$card" >$driver/unbind; }
bind() { echo "$card" >$driver/bind; }
remove() { echo 1 >"/sys/bus/pci/devices/$card/remove"; }
rescan() { echo 1 >/sys/bus/pci/rescan; }
storm_passes() {
	storm /dev/tesla0 "$1" >/tmp/storm.out 2>&1 &
	worker=$!
	times=0
	while kill -0 $worker 2>/dev/null; do
		unbind && sleep 0.1 && bind && sleep 0.4 && remove &&
			sleep 0.1 && rescan && sleep 0.4 || return 1
		times=$((times + 1))
	done
	echo "gone and back $((2 * times)) times"
	ends 0 /tmp/storm.out && [ $times -gt 3 ]
}
step "it is unbound at work" gone_by unbind
step "it is bound again" bind
step "it works" lab01 /dev/tesla0
step "it is removed at work" gone_by remove
step "it is found again" rescan
step "it works again" lab01 /dev/tesla0
step "the other card worked all along" lab01 /dev/tesla1
step "the kernel is quiet" kernel_is_quiet
step "a storm passes" storm_passes 30
step "nobody has it open" soon 10 nobody_has 0
step "it works after it" lab01 /dev/tesla0
step "it costs no memory" memory_settles storm_passes 10
step "the module unloads" rmmod tesla
step "no rule is broken" rules_broken
step "the kernel stays quiet" kernel_is_quiet
end
