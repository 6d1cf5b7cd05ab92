/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Host: PFIFO, runlists, channels, PBDMAs and the copy engines [§7]-[§10].
 *
 * Who owns what: a channel's row of the channel table and what the monitors
 * know of it live in struct channel; the state that RAMFC keeps lives in
 * struct pbdma while the channel is loaded, and in memory otherwise.
 */
#ifndef MODEL_HOST_H
#define MODEL_HOST_H

#include "vm/model/crc.h"
#include "vm/model/model.h"

enum {
	HOST_CHANNELS = 4096,
	HOST_RUNLISTS = 16,
	HOST_PBDMAS = 14,
	HOST_ENGINES = 8,
	HOST_SUBCHANNELS = 8,
	HOST_SW_SUBCHANNEL = 5,		/* from here on software's	*/
	HOST_LINE = 128,		/* bytes of one push-buffer fetch */
	HOST_FIFO = 1 << 16,		/* entries fetched ahead, at most */
	HOST_NO_TSG = 0xffff,
	HOST_FENCES = 4,		/* words that a channel signals	*/
};

/* What became of a method or a run of words. */
enum method_result {
	METHOD_DONE,
	METHOD_LATER,		/* not yet: call again at p->due	*/
	METHOD_END,		/* END_PB_SEGMENT			*/
	METHOD_YIELD,		/* done, and the time slice is given up	*/
	METHOD_TRAP,		/* held until an interrupt is cleared	*/
	METHOD_WAIT_ENGINE,	/* held until the engine is idle	*/
	METHOD_ACQUIRE,		/* held, try again			*/
	METHOD_ACQUIRE_SWITCH,	/* the same, others may run		*/
	METHOD_FAULT,		/* the channel was torn off		*/
};

/* A run of ring entries that is contiguous in physical memory too. */
struct ring_piece {
	uint64_t addr;
	uint32_t first, count;		/* entries */
	enum mem_aperture aperture;
};

/* What the monitors know of a channel [§11]. */
struct watch {
	struct ring_piece *piece;
	unsigned int pieces;
	uint32_t written;		/* slot stored and not offered yet */
	bool has_written;
};

/* A word that a channel releases; declared: its releases are fences. */
struct fence_word {
	uint64_t addr;
	uint32_t last;			/* as the card wrote it		*/
	enum mem_aperture aperture;
	bool used, declared;
};

/* Method state of the copy class, per channel. */
struct ce_class {
	uint32_t semaphore[3];		/* A, B, payload		*/
	uint32_t render[3];
	bool render_set;
	uint32_t phys[2];		/* source, destination		*/
	uint32_t offset[4];		/* in upper, lower, out …	*/
	uint32_t pitch[2], line_length, line_count;
	uint32_t remap[3];		/* const A, B, components	*/
};

struct channel {
	uint32_t id;
	uint32_t inst;			/* NV_PCCSR_CHANNEL_INST	*/
	uint8_t runlist;
	bool enabled, bound, next;
	bool pbdma_faulted, eng_faulted;
	bool listed;			/* the runlist in use names it	*/
	bool pending;			/* Host has to look at it	*/
	bool acquiring;			/* off its PBDMA for a semaphore */
	bool doorbell;			/* GP_PUT was written while off	*/
	bool instance_reported;
	uint16_t tsg;
	uint64_t slice, tsg_slice;	/* ns; 0: none			*/
	uint64_t acquire_since;		/* CARD_NEVER: none has failed	*/
	uint64_t acquire_at;		/* acquiring: when to try again	*/
	uint64_t acquire_va;		/* … and what it waits for	*/
	struct pbdma *pbdma;		/* where it is loaded, or NULL	*/
	struct ce *engine;		/* which works for it, or NULL	*/
	uint32_t launches;		/* that it has not finished	*/
	uint32_t object[HOST_SUBCHANNELS];	/* classes; 0: none	*/
	uint8_t unbound_told;		/* subchannels, reported once	*/

	/* from the last load or save, for whoever asks while it is off */
	bool loaded_once;
	uint32_t gp_get, gp_put, entries;
	uint64_t gp_base, userd, get, end;
	uint32_t method0;
	enum mem_aperture userd_aperture;
	struct mem_space space;

	/* entries that Host has fetched and not begun */
	uint64_t *fifo;
	uint32_t fifo_size;		/* a power of two */

	struct watch watch;
	struct fence_word fence[HOST_FENCES];
	struct fence_word *last_fence;	/* just released, or NULL	*/
	unsigned int next_fence;
	struct ce_class ce;
};

enum pbdma_phase {
	PBDMA_EMPTY,		/* no channel			*/
	PBDMA_LOAD,		/* a channel is being loaded	*/
	PBDMA_RUN,
	PBDMA_SAVE,		/* … is being saved		*/
};

/* What a PBDMA does at time `due`. */
enum pbdma_step {
	STEP_ENTRY,		/* begin a GP entry, or find none	*/
	STEP_LINE,		/* a line of the segment arrives	*/
	STEP_WORDS,		/* execute the words of the line	*/
	STEP_METHOD,		/* execute METHOD0 again		*/
};

struct pbdma {
	uint32_t id, runlists;		/* mask */
	enum pbdma_phase phase;
	enum pbdma_step step;
	bool idle;			/* nothing to do */
	bool trap;			/* waits for an interrupt's clearing */
	bool wait_engine;			/* waits for its engine */
	bool acquiring;			/* METHOD0 is an acquire that failed */
	bool leave;			/* to be saved at the next chance */
	bool charged;			/* the method in hand has been paid */
	bool again;			/* it was held before */
	bool bad_header;
	bool crc_wanted;			/* of the segment in hand */
	uint32_t last_runlist;
	struct channel *channel;
	struct card_timer timer;			/* the next step */
	struct card_timer notice;			/* Host reads GP_PUT */
	struct card_timer fetcher;			/* GP entries arrive */
	struct card_timer slice;		/* the time slice ends */
	uint64_t due, slice_end;
	uint64_t acquire_since, acquire_retry;

	/* the channel's state, as RAMFC has it */
	uint32_t gp_put, gp_get, gp_fetch, entries, limit2;
	uint64_t gp_base, get, end, top_level_get;
	bool subroutine;
	uint32_t ref, acquire, sem[4];
	uint32_t gp_crc, pb_crc, method_crc;
	uint32_t subdevice, mem_op[3], hce_ctrl, config;
	uint32_t form, method, subchannel, count;	/* header in work */
	uint32_t method0, data0;		/* while Host cannot go on */
	uint32_t keep[64];		/* RAMFC as loaded: words that travel */

	/* the segment and the line in hand */
	uint32_t segment_index;			/* its ring slot */
	uint64_t hand_va, hand_bytes;		/* as the monitors count it */
	uint32_t fetch_to;
	const uint32_t *word, *word_end;
	uint64_t line_end;			/* address behind the line */
	uint32_t line[HOST_LINE / 4];
	struct mem_place page;			/* translation of page_va */
	uint64_t page_va, page_seen;

	/* registers that no channel owns */
	uint32_t intr_0, intr_1, en_0, en_1;
	uint32_t seen_0, seen_1;	/* pending bits the CPU has read */
	uint32_t gp_shadow[2], hdr_shadow, hce_dbg[2];
	unsigned int hce_error;			/* field of INTR_1 */
};

struct runlist {
	uint32_t id;
	bool exists, loading;
	uint32_t base, length;		/* registers: in use		*/
	uint32_t new_base, new_length;	/* … and submitted		*/
	uint16_t *channel;		/* ids, in order		*/
	uint32_t channels, size;
	uint32_t next;			/* round robin			*/
	struct card_timer timer;	/* the load ends		*/
	struct card_timer retry;	/* an acquire is tried again	*/
	struct ce *engine;		/* NULL: not a copy engine	*/
};

struct host {
	struct card *card;
	struct card_crc crc;
	struct channel **channels;	/* by id; made when first used	*/
	struct pbdma pbdma[HOST_PBDMAS];
	struct runlist runlist[HOST_RUNLISTS];
	struct ce *ce[HOST_ENGINES];

	/* PFIFO */
	uint32_t intr_0, seen_0;	/* without bits 28 to 30	*/
	uint64_t nonstall_since;	/* CHANNEL_INTR is pending since */
	bool nonstall_used;		/* … and was enabled, once	*/
	uint32_t bind_error, sched_error, chsw_error;
	uint32_t fault_id, seen_fault;
	uint32_t intr_runlist, seen_runlist;
	uint32_t preempt;		/* register, with PENDING	*/
	uint32_t runlist_preempt;

	/* monitors: is anybody telling us of stores? */
	bool watching;
	uint16_t *lines;		/* segments outstanding, by hash */
	uint16_t live[HOST_CHANNELS];	/* bound channels, in no order	*/
	uint32_t live_count;
};

static inline uint64_t entry_va(uint64_t entry)
{
	return (entry & 0xfffffffc) | (entry >> 32 & 0xff) << 32;
}

static inline uint64_t entry_bytes(uint64_t entry)
{
	return 4 * REG_GET(NVC06F_GP_ENTRY1_LENGTH, entry >> 32);
}

/* host.c: reports and faults ------------------------------------------- */

struct channel *host_channel_get(const struct card *card, uint32_t id);
struct channel *host_channel_make(struct card *card, uint32_t id);
/* Through the channel's space; a fault tears it off: then -EFAULT. */
int channel_read(struct card *card, struct channel *channel,
		 unsigned int mmu_engine, enum card_dma_why why, uint64_t va,
		 void *buf, size_t len);
int channel_write(struct card *card, struct channel *channel,
		  unsigned int mmu_engine, enum card_dma_why why, uint64_t va,
		  const void *buf, size_t len);
/* Latch the fault, stop the channel. */
void channel_fault(struct card *card, struct channel *channel,
		   unsigned int mmu_engine, const struct mem_fault *fault);
unsigned int pbdma_mmu_engine(const struct card *card,
			      const struct pbdma *p);

/* pfifo.c */
int pfifo_init(struct card *card);
void pfifo_reset(struct card *card);
void pfifo_raise(struct card *card, unsigned int field);
void pfifo_sched_error(struct card *card, uint32_t code);
void pfifo_bind_error(struct card *card, uint32_t code);
/* Recompute the interrupt lines; something has come up. */
void pfifo_update(struct card *card);
void pfifo_intr(struct card *card);
/* preempt.c: writes of PREEMPT and RUNLIST_PREEMPT. */
void pfifo_preempt(struct card *card, uint32_t value);
void pfifo_preempt_runlists(struct card *card, uint32_t lists);
/* A preemption may be complete. */
void pfifo_preempt_check(struct card *card);
/* Bits acknowledged that were pending and never read [§5.2]. */
void host_acknowledge(struct card *card, const char *name, uint32_t pending,
		      uint32_t *seen, uint32_t value);

/* ccsr.c: the channel table */
int ccsr_init(struct card *card);
bool channel_running(const struct channel *channel);

/* channel.c: instance blocks */
uint64_t channel_inst(const struct channel *channel);
enum mem_aperture channel_inst_aperture(const struct channel *channel);
struct mem_who channel_who(const struct channel *channel);
/* Is the instance block complete?  Reported once per bind. */
void channel_check(struct card *card, struct channel *channel,
		   const uint32_t *ramfc);
void channel_load(struct card *card, struct pbdma *p);
void channel_save(struct card *card, struct pbdma *p);
/* GP_PUT of the channel was written, or its doorbell rung. */
void channel_notify(struct card *card, struct channel *channel);
void channel_forget(struct card *card, struct channel *channel);
void pbdma_write_userd(struct card *card, struct pbdma *p);

/* runlist.c: lists; schedule.c: what runs where */
void runlist_init(struct card *card);
void runlist_fini(struct card *card);
void runlist_reset(struct card *card);
void runlist_submit(struct card *card, uint32_t id, uint32_t base,
		    uint32_t length);
struct ce *runlist_engine(const struct card *card, uint32_t id);
/* Somebody may have something to do. */
void host_schedule(struct card *card);
/* Does another channel wait for this PBDMA? */
bool host_waiting(const struct card *card, const struct pbdma *p);
/* The timer of a runlist: channels that wait for a semaphore try again. */
void runlist_retry_acquires(struct card *card, void *arg);
/* A channel was saved while it waits for a semaphore. */
void runlist_acquire_parked(struct card *card, const struct channel *c);
/* A semaphore moved: try the acquires again. */
void host_semaphore_moved(struct card *card);

/* pbdma.c: segments */
void pbdma_run(struct card *card, void *arg);
void pbdma_raise_0(struct card *card, struct pbdma *p, unsigned int field);
void pbdma_raise_1(struct card *card, struct pbdma *p, unsigned int field);
/* Raises GPPTR if GP_PUT or GP_GET is outside the ring. */
bool pbdma_check_pointers(struct card *card, struct pbdma *p);
uint64_t pbdma_position(const struct pbdma *p);

/* gpfifo.c: GP entries */
void pbdma_fetch(struct card *card, struct pbdma *p);
void pbdma_entries_arrive(struct card *card, void *arg);
void pbdma_notice(struct card *card, void *arg);
/* GP_PUT was written: look, after a while; or now. */
void pbdma_ring(struct card *card, struct pbdma *p);
void pbdma_look(struct card *card, struct pbdma *p);

/* pbdma_control.c */
int pbdma_init(struct card *card);
void pbdma_reset(struct card *card, struct pbdma *p);
void pbdma_start(struct card *card, struct pbdma *p, struct channel *channel);
/* Ask it to let the channel go; it may take until a boundary. */
void pbdma_ask_leave(struct card *card, struct pbdma *p);
/* The channel is gone, nothing is saved. */
void pbdma_drop(struct card *card, struct pbdma *p);
/* After a load: go on where RAMFC says. */
void pbdma_continue(struct card *card, struct pbdma *p);
void pbdma_wake(struct card *card, struct pbdma *p);
/* An interrupt was cleared. */
void pbdma_untrap(struct card *card, struct pbdma *p);

/* doorbell.c */
int doorbell_init(struct card *card);

/* pbdma_regs.c */
int pbdma_regs_init(struct card *card);

/* method.c, udma.c, semaphore.c */
enum method_result method_words(struct card *card, struct pbdma *p);
enum method_result method_execute(struct card *card, struct pbdma *p,
				  uint32_t subchannel, uint32_t method,
				  uint32_t data);
enum method_result method_again(struct card *card, struct pbdma *p);
enum method_result semaphore_execute(struct card *card, struct pbdma *p,
				     uint32_t data, bool engine_busy);
uint32_t semaphore_reduce(unsigned int op, bool is_unsigned, uint32_t memory,
			  uint32_t payload);
int semaphore_write(struct card *card, struct channel *channel,
		    unsigned int mmu_engine, uint64_t va, uint32_t payload,
		    unsigned int size);

/* ce.c */
enum method_result ce_method(struct card *card, struct ce *ce,
			     struct pbdma *p, uint32_t method, uint32_t data);
bool ce_takes_class(const struct card *card, uint32_t class);
/* The channel is torn off: drop its launches. */
void ce_drop(struct card *card, struct ce *ce, struct channel *channel);
bool ce_busy(const struct ce *ce);
/* Who owns what it works on; ~0: nobody. */
uint32_t ce_channel(const struct ce *ce);
uint32_t ce_instance(const struct ce *ce);
struct ce *ce_of_runlist(const struct card *card, uint32_t runlist);

/* watch_fence.c [§9.5]: a release; the interrupt that makes it a fence; a
 * channel is unbound; why freed memory is needed, or NULL; at the end. */
struct watch_range;
void fence_release(struct card *card, struct channel *channel, uint64_t va,
		   uint32_t payload, unsigned int size);
void fence_declare(struct card *card, struct channel *channel);
void fence_forget(struct channel *channel);
const char *fence_in_use(struct card *card, struct channel *channel,
			 const struct watch_range *range);
void fence_audit(struct card *card);
/* The address that a PBDMA's semaphore methods name. */
uint64_t semaphore_va(const struct pbdma *p);

/* monitor.c [§11]; lifetime.c supplies card_dma_freed() and host_audit() */
struct watch_range {
	enum mem_aperture aperture;
	uint64_t addr;
	size_t len;
};
bool watch_same_memory(enum mem_aperture a, enum mem_aperture b);
/* GP_PUT as the CPU last wrote it, on its way or in USERD. */
uint32_t watch_put_issued(const struct card *card,
			  const struct channel *channel);
uint32_t watch_gp_get(const struct channel *channel);
/* The ring slot of a segment in the range that Host still needs, or -1. */
int64_t watch_outstanding(struct card *card, const struct channel *channel,
			  const struct watch_range *range);
void watch_attach(struct card *card, struct channel *channel);
void watch_detach(struct card *card, struct channel *channel);
/* A segment is known to be offered (1), or consumed (-1). */
void watch_segment(struct card *card, const struct channel *channel,
		   uint64_t va, uint64_t bytes, int change);
/* Fetched entries were dropped, or a channel was loaded: count anew. */
void watch_recount(struct card *card);
/* The channel's memory is, or is no longer, in use. */
void watch_live(struct card *card, const struct channel *channel, bool live);
void watch_put(struct card *card, struct channel *channel, uint32_t put);

#endif
