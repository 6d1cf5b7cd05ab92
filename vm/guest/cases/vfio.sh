# SPDX-License-Identifier: GPL-2.0 OR MIT
# run: --chip p100 --chip p40 --chip m40 --no-driver --iommu
# shellcheck shell=sh
#
# The same driver in user space: vfio-pci, an IOMMU, DMA by IOVA.  The cards
# go from hand to hand: the module's, a process's, the module's again.
step "the module loads behind an IOMMU" load
step "it works there" lab01 /dev/tesla0
step "it breaks no rule" rules_broken
for card in $(cards); do
	labs_on_vfio "$card"
	step "$card: step by step" lab-vfio --reset-at-close "$card"
	step "$card: that breaks no rule" rules_broken
done
for card in $(cards); do
	step "$card: the module takes it back" give "$card" tesla
done
for n in 0 1 2; do
	step "tesla$n: lab 01" lab01 "/dev/tesla$n"
done
step "it breaks no rule" rules_broken
step "the module unloads" rmmod tesla
step "the kernel is quiet" kernel_is_quiet
end
