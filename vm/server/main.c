/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * tesla-server: a card behind a socket, for QEMU's vfio-user-pci.
 *
 * The loop waits on the socket, the card's timer and signals, and for nothing
 * else: a server whose guest is idle uses no processor time.  While a client
 * is there, the next waits in the listening socket's queue.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "vm/server/guard.h"
#include "vm/server/listen.h"
#include "vm/server/options.h"
#include "vm/server/server.h"

struct loop {
	struct server server;
	int epoll, signals, listener;
	int watched;		/* the client's socket, or -1	*/
	uint32_t unmask_fds;	/* its events to unmask INTx	*/
	bool stop;
};

static int watch(struct loop *l, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static void unwatch(struct loop *l, int fd)
{
	/* a closed descriptor has left by itself */
	epoll_ctl(l->epoll, EPOLL_CTL_DEL, fd, NULL);
}

static int signals_open(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* Listen while nobody is here; watch who is. */
static void follow_client(struct loop *l)
{
	struct server *s = &l->server;

	if (l->watched >= 0 && s->client.fd < 0) {
		l->watched = -1;
		watch(l, l->listener);
	}
	if (s->irq.unmask_fds != l->unmask_fds) {
		if (s->irq.unmask_fd >= 0)
			watch(l, s->irq.unmask_fd);
		l->unmask_fds = s->irq.unmask_fds;
	}
}

static void welcome(struct loop *l)
{
	int fd = listen_accept(l->listener);

	if (fd < 0)
		return;
	if (watch(l, fd)) {
		close(fd);
		return;
	}
	unwatch(l, l->listener);
	l->watched = fd;
	server_greet(&l->server, fd);
}

static void on_event(struct loop *l, int fd)
{
	struct signalfd_siginfo info;

	if (fd == l->signals) {
		if (read(fd, &info, sizeof(info)) == sizeof(info))
			l->stop = true;
	} else if (fd == l->listener) {
		welcome(l);
	} else if (fd == l->server.clock.timer) {
		clock_woken(&l->server.clock);
	} else if (fd == l->server.irq.unmask_fd) {
		irq_unmask_event(&l->server.irq);
	}
}

static int wait_for_events(struct loop *l, bool more)
{
	struct server *s = &l->server;
	struct epoll_event events[8];
	int n;

	if (!more)
		more = !server_may_sleep(s);
	n = epoll_wait(l->epoll, events, 8, more ? 0 : -1);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; i < n; i++)
		on_event(l, events[i].data.fd);
	return 0;
}

static int run(struct loop *l)
{
	int err = 0;

	while (!l->stop && !err) {
		bool more = server_serve(&l->server);

		more |= server_tick(&l->server);
		server_check_deadline(&l->server);
		follow_client(l);
		err = wait_for_events(l, more);
	}
	return err;
}

static int start(struct loop *l, const struct options *options)
{
	int err;

	*l = (struct loop){ .watched = -1 };
	err = server_init(&l->server, &options->server, options->log);
	if (err)
		return err;
	l->listener = listen_open(options->socket);
	if (l->listener < 0) {
		err = l->listener;
		goto fini_server;
	}
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	l->signals = signals_open();
	if (l->epoll < 0 || l->signals < 0 || guard_install() ||
	    watch(l, l->listener) || watch(l, l->signals) ||
	    watch(l, l->server.clock.timer)) {
		err = errno ? -errno : -EIO;
		goto close_listener;
	}
	return 0;

close_listener:
	listen_close(l->listener, options->socket);
fini_server:
	server_fini(&l->server);
	return err;
}

int main(int argc, char **argv)
{
	static struct loop loop;
	struct options options;
	int err = options_read(&options, argc, argv);

	if (err)
		return err < 0 ? 2 : 0;
	err = start(&loop, &options);
	if (!err) {
		server_log(&loop.server, "listening at %s", options.socket);
		err = run(&loop);
		listen_close(loop.listener, options.socket);
		server_fini(&loop.server);
	}
	if (err)
		fprintf(stderr, "tesla-server: %s: %s\n", options.socket,
			strerror(-err));
	options_done(&options);
	return err ? 1 : 0;
}
