/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * guest-qmp SOCKET COMMAND [ARGUMENTS [EVENT]]: one command to QEMU.
 *
 * QEMU's machine protocol is a line of JSON each way over a socket: it greets,
 * we ask for no capabilities, and then each command is answered by "return"
 * or "error", with events in between whenever something happened.  Taking a
 * card out is such a case: the answer to device_del means only that the guest
 * has been asked, and DEVICE_DELETED comes when it let go.  So an EVENT may be
 * named to wait for, if ARGUMENTS have an id then the one of that device.
 *
 * Prints "ok" or "error WHY", and its status is 0 or 1.  It waits LIMIT
 * seconds at most: a guest that hangs must not hang whoever asks.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#define LIMIT	30

struct qmp {
	int fd;
	time_t end;
	size_t used;
	char text[65536];
};

static int fail(const char *why)
{
	printf("error %s\n", why);
	return 1;
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!connect(fd, (void *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -errno;
}

static time_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

/* More bytes behind those that are there; false at the end or too late. */
static bool more(struct qmp *qmp)
{
	struct pollfd pollfd = { .fd = qmp->fd, .events = POLLIN };
	time_t left = qmp->end - now();
	ssize_t n;

	if (left <= 0 || qmp->used == sizeof(qmp->text) ||
	    poll(&pollfd, 1, left * 1000) <= 0)
		return false;
	n = read(qmp->fd, qmp->text + qmp->used, sizeof(qmp->text) - qmp->used);
	if (n <= 0)
		return false;
	qmp->used += n;
	return true;
}

/* The next line, parsed; NULL when none comes. */
static cJSON *next(struct qmp *qmp)
{
	char *end;
	cJSON *line;

	while (!(end = memchr(qmp->text, '\n', qmp->used)))
		if (!more(qmp))
			return NULL;
	line = cJSON_ParseWithLength(qmp->text, end - qmp->text);
	qmp->used -= end + 1 - qmp->text;
	memmove(qmp->text, end + 1, qmp->used);
	return line;
}

static bool is(const cJSON *item, const char *text)
{
	return cJSON_IsString(item) && !strcmp(item->valuestring, text);
}

/* Lines up to the one that has this member; the caller deletes it. */
static cJSON *wait_for(struct qmp *qmp, const char *member, const char *value,
		       const cJSON *id)
{
	cJSON *line, *found, *data;

	while ((line = next(qmp))) {
		if (cJSON_GetObjectItem(line, "error"))
			return line;
		found = cJSON_GetObjectItem(line, member);
		data = cJSON_GetObjectItem(line, "data");
		data = cJSON_GetObjectItem(data, "device");
		if (found && (!value || is(found, value)) &&
		    (!id || !value || is(data, id->valuestring)))
			return line;
		cJSON_Delete(line);
	}
	return NULL;
}

static int outcome(cJSON *line)
{
	cJSON *error = cJSON_GetObjectItem(line, "error");
	cJSON *why = cJSON_GetObjectItem(error, "desc");
	int status = 0;

	if (!line)
		status = fail("QEMU does not answer");
	else if (error)
		status = fail(cJSON_IsString(why) ? why->valuestring : "?");
	cJSON_Delete(line);
	return status;
}

static bool send_line(struct qmp *qmp, const cJSON *line)
{
	char *text = cJSON_PrintUnformatted(line);
	size_t n = text ? strlen(text) : 0;
	bool sent = text && write(qmp->fd, text, n) == (ssize_t)n &&
		    write(qmp->fd, "\n", 1) == 1;

	free(text);
	return sent;
}

static int execute(struct qmp *qmp, const char *command, cJSON *arguments,
		   const char *event)
{
	cJSON *id = cJSON_GetObjectItem(arguments, "id");
	cJSON *line = cJSON_CreateObject();
	int status;

	cJSON_AddStringToObject(line, "execute", command);
	if (arguments)
		cJSON_AddItemReferenceToObject(line, "arguments", arguments);
	if (!send_line(qmp, line))
		status = fail("QEMU is gone");
	else
		status = outcome(wait_for(qmp, "return", NULL, NULL));
	cJSON_Delete(line);
	if (!status && event)
		status = outcome(wait_for(qmp, "event", event,
					  cJSON_IsString(id) ? id : NULL));
	return status;
}

int main(int argc, char **argv)
{
	static struct qmp qmp;
	cJSON *arguments = NULL;
	int status;

	if (argc < 3 || argc > 5) {
		fputs("usage: guest-qmp SOCKET COMMAND [ARGUMENTS [EVENT]]\n",
		      stderr);
		return 2;
	}
	if (argc > 3 && !(arguments = cJSON_Parse(argv[3])))
		return fail("ARGUMENTS is no JSON");
	qmp.end = now() + LIMIT;
	qmp.fd = connect_to(argv[1]);
	if (qmp.fd < 0)
		status = fail(strerror(-qmp.fd));
	else
		status = outcome(wait_for(&qmp, "QMP", NULL, NULL)) ||
			 execute(&qmp, "qmp_capabilities", NULL, NULL) ||
			 execute(&qmp, argv[2], arguments,
				 argc > 4 ? argv[4] : NULL);
	if (!status)
		puts("ok");
	cJSON_Delete(arguments);
	if (qmp.fd >= 0)
		close(qmp.fd);
	return status;
}
