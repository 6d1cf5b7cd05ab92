/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One card, one client at a time, one thread.
 *
 * A client that goes takes everything with it: its memory is unmapped, its
 * eventfds are closed, and the card is reset as by a bus reset, so that the
 * next finds what a machine finds that was just switched on.  A client that
 * sends nonsense goes the same way, with a line in the log; the server stays.
 *
 * The card calls back in the middle of its work (an interrupt, a broken
 * rule).  Interrupts are only noted there, and told afterwards: after the
 * answer that the client may be waiting for.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "vm/server/server.h"
#include "vm/spec/reg.h"

/* Messages in a row, before the card's own time is looked at again. */
#define IN_A_ROW	64
/* Events in a row that are tried, before messages are looked for. */
#define TRIALS		4
/* Lines that one broken rule gets in the log. */
#define LINES_MAX	1000
#define GREET_MS	5000
/* One in so many messages has its time taken. */
#define SAMPLE		8

void server_log(struct server *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(s->log, format, args);
	va_end(args);
	fputc('\n', s->log);
	fflush(s->log);
}

/* What the card says ------------------------------------------------------ */

static void card_interrupt(void *server, bool level)
{
	struct server *s = server;

	s->said.irq_changed = true;
	if (level && !s->said.irq_rose)
		s->said.irq_time = card_now(s->card);	/* only a look */
	s->said.irq_rose |= level;
	s->said.irq_level = level;
}

void server_violation(struct server *s, enum card_rule rule, const char *text)
{
	s->report.violations[rule]++;
	if (++s->lines[rule] > LINES_MAX)
		return;
	server_log(s, "%s", text);
	if (s->lines[rule] == LINES_MAX)
		server_log(s, "%s: from here on only counted",
			   card_rule_name(rule));
}

static void card_violation(void *server, const struct card_violation *broken)
{
	struct server *s = server;
	char text[400];

	snprintf(text, sizeof(text),
		 "%llu ns: %s [%s] %s; expected %s, actual %s",
		 (unsigned long long)broken->time,
		 card_rule_name(broken->rule),
		 card_rule_section(broken->rule),
		 card_rule_text(broken->rule),
		 broken->expected ? broken->expected : "-",
		 broken->actual ? broken->actual : "-");
	if (!trial_hold_line(s, broken->rule, text))
		server_violation(s, broken->rule, text);
}

/* From the doorbell to here, less what the card took by its own time. */
static void count_doorbell(struct server *s)
{
	uint64_t host = clock_host_ns() - s->bell_host;
	uint64_t card = s->said.irq_time - s->bell_card;

	if (!s->bell_host)
		return;
	times_add(&s->report.doorbell, host > card ? host - card : 0);
	s->bell_host = 0;
}

/* Which of its two ways does the card use now? */
static void look_at_msi(struct server *s)
{
	uint32_t word;

	card_hold(s->card, s->by_messages);
	word = card_read(s->card, CARD_CONFIG, NV_XVE_MSI_CTRL, 4);
	card_hold(s->card, false);
	s->msi_stale = false;
	s->msi_on = REG_GET(NV_XVE_MSI_CTRL_MSI, word);
	if (s->msi_on)
		irq_intx(&s->irq, false);
}

void server_interrupts(struct server *s)
{
	if (s->msi_stale)
		look_at_msi(s);
	if (!s->said.irq_changed)
		return;
	if (!s->msi_on)
		irq_intx(&s->irq, s->said.irq_level);
	else if (s->said.irq_rose)
		irq_msi(&s->irq);
	if (s->said.irq_rose)
		count_doorbell(s);
	s->said.irq_changed = s->said.irq_rose = false;
}

void server_reset_card(struct server *s)
{
	card_reset(s->card);
	irq_reset(&s->irq);
	trial_forget(s);
	s->said = (struct server_said){ 0 };
	s->msi_stale = true;
	s->bell_host = 0;
	s->report.resets++;
}

/* Life -------------------------------------------------------------------- */

int server_init(struct server *s, const struct server_options *options,
		FILE *log)
{
	static const struct card_host_ops ops = {
		.dma_read = dma_read,
		.dma_write = dma_write,
		.interrupt = card_interrupt,
		.violation = card_violation,
	};
	int err;

	memset(s, 0, sizeof(*s));
	s->options = options;
	s->log = log;
	s->client.fd = -1;
	maps_init(&s->maps);
	irq_init(&s->irq);
	s->card = card_new(&options->card, &ops, s);
	if (!s->card)
		return -ENOMEM;
	err = clock_init(&s->clock, s->card);
	if (err)
		card_free(s->card);
	return err;
}

void server_fini(struct server *s)
{
	server_part(s, "the server ends");
	clock_fini(&s->clock);
	card_free(s->card);
}

void server_greet(struct server *s, int fd)
{
	connection_open(&s->client, fd);
	s->greeted = false;
	s->greet_by = clock_host_ns() + GREET_MS * 1000000ull;
	s->peer = (struct vu_peer){ .data_max = VU_DATA_LEAST };
	s->report.clients++;
	server_log(s, "client %llu: it is here",
		   (unsigned long long)s->report.clients);
}

static void write_report(struct server *s)
{
	static const char *const chips[CARD_CHIPS] = { "p100", "p40", "m40" };
	int err;

	if (!s->options->report)
		return;
	err = report_write(&s->report, chips[s->options->card.chip],
			   s->clock.lost, s->options->report);
	if (err)
		server_log(s, "%s: %s", s->options->report, strerror(-err));
}

void server_part(struct server *s, const char *why)
{
	if (s->client.fd >= 0) {
		server_log(s, "client %llu: it goes: %s",
			   (unsigned long long)s->report.clients, why);
		connection_close(&s->client);
		s->report.interrupts += s->irq.told;
		irq_fini(&s->irq);
		maps_fini(&s->maps);
		server_reset_card(s);
		s->by_messages = s->was_refused = false;
		s->unanswered = 0;
		s->broken = NULL;
	}
	write_report(s);
}

/* Work -------------------------------------------------------------------- */

static void malformed(struct server *s, const char *why)
{
	const struct vu_header *header = &s->client.in.message.header;
	char line[160];

	s->report.malformed++;
	snprintf(line, sizeof(line), "malformed message: %s, %u bytes: %s",
		 vu_command_name(header->command), header->size, why);
	server_part(s, line);
}

/* Of every so many messages: the clock is a system call. */
static uint64_t sample(const struct server *s)
{
	return s->messages % SAMPLE ? 0 : clock_own_ns();
}

static void count_time(struct server *s, unsigned int command, uint64_t since)
{
	uint64_t ns;

	if (!since)
		return;
	ns = clock_own_ns() - since;
	if (command == VU_REGION_READ)
		times_add(&s->report.read, ns);
	else if (command == VU_REGION_WRITE)
		times_add(&s->report.write, ns);
}

static bool end_if_broken(struct server *s, int err, const char *why)
{
	if (err == -EPROTO)
		malformed(s, why);
	else if (err)
		server_part(s, why);
	else if (s->broken)
		malformed(s, s->broken);
	else
		return false;
	return true;
}

/* One message: 1; 0 when there is none; negative: the client is gone. */
static int serve_one(struct server *s)
{
	uint64_t since = sample(s);
	const char *why = "";
	int got = connection_next(&s->client), err;
	unsigned int command;

	if (got == 0)
		return 0;
	if (got < 0 && got != -EOPNOTSUPP) {
		end_if_broken(s, got, s->client.why);
		return -1;
	}
	s->messages++;
	clock_asked(&s->clock, clock_host_ns());
	command = s->client.in.message.header.command;
	err = device_act(s, &why);
	inbox_empty(&s->client.in);
	if (end_if_broken(s, err, why))
		return -1;
	count_time(s, command, since);
	server_interrupts(s);
	return 1;
}

bool server_serve(struct server *s)
{
	if (s->client.fd < 0)
		return false;
	for (int i = 0; i < IN_A_ROW; i++) {
		if (serve_one(s) <= 0)
			return false;
		/* tries take long: they wait until there is nothing else */
		if (!s->by_messages)
			server_tick(s);
		if (s->client.fd < 0)
			return false;
	}
	return true;
}

static void one_event(void *server)
{
	struct server *s = server;

	card_step(s->card, card_next_event(s->card));
}

/* The card's events one by one, each as often as it needs. */
static bool tick_by_trials(struct server *s)
{
	for (int i = 0; i < TRIALS && !s->trial.asked; i++) {
		if (clock_at_rest(&s->clock, s->card))
			return false;
		trial_run(s, one_event, s);
	}
	return !s->trial.asked && !s->broken;
}

bool server_tick(struct server *s)
{
	bool more = s->by_messages ? tick_by_trials(s) :
		clock_run(&s->clock, s->card);

	if (s->client.fd >= 0 && s->broken)
		malformed(s, s->broken);
	server_interrupts(s);
	return more;
}

/* While an answer is awaited, the card stands still. */
bool server_may_sleep(struct server *s)
{
	if (!s->trial.asked)
		return clock_arm(&s->clock, s->card, server_deadline(s));
	clock_wait(&s->clock, server_deadline(s));
	return true;
}

uint64_t server_deadline(const struct server *s)
{
	if (s->client.fd < 0)
		return 0;
	if (!s->greeted)
		return s->greet_by;
	if (s->client.since)
		return s->client.since +
			CONNECTION_PIECES_MS * 1000000ull + 1;
	return s->trial.asked ? s->trial.until : 0;
}

void server_check_deadline(struct server *s)
{
	uint64_t now = clock_host_ns();

	if (s->client.fd < 0)
		return;
	if (connection_is_stuck(&s->client, now))
		malformed(s, "it is begun and not finished");
	else if (!s->greeted && now > s->greet_by)
		server_part(s, "it did not say who it is");
	else if (s->trial.asked && now > s->trial.until)
		server_part(s, "it does not answer a DMA message");
}
