/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * lab-vfio: the driver of labs 01 to 03 on a card that vfio-pci has.
 *
 * One process opens the card, brings it up, has it work step by step, and
 * takes it down.  What is asked for least comes first; --fault, after which
 * a real card may want a reset, must be asked for.  A signal that would end
 * the process makes the card quiet before.
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "lab.h"
#include "irq.h"
#include "vfio.h"

/* Nothing here takes as long. */
#define SECONDS	300

static struct gpu_bus *bus;	/* for the signals' handler */

static const struct step {
	const char *name;
	int (*run)(struct lab *lab);
	bool asked;		/* only with --fault		*/
} steps[] = {
	{ "ring", lab_ring, false },
	{ "fences", lab_fences, false },
	{ "copy", lab_copy, false },
	{ "address space", lab_space, false },
	{ "fault", lab_fault, true },
};

static void on_signal(int number)
{
	struct gpu_bus *open = bus;

	bus = NULL;
	if (open)
		bus_vfio_quiet(open);
	raise(number);		/* the handler is gone: this ends it */
}

static void signals_catch(void)
{
	static const int numbers[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGSEGV, SIGABRT,
		SIGILL, SIGFPE,
	};
	struct sigaction action = {
		.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND,
	};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		sigaction(numbers[i], &action, NULL);
	alarm(SECONDS);
}

/* How many failed. */
static unsigned int steps_run(struct lab *lab, bool fault)
{
	unsigned int failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		int err;

		if (steps[i].asked && !fault)
			continue;
		err = steps[i].run(lab);
		if (err)
			printf("FAIL %s: %s: %s\n", steps[i].name, lab->why,
			       strerror(-err));
		else
			printf("ok %s\n", steps[i].name);
		fflush(stdout);
		failed += !!err;
	}
	return failed;
}

static int run(const struct vfio_config *config, bool fault)
{
	struct lab lab = { 0 };
	struct gpu_irq_stats stats;
	unsigned int failed;
	int err;

	err = bus_vfio_open(config, &lab.bus);
	if (err)
		return 2;
	bus = lab.bus;
	err = lab_up(&lab);
	if (err) {
		printf("FAIL bring-up: %s\n", strerror(-err));
		failed = 1;
		goto close_bus;
	}
	printf("ok bring-up: %s, course additions: %s\n",
	       gpu_chip_name(lab.gpu), gpu_additions(lab.gpu) ? "yes" : "no");
	failed = steps_run(&lab, fault);
	gpu_irq_stats(lab.gpu, &stats);
	printf("# %llu interrupts, %llu of them spurious, the longest %llu "
	       "us\n", (unsigned long long)stats.interrupts,
	       (unsigned long long)stats.spurious,
	       (unsigned long long)stats.longest_ns / 1000);
	lab_down(&lab);
close_bus:
	bus = NULL;
	gpu_bus_close(lab.bus);
	printf("%s\n", failed ? "failed" : "all passed");
	return failed ? 1 : 0;
}

static int usage(void)
{
	fprintf(stderr, "lab-vfio [--fault] [--reset-at-close] ADDRESS\n");
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "fault", no_argument, NULL, 'f' },
		{ "reset-at-close", no_argument, NULL, 'r' },
		{ 0 },
	};
	struct vfio_config config = { 0 };
	struct vfio_kept kept;
	bool fault = false;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'f')
			fault = true;
		else if (option == 'r')
			config.reset_at_close = true;
		else
			return usage();
	}
	if (argc - optind != 1)
		return usage();
	config.address = argv[optind];
	if (vfio_kept_find(config.address, &kept))
		config.kept = &kept;
	signals_catch();
	return run(&config, fault);
}
