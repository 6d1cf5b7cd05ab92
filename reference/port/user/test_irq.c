/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Interrupts, contexts, waits and work of the port, over a bus of paper. */
#include <check.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "gpu_bus.h"

/* A bus with an MSI capability at 0x68, whose messages a test sends. */
static struct {
	struct gpu_bus bus;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	unsigned int messages;
	bool stop;
	u32 msi_flags;
} paper = {
	.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER,
};

static u64 paper_read(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		      unsigned int size)
{
	(void)bus;
	(void)region;
	(void)size;
	switch (offset) {
	case 0x34:
		return 0x60;
	case 0x60:
		return 0x01;	/* power management */
	case 0x61:
		return 0x68;
	case 0x68:
		return 0x05;
	case 0x6a:
		return paper.msi_flags;
	}
	return 0;
}

static void paper_write(struct gpu_bus *bus, enum gpu_region region,
			u64 offset, unsigned int size, u64 value)
{
	(void)bus;
	ck_assert_int_eq(region, GPU_CONFIG);
	ck_assert_uint_eq(offset, 0x6a);
	ck_assert_uint_eq(size, 2);
	paper.msi_flags = value;
}

static int paper_irq_wait(struct gpu_bus *bus)
{
	int err;

	(void)bus;
	pthread_mutex_lock(&paper.lock);
	while (!paper.messages && !paper.stop)
		pthread_cond_wait(&paper.wake, &paper.lock);
	err = paper.stop ? -EINTR : 0;
	if (paper.stop)
		paper.stop = false;
	else
		paper.messages--;
	pthread_mutex_unlock(&paper.lock);
	return err;
}

static void paper_poke(unsigned int messages, bool stop)
{
	pthread_mutex_lock(&paper.lock);
	paper.messages += messages;
	paper.stop |= stop;
	pthread_cond_broadcast(&paper.wake);
	pthread_mutex_unlock(&paper.lock);
}

static void paper_irq_stop(struct gpu_bus *bus)
{
	(void)bus;
	paper_poke(0, true);
}

static const struct gpu_bus_ops paper_ops = {
	.read = paper_read, .write = paper_write,
	.irq_wait = paper_irq_wait, .irq_stop = paper_irq_stop,
};

/* One handler for all tests: it does what it is told, and says so. */
static struct {
	unsigned int irq, runs;
	void (*what)(void);
	bool hardirq, atomic, irqs_off;
} seen;

static irqreturn_t handler(int irq, void *dev)
{
	ck_assert_ptr_eq(dev, &seen);
	ck_assert_uint_eq(irq, seen.irq);
	seen.hardirq = in_hardirq();
	seen.atomic = in_atomic();
	seen.irqs_off = irqs_disabled();
	if (seen.what)
		seen.what();
	smp_store_release(&seen.runs, seen.runs + 1);
	return IRQ_HANDLED;
}

static void start(void (*what)(void))
{
	int irq;

	paper.bus.ops = &paper_ops;
	irq = gpu_bus_irq(&paper.bus);
	ck_assert_int_ge(irq, 0);
	ck_assert_uint_eq(paper.msi_flags & 1, 1);
	seen.irq = irq;
	seen.runs = 0;
	seen.what = what;
	ck_assert_int_eq(request_irq(irq, handler, IRQF_NO_THREAD, "paper",
				     &seen), 0);
}

static void interrupt(void)
{
	unsigned int runs = smp_load_acquire(&seen.runs);

	paper_poke(1, false);
	while (smp_load_acquire(&seen.runs) == runs)
		usleep(100);
	synchronize_irq(seen.irq);
}

static void stop(void)
{
	free_irq(seen.irq, &seen);
	gpu_bus_irq_release(&paper.bus);
	ck_assert_uint_eq(paper.msi_flags & 1, 0);
	ck_assert_int_eq(port_live_allocs(), 0);
}

static void expect_reports(unsigned int sleep, unsigned int lock,
			   unsigned int time)
{
	ck_assert_uint_eq(port_reports(PORT_SLEEP), sleep);
	ck_assert_uint_eq(port_reports(PORT_LOCK), lock);
	ck_assert_uint_eq(port_reports(PORT_IRQ_TIME), time);
}

START_TEST(a_message_runs_the_handler_in_hard_interrupt)
{
	start(NULL);
	for (unsigned int i = 1; i < 4; i++) {
		interrupt();
		ck_assert_uint_eq(seen.runs, i);
	}
	ck_assert(seen.hardirq && seen.atomic && seen.irqs_off);
	ck_assert(!in_hardirq() && !in_atomic() && !irqs_disabled());
	stop();
	expect_reports(0, 0, 0);
}
END_TEST

START_TEST(an_interrupt_has_one_owner_at_a_time)
{
	start(NULL);
	ck_assert_int_eq(request_irq(seen.irq, handler, 0, "b", &seen),
			 -EBUSY);
	ck_assert_int_eq(request_irq(seen.irq + 1, handler, 0, "b", &seen),
			 -EINVAL);
	free_irq(seen.irq, &paper);		/* not the owner: refused */
	interrupt();
	stop();
	start(NULL);
	interrupt();
	stop();
	ck_assert_int_eq(request_irq(seen.irq, handler, 0, "b", &seen),
			 -EINVAL);
}
END_TEST

/* What sleeps -------------------------------------------------------------- */

static struct mutex mutex;
static wait_queue_head_t queue;
static struct completion completion;
static struct work_struct work;

static void sleep_mutex(void)
{
	mutex_lock(&mutex);
	mutex_unlock(&mutex);
}

static void sleep_alloc(void)
{
	kfree(kzalloc(8, GFP_KERNEL));
}

static void sleep_calloc(void)
{
	kfree(kcalloc(2, 8, GFP_KERNEL));
}

static void sleep_usleep(void)
{
	usleep_range(1, 2);
}

static void sleep_event(void)
{
	wait_event_timeout(queue, true, 1);
}

static void sleep_completion(void)
{
	complete(&completion);
	wait_for_completion(&completion);
}

static void sleep_work(void)
{
	cancel_work_sync(&work);
}

static void sleep_might(void)
{
	might_sleep();
}

static void (*const sleeping[])(void) = {
	sleep_mutex, sleep_alloc, sleep_calloc, sleep_usleep, sleep_event,
	sleep_completion, sleep_work, sleep_might,
};

static void work_nothing(struct work_struct *w)
{
	(void)w;
}

static void objects_init(void)
{
	mutex_init(&mutex);
	init_waitqueue_head(&queue);
	init_completion(&completion);
	INIT_WORK(&work, work_nothing);
}

START_TEST(a_call_that_sleeps_is_reported_in_the_handler)
{
	objects_init();
	sleeping[_i]();			/* in order here … */
	expect_reports(0, 0, 0);
	start(sleeping[_i]);
	interrupt();			/* … and not there */
	stop();
	expect_reports(1, 0, 0);
}
END_TEST

START_TEST(a_call_that_sleeps_is_reported_under_a_spinlock)
{
	static DEFINE_SPINLOCK(lock);
	unsigned long flags;

	objects_init();
	spin_lock(&lock);
	sleeping[_i]();
	spin_unlock(&lock);
	expect_reports(1, 0, 0);
	local_irq_save(flags);
	sleeping[_i]();
	local_irq_restore(flags);
	expect_reports(2, 0, 0);
	sleeping[_i]();
	expect_reports(2, 0, 0);
}
END_TEST

static void allowed(void)
{
	kfree(kzalloc(8, GFP_ATOMIC));
	complete(&completion);
	wake_up_all(&queue);
	schedule_work(&work);
}

START_TEST(what_may_be_called_in_the_handler_is_not_reported)
{
	objects_init();
	start(allowed);
	interrupt();
	stop();
	ck_assert_uint_ge(wait_for_completion_timeout(&completion, 1000), 1);
	cancel_work_sync(&work);
	expect_reports(0, 0, 0);
}
END_TEST

/* Spinlocks ---------------------------------------------------------------- */

static DEFINE_SPINLOCK(shared);

static void take_shared(void)
{
	spin_lock(&shared);
	spin_unlock(&shared);
}

START_TEST(a_handlers_lock_is_taken_with_interrupts_off)
{
	unsigned long flags;

	start(take_shared);
	interrupt();
	spin_lock_irqsave(&shared, flags);
	ck_assert(irqs_disabled() && in_atomic());
	spin_unlock_irqrestore(&shared, flags);
	spin_lock_irq(&shared);
	spin_unlock_irq(&shared);
	ck_assert(!irqs_disabled());
	expect_reports(0, 0, 0);
	take_shared();
	expect_reports(0, 1, 0);
	take_shared();			/* told once */
	interrupt();
	expect_reports(0, 1, 0);
	stop();
}
END_TEST

START_TEST(the_order_in_which_that_is_seen_does_not_matter)
{
	take_shared();
	start(take_shared);
	expect_reports(0, 0, 0);
	interrupt();
	expect_reports(0, 1, 0);
	stop();
}
END_TEST

START_TEST(irqsave_nests)
{
	static DEFINE_SPINLOCK(inner);
	unsigned long flags, more;

	spin_lock_irqsave(&shared, flags);
	spin_lock_irqsave(&inner, more);
	spin_unlock_irqrestore(&inner, more);
	ck_assert(irqs_disabled());
	spin_unlock_irqrestore(&shared, flags);
	ck_assert(!irqs_disabled());
}
END_TEST

/* Time --------------------------------------------------------------------- */

static void spend_much(void)
{
	port_spend(PORT_IRQ_BUDGET + 1);
}

static void spend_enough(void)
{
	port_spend(PORT_IRQ_BUDGET);
}

START_TEST(a_handler_over_its_budget_is_reported)
{
	start(spend_enough);
	port_spend(1000000);		/* another thread's is not his */
	interrupt();
	interrupt();
	expect_reports(0, 0, 0);
	stop();
	start(spend_much);
	interrupt();
	interrupt();			/* told once */
	stop();
	expect_reports(0, 0, 1);
}
END_TEST

/* The offender's name ---------------------------------------------------- */

START_TEST(a_report_names_the_offender)
{
	char text[1024] = "";
	FILE *log = tmpfile();

	setenv("PORT_LOG", "info", 1);
	ck_assert_ptr_nonnull(log);
	dup2(fileno(log), STDERR_FILENO);
	objects_init();
	start(sleep_mutex);
	interrupt();
	seen.what = take_shared;
	interrupt();
	take_shared();
	seen.what = spend_much;
	interrupt();
	stop();
	rewind(log);
	ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, log), 0);
	ck_assert_ptr_nonnull(strstr(text, "mutex_lock(&mutex) in "
				     "sleep_mutex() may sleep, in the "
				     "interrupt handler handler()"));
	ck_assert_ptr_nonnull(strstr(text, "spinlock &shared is taken by the "
				     "interrupt handler, in take_shared()"));
	ck_assert_ptr_nonnull(strstr(text, "handler() took 50001 ns"));
}
END_TEST

/* Waits and work ----------------------------------------------------------- */

static bool flag;

static void *set_flag(void *arg)
{
	(void)arg;
	usleep(2000);
	WRITE_ONCE(flag, true);
	wake_up_all(&queue);
	return NULL;
}

START_TEST(a_wait_returns_what_is_left_or_0)
{
	pthread_t thread;
	long left;

	objects_init();
	ck_assert_int_eq(wait_event_timeout(queue, READ_ONCE(flag), 5), 0);
	pthread_create(&thread, NULL, set_flag, NULL);
	left = wait_event_timeout(queue, READ_ONCE(flag), 10000);
	ck_assert_int_ge(left, 1);
	ck_assert_int_le(left, 10000);
	ck_assert_int_eq(wait_event_timeout(queue, true, 0), 1);
	wait_event(queue, READ_ONCE(flag));
	pthread_join(thread, NULL);
}
END_TEST

START_TEST(a_completion_lets_one_through_or_all)
{
	objects_init();
	ck_assert_uint_eq(wait_for_completion_timeout(&completion, 2), 0);
	complete(&completion);
	ck_assert_uint_ge(wait_for_completion_timeout(&completion, 2), 1);
	ck_assert_uint_eq(wait_for_completion_timeout(&completion, 2), 0);
	complete_all(&completion);
	wait_for_completion(&completion);
	wait_for_completion(&completion);
	reinit_completion(&completion);
	ck_assert_uint_eq(wait_for_completion_timeout(&completion, 2), 0);
}
END_TEST

static atomic_t worked;
static bool again;

static void work_count(struct work_struct *w)
{
	ck_assert(!in_atomic());
	mutex_lock(&mutex);		/* it may sleep */
	mutex_unlock(&mutex);
	if (READ_ONCE(again)) {
		WRITE_ONCE(again, false);
		schedule_work(w);
	}
	atomic_inc(&worked);
}

START_TEST(work_runs_once_for_each_time_it_is_scheduled)
{
	struct work_struct other;

	objects_init();
	INIT_WORK(&work, work_count);
	INIT_WORK(&other, work_count);
	mutex_lock(&mutex);
	ck_assert(schedule_work(&work));
	ck_assert(schedule_work(&other));
	ck_assert(!schedule_work(&other));	/* waits behind the first */
	ck_assert(cancel_work_sync(&other));
	mutex_unlock(&mutex);
	flush_work(&work);
	ck_assert_int_eq(atomic_read(&worked), 1);
	ck_assert(!flush_work(&work));

	WRITE_ONCE(again, true);
	schedule_work(&work);
	while (atomic_read(&worked) < 3)
		usleep(100);
	flush_work(&work);
	ck_assert_int_eq(atomic_read(&worked), 3);
	ck_assert(!cancel_work_sync(&work));
}
END_TEST

START_TEST(an_eventfd_outlives_its_descriptor)
{
	int fd = eventfd(0, EFD_NONBLOCK), mine = dup(fd), pair[2];
	struct pollfd poll_fd = { .fd = mine, .events = POLLIN };
	struct eventfd_ctx *ctx = eventfd_ctx_fdget(fd);

	ck_assert(!IS_ERR(ctx));
	close(fd);
	ck_assert_int_eq(poll(&poll_fd, 1, 0), 0);
	eventfd_signal(ctx);
	ck_assert_int_eq(poll(&poll_fd, 1, 0), 1);
	eventfd_ctx_put(ctx);
	close(mine);
	ck_assert_int_eq(PTR_ERR(eventfd_ctx_fdget(fd)), -EBADF);
	ck_assert_int_eq(pipe(pair), 0);
	ck_assert_int_eq(PTR_ERR(eventfd_ctx_fdget(pair[1])), -EINVAL);
	close(pair[0]);
	close(pair[1]);
	ck_assert_int_eq(port_live_allocs(), 0);
}
END_TEST

START_TEST(lists_keep_their_order)
{
	struct item {
		int number;
		struct list_head link;
	} item[4], *at, *next;
	LIST_HEAD(list);
	int sum = 0;

	for (int i = 0; i < 4; i++) {
		item[i].number = i;
		list_add_tail(&item[i].link, &list);
	}
	list_for_each_entry_safe(at, next, &list, link) {
		ck_assert_int_eq(at->number, sum);
		sum++;
		if (at->number % 2)
			list_del_init(&at->link);
	}
	ck_assert_int_eq(sum, 4);
	list_del_init(&item[1].link);		/* again does no harm */
	list_add(&item[3].link, &list);
	ck_assert_int_eq(list_first_entry(&list, struct item, link)->number,
			 3);
	list_del(&item[3].link);
	list_del(&item[0].link);
	list_del(&item[2].link);
	ck_assert(list_empty(&list));
}
END_TEST

int main(void)
{
	const int ways = ARRAY_SIZE(sleeping);
	Suite *suite = suite_create("port-irq");
	TCase *t = tcase_create("port-irq");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(t, a_message_runs_the_handler_in_hard_interrupt);
	tcase_add_test(t, an_interrupt_has_one_owner_at_a_time);
	tcase_add_loop_test(t, a_call_that_sleeps_is_reported_in_the_handler,
			    0, ways);
	tcase_add_loop_test(t, a_call_that_sleeps_is_reported_under_a_spinlock,
			    0, ways);
	tcase_add_test(t, what_may_be_called_in_the_handler_is_not_reported);
	tcase_add_test(t, a_handlers_lock_is_taken_with_interrupts_off);
	tcase_add_test(t, the_order_in_which_that_is_seen_does_not_matter);
	tcase_add_test(t, irqsave_nests);
	tcase_add_test(t, a_handler_over_its_budget_is_reported);
	tcase_add_test(t, a_report_names_the_offender);
	tcase_add_test(t, a_wait_returns_what_is_left_or_0);
	tcase_add_test(t, a_completion_lets_one_through_or_all);
	tcase_add_test(t, work_runs_once_for_each_time_it_is_scheduled);
	tcase_add_test(t, an_eventfd_outlives_its_descriptor);
	tcase_add_test(t, lists_keep_their_order);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
