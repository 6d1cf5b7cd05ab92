// SPDX-License-Identifier: GPL-2.0 OR MIT
// Print decks and pages with a browser: node print.mjs FILE.html OUT.pdf,
// or, to look at them, node print.mjs FILE.html OUT.png [QUERY].
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import path from "node:path";

const require = createRequire(path.resolve("build/npm/x.js"));
const { chromium } = require("playwright-core");
const browsers = [process.env.CHROMIUM, "/usr/bin/chromium",
	"/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const [file, out, query = ""] = process.argv.slice(2);

const browser = await chromium.launch({
	executablePath: browsers.find(b => b && existsSync(b)),
	args: ["--no-sandbox"],
});
const page = await browser.newPage({
	viewport: { width: 1280, height: 720 },
});
const url = pathToFileURL(file).href;

if (out.endsWith(".png")) {
	await page.goto(url + query);
	await page.evaluate(() => document.fonts.ready);
	await page.screenshot({ path: out, fullPage: !query.includes("#/") });
} else {
	/* A deck says when it has laid out its pages. */
	await page.addInitScript(() => document.addEventListener("pdf-ready",
		() => { window.laidOut = true; }, true));
	await page.goto(url + "?print-pdf");
	await page.waitForFunction(() => typeof Reveal !== "object" ||
		window.laidOut);
	await page.evaluate(() => document.fonts.ready);
	await page.pdf({ path: out, preferCSSPageSize: true,
			 printBackground: true });
}
await browser.close();
