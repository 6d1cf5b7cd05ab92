/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Versions and capabilities, in JSON.
 *
 * The client proposes, the server answers with what it takes.  Of what a
 * client can tell, two things matter here: how much data it takes in one DMA
 * message, and whether it would like to send many writes in one.  Everything
 * else is left at the protocol's defaults.  A number that is absurd is not an
 * error but a client that can do less.
 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vm/server/version.h"

enum {
	MAJOR = 0,
	DEFAULT_DATA_MAX = 1 << 20,
};

static const cJSON *capability(const cJSON *root, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(root, "capabilities"), name);
}

static uint32_t data_max(const cJSON *root)
{
	const cJSON *item = capability(root, "max_data_xfer_size");
	double value = DEFAULT_DATA_MAX;

	if (cJSON_IsNumber(item))
		value = item->valuedouble;
	/* written so that what is no number at all is small too */
	if (!(value >= VU_DATA_LEAST))
		return VU_DATA_LEAST;
	return value < VU_DATA_MAX ? (uint32_t)value : VU_DATA_MAX;
}

int vu_version_read(const struct vu_message *message, struct vu_peer *peer,
		    const char **why)
{
	cJSON *root = NULL;

	if (message->version.major != MAJOR) {
		*why = "a major version that is not 0";
		return -EPROTO;
	}
	if (message->version.json) {
		root = cJSON_ParseWithLength(message->version.json,
					     message->version.length);
		if (!cJSON_IsObject(root)) {
			cJSON_Delete(root);
			*why = "capabilities that are no JSON object";
			return -EPROTO;
		}
	}
	peer->data_max = data_max(root);
	peer->many = cJSON_IsTrue(capability(root, "write_multiple"));
	cJSON_Delete(root);
	return 0;
}

size_t vu_version_write(const struct vu_peer *peer, uint32_t maps_max,
			void *body, size_t room)
{
	int n;

	if (room < 4)
		return 0;
	memset(body, 0, 4);
	n = snprintf((char *)body + 4, room - 4,
		     "{\"capabilities\":{\"max_msg_fds\":%d,"
		     "\"max_data_xfer_size\":%d,\"max_dma_maps\":%u,"
		     "\"pgsizes\":4096%s}}", VU_FDS, VU_DATA_MAX,
		     (unsigned int)maps_max,
		     peer->many ? ",\"write_multiple\":true" : "");
	if (n < 0 || (size_t)n >= room - 4)
		return 0;
	return 4 + (size_t)n + 1;
}
