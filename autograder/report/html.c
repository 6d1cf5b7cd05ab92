/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The page for one student.
 *
 * Plain HTML that needs nothing else: one file that can be mailed or put on a
 * server, no script, no font, no image.  What to mend comes first: the score
 * by step, the first failure opened, the others folded.  Everything from the
 * record is escaped, and the page forbids itself any resource, so that a
 * student's file name cannot load one.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "autograder/report/inside.h"

static const char style[] =
"  :root { color-scheme: light dark; --fg: #1c2024; --dim: #60646c;\n"
"    --bg: #fcfcfd; --card: #f2f3f5; --line: #dcdfe3; --good: #18794e;\n"
"    --bad: #c0271d; --warn: #8a5a00; --track: #dfe2e6; }\n"
"  @media (prefers-color-scheme: dark) { :root { --fg: #e6e8ea;\n"
"    --dim: #a0a6ae; --bg: #15171a; --card: #1f2226; --line: #34383e;\n"
"    --good: #4cc38a; --bad: #ff8577; --warn: #e2b04c;\n"
"    --track: #33373d; } }\n"
"  body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 58rem;\n"
"    font: 1rem/1.5 system-ui, sans-serif; color: var(--fg);\n"
"    background: var(--bg); }\n"
"  h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem;\n"
"    overflow-wrap: anywhere; }\n"
"  h2 { font-size: 1.1rem; margin: 2.25rem 0 .5rem; }\n"
"  h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }\n"
"  p { margin: .5rem 0; } a { color: inherit; }\n"
"  .dim { color: var(--dim); } .good { color: var(--good); }\n"
"  .bad { color: var(--bad); } .warn { color: var(--warn); }\n"
"  .score { font-size: 2.25rem; font-weight: 650; }\n"
"  .score small { font-size: 1rem; font-weight: 400; color: var(--dim); }\n"
"  .box { background: var(--card); border: 1px solid var(--line);\n"
"    border-radius: .5rem; padding: .75rem 1rem; margin: .75rem 0; }\n"
"  .wide { overflow-x: auto; }\n"
"  table { border-collapse: collapse; width: 100%; }\n"
"  th { text-align: left; font-weight: 500; color: var(--dim);\n"
"    font-size: .85rem; }\n"
"  th, td { padding: .35rem .9rem .35rem 0; vertical-align: top;\n"
"    border-bottom: 1px solid var(--line); }\n"
"  td:last-child { padding-right: 0; }\n"
"  td.n, th.n { text-align: right; white-space: nowrap;\n"
"    font-variant-numeric: tabular-nums; }\n"
"  td.who { overflow-wrap: anywhere; width: 30%; min-width: 6rem; }\n"
"  .wide td:last-child { overflow-wrap: anywhere; }\n"
"  td.bar { width: 35%; vertical-align: middle; }\n"
"  .bar div { height: .5rem; border-radius: .25rem;\n"
"    background: var(--track); overflow: hidden; }\n"
"  .bar i { display: block; height: 100%; background: var(--good); }\n"
"  code, pre { font: .85rem/1.45 ui-monospace, monospace; }\n"
"  code { overflow-wrap: anywhere; }\n"
"  pre { overflow-x: auto; margin: .5rem 0; padding: .6rem .8rem;\n"
"    border: 1px solid var(--line); border-radius: .35rem;\n"
"    background: var(--bg); }\n"
"  details { border-bottom: 1px solid var(--line); padding: .4rem 0; }\n"
"  summary { cursor: pointer; }\n"
"  summary .n { float: right; color: var(--dim);\n"
"    font-variant-numeric: tabular-nums; }\n"
"  dl { display: grid; grid-template-columns: max-content 1fr;\n"
"    gap: .25rem 1rem; margin: .5rem 0; }\n"
"  dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }\n"
"  ul.plain { list-style: none; padding: 0; margin: 0; }\n";

void html_head(const char *title, FILE *out)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
	      "content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\""
	      "default-src 'none'; style-src 'unsafe-inline'\">\n<title>",
	      out);
	put_markup(title, out);
	fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n",
		style);
}

static void put_score(const cJSON *record, FILE *out)
{
	const char *message = result_text(record, "message");
	bool public = result_is(record, "visibility", "public");

	if (result_has_score(record))
		fprintf(out, "<p class=\"score\">%.0f <small>of %.0f "
			"points%s</small></p>\n",
			result_number(record, "score"),
			result_number(record, "max_score"),
			public ? " in public tests" : "");
	else
		fputs("<p class=\"score\">No score</p>\n", out);
	if (!*message)
		return;
	fputs("<div class=\"box\"><strong class=\"bad\">", out);
	put_markup(result_text(record, "state"), out);
	fputs("</strong> ", out);
	put_markup(message, out);
	if (result_is(record, "state", "error"))
		fputs("<p>The grader failed. This is not a score; the "
		      "submission will be graded again.</p>", out);
	fputs("</div>\n", out);
}

static void put_steps(const cJSON *record, FILE *out)
{
	const cJSON *step, *first = result_first_failure(record);

	fputs("<h2>Points by step</h2>\n<table>\n", out);
	FOR_EACH(step, result_list(record, "steps")) {
		double points = result_number(step, "points");
		double earned = result_number(step, "earned");

		fputs("<tr><td>", out);
		put_markup(result_text(step, "step"), out);
		fprintf(out, "</td><td class=\"bar\"><div><i style=\""
			"width:%.0f%%\"></i></div></td><td class=\"n\">"
			"%.0f of %.0f</td></tr>\n",
			points > 0 ? 100 * earned / points : 0, earned,
			points);
	}
	fputs("</table>\n", out);
	if (!first)
		return;
	fputs("<p>First failure: <a href=\"#first\">", out);
	put_markup(result_text(first, "title"), out);
	fputs("</a></p>\n", out);
}

static void put_row(const char *name, const char *text, bool code, FILE *out)
{
	if (!*text)
		return;
	fprintf(out, "<dt>%s</dt><dd>%s", name, code ? "<code>" : "");
	put_markup(text, out);
	fprintf(out, "%s</dd>\n", code ? "</code>" : "");
}

static void put_failure_box(const cJSON *test, FILE *out)
{
	const cJSON *f = cJSON_GetObjectItemCaseSensitive(test, "failure");
	const cJSON *item;
	char at[64];

	snprintf(at, sizeof(at), "%.0f ns, seed %.0f",
		 result_number(f, "time_ns"), result_number(f, "seed"));
	fputs("<dl>\n<dt>rule</dt><dd><code>", out);
	put_markup(result_text(f, "rule"), out);
	fputs("</code> ", out);
	put_markup(result_text(f, "section"), out);
	fputs("<br>", out);
	put_markup(result_text(f, "text"), out);
	fputs("</dd>\n", out);
	put_row("expected", result_text(f, "expected"), false, out);
	put_row("actual", result_text(f, "actual"), false, out);
	put_row("when", at, false, out);
	put_row("hint", result_text(f, "hint"), false, out);
	put_row("replay", result_text(f, "replay"), true, out);
	if (cJSON_GetArraySize(result_list(f, "others"))) {
		fputs("<dt>also</dt><dd>", out);
		FOR_EACH(item, result_list(f, "others")) {
			put_markup(item->valuestring, out);
			fputs(item->next ? ", " : "</dd>\n", out);
		}
	}
	fputs("</dl>\n", out);
	if (!cJSON_GetArraySize(result_list(f, "events")))
		return;
	fputs("<p class=\"dim\">Last events on the bus</p>\n"
	      "<pre tabindex=\"0\">", out);
	FOR_EACH(item, result_list(f, "events")) {
		put_markup(item->valuestring, out);
		putc('\n', out);
	}
	fputs("</pre>\n", out);
}

static void put_test(const cJSON *test, bool open, FILE *out)
{
	bool fail = result_is(test, "outcome", "fail");
	bool pass = result_is(test, "outcome", "pass");

	fprintf(out, "<details%s><summary>", open ? " open id=\"first\"" : "");
	fprintf(out, "<span class=\"%s\" role=\"img\" aria-label=\"%s\">"
		"%s</span> ", pass ? "good" : fail ? "bad" : "dim",
		result_text(test, "outcome"), pass ? "✓" : fail ? "✗" : "–");
	put_markup(result_text(test, "title"), out);
	if (result_number(test, "points") > 0)
		fprintf(out, "<span class=\"n\">%.0f of %.0f</span>",
			result_number(test, "earned"),
			result_number(test, "points"));
	else
		fputs("<span class=\"n\">no points</span>", out);
	fputs("</summary>\n", out);
	fputs("<p class=\"dim\"><code>", out);
	put_markup(result_text(test, "name"), out);
	fputs("</code>, ", out);
	put_markup(result_text(test, "section"), out);
	fprintf(out, ", %s, %s; ran with %.0f of %.0f seeds</p>\n",
		result_text(test, "kind"), result_text(test, "visibility"),
		result_number(test, "seeds_run"),
		result_number(test, "seeds"));
	if (fail)
		put_failure_box(test, out);
	fputs("</details>\n", out);
}

static void put_tests(const cJSON *record, FILE *out)
{
	const cJSON *test, *first = result_first_failure(record), *step;

	fputs("<h2>Tests</h2>\n", out);
	FOR_EACH(step, result_list(record, "steps")) {
		fputs("<h3>", out);
		put_markup(result_text(step, "step"), out);
		fputs("</h3>\n", out);
		FOR_EACH(test, result_list(record, "tests"))
			if (result_is(test, "step",
				      result_text(step, "step")))
				put_test(test, test == first, out);
	}
}

static void put_files(const cJSON *record, FILE *out)
{
	const cJSON *item;

	fputs("<h2>Files</h2>\n<ul class=\"plain\">\n", out);
	FOR_EACH(item, result_list(record, "files")) {
		fputs("<li><code>", out);
		put_markup(result_text(item, "name"), out);
		fprintf(out, "</code> %s</li>\n",
			result_is(item, "from", "skeleton") ?
			"<span class=\"warn\">not submitted, the skeleton's "
			"is used</span>" : "");
	}
	FOR_EACH(item, result_list(record, "ignored")) {
		fputs("<li class=\"dim\"><code>", out);
		put_markup(result_text(item, "name"), out);
		fputs("</code> ignored: ", out);
		put_markup(result_text(item, "why"), out);
		fputs("</li>\n", out);
	}
	fputs("</ul>\n", out);
}

/* How much there is to mend, and the first of it. */
static void put_warnings(const cJSON *compile, FILE *out)
{
	const cJSON *list = result_list(compile, "warnings"), *item;
	int count = result_number(compile, "warning_count");
	int more = count - cJSON_GetArraySize(list);

	if (!count)
		return;
	fprintf(out, "<div class=\"box\"><p class=\"warn\">The compiler gives "
		"%d warning%s</p>\n<ul class=\"plain\">\n", count,
		count == 1 ? "" : "s");
	FOR_EACH(item, list) {
		fputs("<li><code>", out);
		put_markup(cJSON_IsString(item) ? item->valuestring : "",
			   out);
		fputs("</code></li>\n", out);
	}
	if (more > 0)
		fprintf(out, "<li class=\"dim\">and %d more</li>\n", more);
	fputs("</ul></div>\n", out);
}

/* Folded when it compiles. */
static void put_log(const cJSON *record, FILE *out)
{
	const cJSON *compile = cJSON_GetObjectItemCaseSensitive(record,
								"compile");
	const char *log = result_text(compile, "log");
	bool graded = result_is(record, "state", "graded");

	if (graded)
		put_warnings(compile, out);
	if (!*log)
		return;
	fprintf(out, "<details%s><summary>What the compiler says"
		"</summary>\n<pre tabindex=\"0\">", graded ? "" : " open");
	put_markup(log, out);
	fputs("</pre></details>\n", out);
}

void write_html(const cJSON *records, FILE *out)
{
	const cJSON *record = records->child;
	char title[512];

	snprintf(title, sizeof(title), "%s, lab %s",
		 result_text(record, "student"), result_text(record, "lab"));
	html_head(title, out);
	fputs("<h1>", out);
	put_markup(title, out);
	fputs("</h1>\n", out);
	put_score(record, out);
	put_log(record, out);
	if (result_has_score(record))
		put_steps(record, out);
	if (result_is(record, "state", "graded"))
		put_tests(record, out);
	put_files(record, out);
	fputs("</main>\n</body>\n</html>\n", out);
}
