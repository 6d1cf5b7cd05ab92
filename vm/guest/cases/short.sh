# SPDX-License-Identifier: GPL-2.0 OR MIT
# run: --chip p100 --chip m40 --no-driver --iommu
# shellcheck shell=sh
#
# For make check: a little of everything.
step "the module loads" load
step "tesla0: lab 01" lab01 /dev/tesla0
step "tesla1: lab 03" env TEST=every lab03 /dev/tesla1
step "that breaks no rule" rules_broken
step "a process works" at_work /tmp/hog.out hog /dev/tesla0
step "it is killed" is_killed /tmp/hog.out
step "nobody has the card open" soon 10 nobody_has 0
step "tesla0: lab 02" env TEST=fault lab02 /dev/tesla0
step "that breaks what it means to" rules_broken RULE_MMU_FAULT
step "the module unloads" rmmod tesla
card=$(cards | head -n 1)
step "vfio-pci takes a card" give "$card" vfio-pci
step "the driver works over VFIO" lab-vfio --reset-at-close "$card"
step "no rule is broken" rules_broken
step "the kernel is quiet" kernel_is_quiet
end
