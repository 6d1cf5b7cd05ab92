/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Lab 02, the additions: operations on the unit of GR_CTX_SWITCH and on ATS.
 */
#include "ops.h"
#include "ats.h"
#include "kmd.h"

#define BATCH_MAX	64u
#define PAGE		4096u
#define CROWD_BASE	(1ULL << 32)
#define CROWD_MAX	2048u
#define CROWD_BATCH	1024u

static struct ctx_switch *unit;

static struct vas *space_of(const struct call *call)
{
	return agent_space(call->op->args[0]);
}

static int64_t call_ctx_create(const struct call *call)
{
	int err;

	if (!agent_gpu || unit)
		return -EBUSY;
	err = ctx_switch_create(agent_gpu, call->op->args[0], &unit);
	if (err)
		unit = NULL;
	return err;
}

static int64_t call_ctx_destroy(const struct call *call)
{
	(void)call;
	if (!unit)
		return -EBADF;
	ctx_switch_destroy(unit);
	unit = NULL;
	return 0;
}

static int64_t call_ctx_work(const struct call *call)
{
	const u64 *args = call->op->args;
	struct ctx_work work = {
		.vas = space_of(call), .va = args[1], .pages = args[2],
		.data = args[3],
	};

	return unit ? ctx_switch_work(unit, &work) : -EBADF;
}

static int64_t call_ctx_batch(const struct call *call)
{
	struct reader reader = reader_of(call);
	struct ctx_work work[BATCH_MAX];
	u32 count = call->op->args[0];
	int64_t err;

	if (!unit || count > BATCH_MAX)
		return -EBADF;
	for (u32 i = 0; i < count; i++) {
		work[i].vas = agent_space(read_word(&reader));
		work[i].va = read_word(&reader);
		work[i].va |= (u64)read_word(&reader) << 32;
		work[i].pages = read_word(&reader);
		work[i].data = read_word(&reader);
	}
	err = ctx_switch_batch(unit, work, count);
	memset(work, 0xde, sizeof(work));
	return err;
}

static int64_t call_ctx_clean(const struct call *call)
{
	(void)call;
	return unit ? ctx_switch_clean(unit) : -EBADF;
}

static int64_t call_ctx_forget(const struct call *call)
{
	struct vas *vas = space_of(call);

	return unit && vas ? ctx_switch_forget(unit, vas) : -EBADF;
}

/* A space with one page, where all the others have it, too. */
static int crowd_add(u64 page, struct vas **vas)
{
	const struct vas_piece piece = {
		.aperture = MMU_VRAM, .addr = page, .size = PAGE,
	};
	struct vas_mapping mapping = {
		.va = CROWD_BASE, .size = PAGE, .piece = &piece, .pieces = 1,
		.flags = VAS_FIXED,
	};
	int err;

	rt_call();
	err = vas_create(agent_gpu, CROWD_BASE, CROWD_BASE << 1, vas);
	if (err)
		return err;
	rt_call();
	err = vas_map(*vas, &mapping);
	if (err)
		vas_destroy(*vas);
	return err;
}

static int crowd_use(struct vas *const *vas, u32 count)
{
	int err = 0;

	for (u32 i = 0; i < count && !err; i++) {
		const struct ctx_work work = {
			.vas = vas[i], .va = CROWD_BASE, .pages = 1,
			.data = i,
		};

		rt_call();
		err = ctx_switch_work(unit, &work);
	}
	return err;
}

/*
 * A batch whose first work faults, and drops that of all the others: the unit
 * has done nothing for them, whatever the driver had planned.
 */
static int crowd_fault(struct vas *const *vas, u32 count)
{
	static struct ctx_work work[CROWD_BATCH];
	u32 blocks = min(count, CROWD_BATCH);
	int err;

	for (u32 i = 0; i < blocks; i++)
		work[i] = (struct ctx_work){
			.vas = vas[i ? i - 1 : count - 1],
			.va = i ? CROWD_BASE : CROWD_BASE + PAGE, .pages = 1,
		};
	rt_call();
	err = ctx_switch_batch(unit, work, blocks);
	if (err == -EFAULT)
		return 0;
	return err ? err : -EPROTO;
}

static int64_t call_ctx_crowd(const struct call *call)
{
	static struct vas *vas[CROWD_MAX];
	u32 count = min(call->op->args[0], (u64)CROWD_MAX), made;
	u64 page;
	int err;

	if (!unit)
		return -EBADF;
	err = gpu_vram_alloc(agent_gpu, PAGE, &page);
	if (err)
		return err;
	for (made = 0; made < count && !err; made += !err)
		err = crowd_add(page, &vas[made]);
	if (!err)
		err = crowd_use(vas, count);
	if (!err)
		err = crowd_fault(vas, count);
	if (!err)
		err = crowd_use(vas, count);
	while (made--) {
		rt_call();
		ctx_switch_forget(unit, vas[made]);
		vas_destroy(vas[made]);
	}
	gpu_vram_free(agent_gpu, page);
	return err;
}

static int64_t call_ats_supported(const struct call *call)
{
	output(call, agent_gpu && ats_supported(agent_gpu));
	return 0;
}

static int64_t call_ats_enable(const struct call *call)
{
	struct vas *vas = space_of(call);

	return unit && vas ? ats_enable(agent_gpu, unit, vas) : -EBADF;
}

static int64_t call_ats_disable(const struct call *call)
{
	(void)call;
	if (!agent_gpu)
		return -EBADF;
	ats_disable(agent_gpu);
	return 0;
}

const struct agent_operation agent_ctx_calls[WIRE_CALLS] = {
	[CALL_ctx_create] = { call_ctx_create, false },
	[CALL_ctx_destroy] = { call_ctx_destroy, false },
	[CALL_ctx_work] = { call_ctx_work, false },
	[CALL_ctx_batch] = { call_ctx_batch, false },
	[CALL_ctx_clean] = { call_ctx_clean, false },
	[CALL_ctx_forget] = { call_ctx_forget, false },
	[CALL_ctx_crowd] = { call_ctx_crowd, false },
	[CALL_ats_supported] = { call_ats_supported, false },
	[CALL_ats_enable] = { call_ats_enable, false },
	[CALL_ats_disable] = { call_ats_disable, false },
};
