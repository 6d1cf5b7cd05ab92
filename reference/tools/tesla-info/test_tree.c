/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The tree is made from the model: configuration space and registers are what
 * the card says, so tesla-info is tried on the card that it is for.
 */
#define _GNU_SOURCE
#include <check.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test_tree.h"
#include "reference/bus/direct/direct.h"
#include "vm/spec/reg.h"

#define BELOW	"devices/pci0000:00/0000:00:01.0/"

static void path_of(const struct tree *tree, const char *path, char *to)
{
	ck_assert_int_lt(snprintf(to, PATH_MAX, "%s/%s", tree->root, path),
			 PATH_MAX);
}

static void folder(struct tree *tree, const char *path)
{
	char full[PATH_MAX];

	path_of(tree, path, full);
	for (char *at = full + strlen(tree->root) + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		mkdir(full, 0755);
		*at = '/';
	}
	mkdir(full, 0755);
	ck_assert_int_eq(access(full, W_OK), 0);
}

static int file_open(struct tree *tree, const char *path)
{
	char full[PATH_MAX];
	int fd;

	path_of(tree, path, full);
	fd = open(full, O_RDWR | O_CREAT, 0644);
	ck_assert_int_ge(fd, 0);
	return fd;
}

void tree_file(struct tree *tree, const char *path, const char *text)
{
	int fd = file_open(tree, path);

	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_assert_int_eq(write(fd, text, strlen(text)),
			 (ssize_t)strlen(text));
	close(fd);
}

void tree_delete(struct tree *tree, const char *path)
{
	char full[PATH_MAX];

	path_of(tree, path, full);
	unlink(full);
}

void tree_link(struct tree *tree, const char *path, const char *target)
{
	char full[PATH_MAX];

	tree_delete(tree, path);
	path_of(tree, path, full);
	ck_assert_int_eq(symlink(target, full), 0);
}

void tree_move(struct tree *tree, const char *from, const char *to)
{
	char before[PATH_MAX], after[PATH_MAX];

	path_of(tree, from, before);
	path_of(tree, to, after);
	ck_assert_int_eq(rename(before, after), 0);
}

void tree_patch(struct tree *tree, const char *path, u64 offset,
		const void *bytes, size_t len)
{
	int fd = file_open(tree, path);

	ck_assert_int_eq(pwrite(fd, bytes, len, (off_t)offset), (ssize_t)len);
	close(fd);
}

void tree_cut(struct tree *tree, const char *path, u64 size)
{
	int fd = file_open(tree, path);

	ck_assert_int_eq(ftruncate(fd, (off_t)size), 0);
	close(fd);
}

u64 tree_sum(struct tree *tree, const char *path)
{
	int fd = file_open(tree, path);
	u64 word, sum = 0;

	for (off_t at = 0; at < 1 << 20; at += sizeof(word)) {
		word = 0;
		if (pread(fd, &word, sizeof(word), at) <= 0)
			break;
		sum = (sum + word) * 0x9e3779b97f4a7c15ULL;
	}
	close(fd);
	return sum;
}

static void dump(struct tree *tree, const char *path, struct gpu_bus *bus,
		 enum gpu_region region, u64 from, u64 to)
{
	for (; from < to; from += 4) {
		u32 word = (u32)bus->ops->read(bus, region, from, 4);

		tree_patch(tree, path, from, &word, 4);
	}
}

static const struct {
	u32 at, words, chips;
} registers[] = {
	{ NV_PMC_BOOT_0, 1, REG_ALL },
	{ NV_PTIMER_TIME_0, 1, REG_ALL },
	{ NV_PTIMER_TIME_1, 1, REG_ALL },
	{ NV_PTOP_SCRATCH1, 1, REG_ALL },
	{ NV_PTOP_DEVICE_INFO, NV_PTOP_DEVICE_INFO__SIZE_1, REG_ALL },
	{ NV_THERM_GM200_SENSOR_CTRL, 1, REG_GM200 },
	{ NV_THERM_GM200_TEMP, 1, REG_GM200 },
	{ NV_FUSE_STATUS_OPT_SENSOR, 1, REG_GM200 },
	{ NV_THERM_GP100_TEMP, 1, REG_PASCAL },
};

/* The registers that tesla-info reads, and memory decoding on, as a machine's
 * firmware leaves a card. */
static void dump_card(struct tree *tree, enum card_chip chip)
{
	struct card_config config = { .chip = chip, .seed = 1 };
	struct gpu_bus *bus;
	u32 command;

	ck_assert_int_eq(bus_direct_open(&config, &bus), 0);
	command = (u32)bus->ops->read(bus, GPU_CONFIG, NV_XVE_DEV_CTRL, 4);
	bus->ops->write(bus, GPU_CONFIG, NV_XVE_DEV_CTRL, 4, command |
			REG_VAL(NV_XVE_DEV_CTRL_CMD_MEMORY_SPACE, 1));
	dump(tree, DEVICE "/config", bus, GPU_CONFIG, 0, 4096);
	tree_cut(tree, DEVICE "/resource0", 16 << 20);
	tree_cut(tree, DEVICE "/resource1", bus->bar_size[GPU_BAR1]);
	tree_cut(tree, DEVICE "/resource3", bus->bar_size[GPU_BAR3]);
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++) {
		if (registers[i].chips & (chip == CARD_M40 ? REG_GM200 :
					  REG_PASCAL))
			dump(tree, DEVICE "/resource0", bus, GPU_BAR0,
			     registers[i].at, registers[i].at +
			     registers[i].words * 4);
	}
	ck_assert_uint_eq(bus_direct_violations_all(bus), 0);
	gpu_bus_close(bus);
}

static const char resource[] =
	"0x00000000fd000000 0x00000000fdffffff 0x0000000000040200\n"
	"0x0000380000000000 0x00003803ffffffff 0x000000000014220c\n"
	"0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
	"0x0000380800000000 0x0000380801ffffff 0x000000000014220c\n"
	"0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
	"0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
	"0x0000000000000000 0x0000000000000000 0x0000000000000000\n";

static const char resource_p40[] =
	"0x00000000fd000000 0x00000000fdffffff 0x0000000000040200\n"
	"0x0000380000000000 0x00003807ffffffff 0x000000000014220c\n"
	"0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
	"0x0000380800000000 0x0000380801ffffff 0x000000000014220c\n"
	"0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
	"0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
	"0x0000000000000000 0x0000000000000000 0x0000000000000000\n";

void tree_make(struct tree *tree, enum card_chip chip)
{
	snprintf(tree->root, sizeof(tree->root), "/tmp/tree.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(tree->root));
	folder(tree, "bus/pci/devices");
	folder(tree, "bus/pci/drivers/vfio-pci");
	folder(tree, "class/iommu/dmar0");
	folder(tree, "kernel/iommu_groups/7/devices");
	folder(tree, BELOW CARD);
	folder(tree, BELOW OTHER);
	tree_link(tree, DEVICE, "../../../" BELOW CARD);
	tree_link(tree, "bus/pci/devices/" OTHER, "../../../" BELOW OTHER);
	tree_link(tree, "kernel/iommu_groups/7/devices/" CARD,
		  "../../../../" BELOW CARD);
	tree_link(tree, DEVICE "/driver",
		  "../../../../bus/pci/drivers/vfio-pci");
	tree_link(tree, DEVICE "/iommu_group",
		  "../../../../kernel/iommu_groups/7");
	tree_file(tree, DEVICE "/power_state", "D0\n");
	tree_file(tree, DEVICE "/reset_method", "bus\n");
	tree_file(tree, DEVICE "/vendor", "0x10de\n");
	tree_file(tree, DEVICE "/class", "0x030200\n");
	tree_file(tree, DEVICE "/resource",
		  chip == CARD_P40 ? resource_p40 : resource);
	dump_card(tree, chip);
}

static int remove_one(const char *path, const struct stat *status, int kind,
		      struct FTW *walk)
{
	(void)status;
	(void)kind;
	(void)walk;
	return remove(path);
}

void tree_remove(struct tree *tree)
{
	nftw(tree->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
