/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One run, from the inside: what judge.c, serve.c, scenario.c, truth.c and
 * expect.c share.  Tests see scenario.h and nothing of this.
 */
#ifndef JUDGE_SESSION_H
#define JUDGE_SESSION_H

#include <setjmp.h>

#include "autograder/judge/arena.h"
#include "autograder/judge/fences.h"
#include "autograder/judge/link.h"
#include "autograder/judge/record.h"
#include "autograder/judge/scenario.h"
#include "autograder/judge/session_vas.h"
#include "autograder/judge/visibility.h"

#define SESSION_RINGS	8u
#define SESSION_OPS	512u
#define SESSION_ACTIONS	8u
#define SESSION_SEGMENTS 1024u

/* A method of a segment, as the card should execute it. */
struct segment_method {
	uint16_t subchannel, method;
	uint32_t data;		/* WIRE_TAG: the tag	*/
};

struct segment {
	struct scenario *scenario;
	uint32_t *wire;		/* groups as the link has them	*/
	size_t wires;
	uint32_t groups;
	struct segment_method *method;
	size_t methods;
	uint32_t words;		/* in the push buffer		*/
};

/* Tags: 5, thread, serial number, repetition. */
#define TAG_MAGIC	0x50000000u
#define TAG(thread, serial) \
	(TAG_MAGIC | (thread) << 24 | ((serial) & 0xfff) << 12)
#define TAG_IS(word)	(((word) & 0xf0000000u) == TAG_MAGIC)
#define TAG_THREAD(word) ((word) >> 24 & 0xf)
#define TAG_REPEATS	4096u
/* Data of NOPs that is no tag: where in the segment it stands. */
#define FILLER(i)	(0x0f000000u | (i))
#define FILLER_IS(word)	(((word) & 0xff000000u) == 0x0f000000u)

/* Something that happens to the card at a time, or at a bus access. */
struct action {
	enum scenario_action what;
	uint64_t time;		/* virtual ns, or 0: none	*/
	uint64_t access;	/* the n-th access, or 0: none	*/
	bool done;
};

/* A segment that was submitted with success and must be executed. */
struct expected {
	const struct segment *segment;
	uint32_t tag;		/* with the repetition number	*/
	uint32_t repetition;
	unsigned int position;	/* in its batch			*/
	bool offered;		/* no longer held back by RING_DEFER	*/
	bool loose;		/* … or perhaps, by one that waited	*/
};

struct expected_queue {
	struct expected *list;
	size_t count, room, head;	/* executed so far	*/
};

struct session_ring {
	bool open, paused;
	bool lost;		/* its channel met a fault	*/
	struct ring_shape shape;
	uint32_t channel;
	struct expected_queue queue[SCENARIO_THREADS];
	size_t matched;		/* methods of the record looked at	*/
	/* The segment being matched: its queue, and the method it is at. */
	int current;
	size_t at;
	int last;		/* queue of the segment executed last	*/
	uint64_t executed;	/* segments				*/
	/* When the call that runs now began: GP entries free, words used. */
	uint32_t free_then;
	uint64_t used_then;
	uint32_t crc_before;	/* checks before the ring was opened	*/
};

/* One operation of the batch being run. */
struct session_op {
	struct wire_op op;
	const struct segment *segment[SCENARIO_BATCH];
	unsigned int segments;
	const uint32_t *raw;	/* other data, the test's	*/
	unsigned int raw_words;
	uint64_t timeout;
	uint32_t results;	/* repetitions done		*/
	int64_t last;		/* the last result		*/
	uint32_t failures;	/* results other than 0		*/
	uint64_t output[SCENARIO_OUTPUTS];
	unsigned int outputs;
	uint64_t began, ended;	/* virtual ns, of the last one	*/
};

struct scenario {
	const struct judge_test *test;
	const struct judge_options *options;
	struct judge_verdict *verdict;
	enum card_chip chip;
	bool weak;		/* memory, see visibility.h	*/
	bool slow;		/* posted writes take their time */
	bool fast;		/* nothing on the bus does */
	bool documented;	/* no course additions		*/
	uint32_t method_cost;	/* of Host, in ns; 0: as it is	*/
	uint64_t offers;	/* writes of GP_PUT so far	*/
	jmp_buf out;

	struct card *card;
	struct visibility *visibility;
	struct arena arena;
	struct link link;
	struct record record;
	bool ignored[CARD_RULES];

	/* The run of a batch. */
	struct session_op op[SESSION_OPS];
	unsigned int ops, threads;
	bool ran;		/* the next batch begins anew	*/
	uint64_t batches;
	uint64_t still_at, still_ns;	/* of the next batch	*/
	uint64_t batch_began, batch_limit;	/* virtual ns	*/
	uint64_t thread_began[SCENARIO_THREADS];
	uint64_t steps;
	bool hello;		/* the agent did start		*/
	bool at_next;		/* it waits in WIRE_NEXT	*/
	bool stop;		/* end the run, do not go on	*/
	bool failed, error;
	bool exiting, leaks_matter, leaked;
	bool heap_full;		/* the driver's, for once at least	*/

	struct action action[SESSION_ACTIONS];
	unsigned int actions;
	uint64_t accesses;	/* bus reads and writes so far	*/
	uint64_t loads;		/* of DMA memory, by the driver	*/
	bool unplugged, frozen, failing;
	uint64_t interrupts;	/* messages that the card has sent */
	uint64_t told;		/* … that the agent knows of */
	bool handles;		/* the driver has taken the interrupt */
	uint64_t relax_since;	/* start of the polling, or 0	*/
	uint32_t read_cost;	/* ns of a read that waits for nothing */
	uint32_t write_cost;	/* … of a posted write, if each is the same */
	uint64_t looked;	/* when the card saw the last one; 0: a test
				 * did something to it since	*/
	struct {
		uint64_t offset;
		uint32_t size;
		uint8_t bytes[64];
	} burst;

	struct session_ring ring[SESSION_RINGS];
	struct session_fences fences;
	struct session_vas vas;
	struct segment *segment[SESSION_SEGMENTS];
	unsigned int segments;
	uint32_t tags;		/* operations tagged so far	*/
	uint64_t random;
};

/* A number, or an error by its name; for people. */
const char *session_number(int64_t value, char *buf, size_t len);
const char *session_call_name(enum wire_call call);
/* call_text.c: "vas_unmap(space 0, 0x10000, 0x1000)"; in so much room. */
#define CALL_TEXT	144u
const char *session_call_text(const struct scenario *s,
			      const struct session_op *op, char *buf,
			      size_t len);

/* judge.c: the first failure is the verdict, later ones are listed. */
void session_fail(struct scenario *s, const char *rule, const char *section,
		  const char *text, const char *expected, const char *format,
		  ...) __attribute__((format(printf, 6, 7)));
/* The grader failed. */
void session_error(struct scenario *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Leave the test if the run is decided. */
void session_check(struct scenario *s);

/* host.c: what the card is given to see of this machine. */
extern const struct card_host_ops session_host_ops;
/* Virtual time, with what was planned to happen on the way. */
void session_advance(struct scenario *s, uint64_t ns);
/* To the card's next event, at most to deadline. */
void session_step(struct scenario *s, uint64_t deadline);
/* Count a bus access; run actions that wait for it. */
void session_access(struct scenario *s);
void session_act(struct scenario *s, enum scenario_action what);
/* Room for an action to come; NULL: there is none. */
struct action *session_plan(struct scenario *s);

/* quiet.c: what every answer tells. */
void session_stamp(struct scenario *s, struct wire_reply *reply);
/* ns of one more read of this, which finds the same; 0: it may not. */
uint32_t session_steady(const struct scenario *s,
			const struct wire_request *r);
/* serve.c: what the agent did without asking; false: it was wrong. */
bool session_own(struct scenario *s, const struct wire_post *post);
/* Run the agent until it waits in WIRE_NEXT. */
void session_serve(struct scenario *s);
/* post.c: work through what was posted. */
void session_posts(struct scenario *s);
/* batch.c: an operation to run, in the scenario's memory. */
struct session_op *batch_add(struct scenario *s, const struct wire_op *op);
/* Run what was added since the last time. */
void batch_run(struct scenario *s, unsigned int threads);
/* A result came in. */
void session_result(struct scenario *s, unsigned int op, int64_t result);

/* truth.c: a call begins; hold its result against what the card knows. */
void session_remember(struct scenario *s, struct session_ring *ring);
/* Room for sure when the call began. */
bool session_had_room(const struct scenario *s, const struct session_op *op);
void session_truth(struct scenario *s, struct session_op *op, int64_t result);

/* machine.c: card and memory; needs the agent's link. */
void session_machine(struct scenario *s);

/* scenario.c: a call that makes a ring. */
int64_t session_ring_open(struct scenario *s, unsigned int ring,
			  const struct ring_shape *shape,
			  const struct wire_op *op);

/* expect.c */
void session_expect(struct scenario *s, struct session_op *op);
/* A submission is back; it may have waited. */
void session_waited(struct scenario *s, const struct session_op *op,
		    int64_t result);
/* Look at what was executed since; complain about what nobody submitted. */
void session_match(struct scenario *s, struct session_ring *ring);
/* Segments offered and not executed. */
size_t session_outstanding(const struct session_ring *ring);
void session_forget(struct session_ring *ring);

#endif
