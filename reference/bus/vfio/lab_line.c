/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * lab-vfio's card: brought up by the driver of the labs, one channel, memory
 * to copy.  A step that fails undoes those before it, so that a real card is
 * left as it was found as far as that is known.
 */
#include "lab.h"
#include "irq.h"

#define ENTRIES		16u
#define PB_WORDS	1024u

int lab_show(struct vas *vas, const struct gpu_mem *mem)
{
	struct vas_piece piece = {
		mem->kind == MEM_VRAM ? MMU_VRAM : MMU_SYS_COHERENT,
		mem->phys, mem->size,
	};
	struct vas_mapping mapping = {
		.va = mem->va, .size = mem->size, .piece = &piece,
		.pieces = 1, .flags = VAS_FIXED,
	};

	return vas_map(vas, &mapping);
}

static int line_show(struct vas *vas, const struct lab_line *line)
{
	int err = 0;

	if (!vas)
		return 0;
	err = lab_show(vas, &line->queue.gp);
	if (!err)
		err = lab_show(vas, &line->queue.pb);
	if (!err)
		err = lab_show(vas, &line->sem);
	return err;
}

static int line_start(struct lab *lab, const struct queue_config *config,
		      struct lab_line *line)
{
	struct timeline_config timeline = {
		.gpu = lab->gpu, .mem = &line->sem,
	};
	int err;

	err = line_show(config->vas, line);
	if (err)
		return err;
	err = queue_start(&line->queue, config);
	if (err)
		return err;
	timeline.chan = line->queue.chan;
	timeline.ring = line->queue.ring;
	err = timeline_create(&timeline, &line->timeline);
	if (err)
		queue_stop(&line->queue, 0);
	return err;
}

int lab_line_up(struct lab *lab, struct vas *vas, struct lab_line *line)
{
	struct queue_config config = {
		.id = CHAN_ANY, .gp_entries = ENTRIES, .pb_words = PB_WORDS,
		.vas = vas,
	};
	int err;

	err = queue_alloc(lab->gpu, &config, &line->queue);
	if (err)
		return err;
	err = gpu_mem_alloc(lab->gpu, 4096, MEM_COHERENT, &line->sem);
	if (err)
		goto free_queue;
	err = line_start(lab, &config, line);
	if (err)
		goto free_sem;
	return 0;

free_sem:
	gpu_mem_free(lab->gpu, &line->sem);
free_queue:
	queue_free(&line->queue);
	return err;
}

void lab_line_down(struct lab *lab, struct lab_line *line)
{
	u64 wait = chan_is_dead(line->queue.chan) ? 0 : LAB_WAIT;

	/* The ring first: a timeline's ring is idle or gone. */
	queue_stop(&line->queue, wait);
	timeline_destroy(line->timeline);
	gpu_mem_free(lab->gpu, &line->sem);
	queue_free(&line->queue);
}

static int copies_up(struct lab *lab)
{
	int err;

	err = gpu_mem_alloc(lab->gpu, LAB_BYTES, MEM_COHERENT, &lab->from);
	if (err)
		return err;
	err = gpu_mem_alloc(lab->gpu, LAB_BYTES, MEM_WC, &lab->to);
	if (err)
		goto free_from;
	err = gpu_mem_alloc(lab->gpu, 4096, MEM_VRAM, &lab->video);
	if (err)
		goto free_to;
	return 0;

free_to:
	gpu_mem_free(lab->gpu, &lab->to);
free_from:
	gpu_mem_free(lab->gpu, &lab->from);
	return err;
}

static void copies_down(struct lab *lab)
{
	gpu_mem_free(lab->gpu, &lab->video);
	gpu_mem_free(lab->gpu, &lab->to);
	gpu_mem_free(lab->gpu, &lab->from);
}

int lab_up(struct lab *lab)
{
	int err;

	err = gpu_open(lab->bus, &lab->gpu);
	if (err)
		return err;
	err = gpu_irq_init(lab->gpu);
	if (err)
		goto close_gpu;
	err = copies_up(lab);
	if (err)
		goto fini_irq;
	err = lab_line_up(lab, NULL, &lab->line);
	if (err)
		goto copies_down;
	return 0;

copies_down:
	copies_down(lab);
fini_irq:
	gpu_irq_fini(lab->gpu);
close_gpu:
	gpu_close(lab->gpu);
	return err;
}

void lab_down(struct lab *lab)
{
	lab_line_down(lab, &lab->line);
	copies_down(lab);
	gpu_irq_fini(lab->gpu);
	gpu_close(lab->gpu);
}
