# SPDX-License-Identifier: GPL-2.0 OR MIT
# run: --chip p100 --chip p40 --chip m40 --no-driver --iommu --additions off
# shellcheck shell=sh
#
# The purely documented card: without additions, by node and by VFIO.
step "the module loads" load
for n in 0 1 2; do
	labs_on_node $n
done
step "the module unloads" rmmod tesla
for card in $(cards); do
	labs_on_vfio "$card"
done
end
