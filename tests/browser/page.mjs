// Opens a report in headless Chromium and does what a reader does: node page.mjs WHAT FILE; prints "ok".
import assert from "node:assert/strict";
import {chromium} from "../../bench/report/page/node_modules/playwright-core/index.mjs";

const [what, file] = process.argv.slice(2);
const browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]});
const page = await browser.newPage({viewport: {width: 1300, height: 900}});
const faults = [];
page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
page.on("pageerror", (error) => faults.push(error.message));
page.on("request", (request) => request.url() !== `file://${file}` && !request.url().startsWith("data:") && faults.push(`request of ${request.url()}`));

const texts = (selector) => page.locator(selector).allTextContents();
const column = async (table, head) => {
  const heads = await table.locator("thead th").allTextContents();
  const k = heads.indexOf(head) + 1;
  assert.ok(k > 0, `${head} among ${heads}`);
  return table.locator(`tbody tr td:nth-child(${k})`).allTextContents();
};
const seeEverything = async () => {
  // The page grows while it is drawn. What comes into view is told once a frame, however long it takes.
  for (let y = 0; y < (await page.evaluate(() => document.documentElement.scrollHeight)); y += 600) {
    await page.evaluate((at) => new Promise((seen) => {
      window.scrollTo(0, at);
      requestAnimationFrame(() => requestAnimationFrame(seen));
    }), y);
  }
};

const tests = {
  async benchmark() {
    // The verdict comes first, a line a class; a click opens it.
    const verdicts = page.locator("#verdict table.verdicts > tbody > tr:not(.detail)");
    assert.equal(await verdicts.count(), 4);
    assert.match(await verdicts.first().textContent(), /piles.*of.*ms|µs/);
    await verdicts.first().locator("button").click();
    const detail = page.locator("#verdict tr.detail:not([hidden]) table").first();
    assert.equal(await detail.locator("tbody tr").count(), 5);
    await verdicts.first().locator("td").first().click(); // anywhere in the line
    assert.equal(await page.locator("#verdict tr.detail:not([hidden])").count(), 0);
    // Every chart of every suite is drawn when it is reached.
    await seeEverything();
    for (const suite of ["piles", "stacks"]) {
      const titles = await page.locator(`#suite-${suite} figure svg[role=img]`).evaluateAll((all) => all.map((svg) => svg.getAttribute("aria-label")));
      assert.deepEqual(titles, [`Performance profile: ${suite}`, `Data profile: ${suite}`, `Accuracy profile: ${suite}`, "contact-stack"]);
    }
    // A legend leaves a solver out and puts it back.
    const figure = page.locator("#suite-piles figure").first();
    const lines = () => figure.locator(".plot svg path").count();
    const before = await lines();
    await figure.locator(".legend button").first().click();
    assert.ok((await lines()) < before);
    await figure.locator(".legend button").first().click();
    assert.equal(await lines(), before);
    // The pointer tells the problem.
    await figure.scrollIntoViewIfNeeded();
    const box = await figure.locator(".plot svg").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 3);
    await page.waitForTimeout(100);
    assert.match(await figure.locator("[aria-label=tip]").textContent(), /%/);
    // A head sorts, both ways; numbers as numbers.
    const table = page.locator("#failures table").nth(1);
    const byN = async () => (await column(table, "n")).map(Number);
    await table.locator("thead button", {hasText: /^n$/}).click();
    assert.deepEqual(await byN(), [...(await byN())].sort((a, b) => a - b));
    assert.equal(await table.locator("th[aria-sort=ascending]").textContent(), "n");
    await table.locator("thead button", {hasText: /^n$/}).click();
    assert.deepEqual(await byN(), [...(await byN())].sort((a, b) => b - a));
    assert.ok((await column(table, "worst row")).every((text) => text === "z[3] (contact of a and b)"));
    assert.match((await column(table, "again with"))[0], /^perp bench \w+ --only pile-\d+ --solvers [\w-]+ --tolerance 1e-8 --time-limit 10 --memory-limit 1000 -o again --overwrite$/);
    // What is empty has no column.
    assert.ok(!(await texts("#suite-piles thead th")).includes("vacuous"));
    // Filters restrict everything.
    await page.locator(".chooser summary", {hasText: "solvers"}).click();
    await page.locator(".chooser input[value=lemke]").check();
    assert.match(await page.locator("#shown").textContent(), /^120 of 600 runs$/);
    assert.deepEqual([...new Set(await column(page.locator("#suite-piles table").first(), "solver"))], ["lemke"]);
    await page.locator("button[type=reset]").click();
    await page.waitForTimeout(100);
    assert.equal(await page.locator("#shown").textContent(), "");
    // Keys: "/" goes to the filters. Colours: three states.
    await page.locator("h1").click();
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "solvers");
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.locator("#theme").click();
    const light = await paper();
    await page.locator("#theme").click();
    assert.notEqual(await paper(), light);
    // On a narrow screen nothing but tables is wider than the page.
    await page.setViewportSize({width: 400, height: 800});
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 400));
  },
  async versions() {
    const suites = page.locator("#versions details");
    assert.equal(await suites.count(), 2);
    await seeEverything();
    // Every suite has its chart and its table, and the sections below are there, too.
    await page.locator("#versions figure svg[role=img]").nth(1).waitFor();
    await page.locator("#suite-piles figure svg[role=img]").nth(3).waitFor();
    assert.equal(await page.locator("#versions figure svg[role=img]").count(), 2);
    assert.equal(await suites.first().locator("tbody tr").count(), 5);
    assert.equal(await page.locator("#suite-piles figure svg[role=img]").count(), 4);
  },
  async large() {
    // Long lists are shown in parts: that is what lets the page open at once.
    assert.match(await page.locator(".lead").textContent(), /^10000 runs of 5 solvers on 2000 problems; /);
    const rows = await page.locator("#failures table").nth(1).locator("tbody tr").count();
    assert.equal(rows, 200);
    await page.locator("#failures button", {hasText: "Show all"}).click();
    assert.ok((await page.locator("#failures table").nth(1).locator("tbody tr").count()) > 200);
  },
  async incomplete() {
    const lines = page.locator("#verdict table.verdicts > tbody > tr:not(.detail)");
    const [one, more] = await lines.allTextContents();
    assert.match(one, /1 problem of 1 unknownauto/);
    assert.match(more, /9 problems of 40 unknownsauto has no record of 1 of the 9 problems; compared on the 8 that all have\.auto8 of 8/);
    assert.match(await page.locator("#verdict > p.part").textContent(), /several machines or compilers \(c \(1 core\); c \(2 cores\)\)/);
    await lines.nth(1).locator("button").click();
    const detail = page.locator("#verdict tr.detail:not([hidden]) table").first();
    assert.deepEqual(await column(detail, "to the advised"), ["1", "1.1"]);
    await seeEverything();
    const ticks = async (title) => page.locator(`figure svg[aria-label="${title}"] [aria-label="x-axis tick label"] text`).allTextContents();
    assert.deepEqual(await ticks("Data profile: stacks"), ["1.1e-4", "1.2e-4", "1.3e-4", "1.4e-4"]);
    assert.deepEqual(await ticks("Performance profile: stacks"), ["1", "1.2", "1.4", "1.6", "1.8", "2"]);
    assert.ok((await column(page.locator("#suite-stacks table").first(), "iterations")).every((text) => text === "16383"));
    assert.equal(await page.locator("#failures > p").textContent(), "None: all 19 runs were solved.");
  },
  async refusals() {
    await seeEverything();
    await page.waitForTimeout(200);
    assert.equal(await page.locator("figure").count(), 0);
    assert.equal(await page.locator("#failures > p").textContent(), "None, but nothing was solved: all 24 runs were refused.");
    assert.match(await page.locator("#verdict table.verdicts > tbody > tr").first().textContent(), /Every run was refused\.$/);
  },
  async harmless() {
    await seeEverything();
    assert.equal(await page.evaluate(() => window.attacked), undefined);
    assert.equal(await page.locator("main img").count(), 0);
    assert.ok((await page.locator("main").textContent()).includes("<script>window.attacked"));
  },
  async simulations() {
    await seeEverything();
    await page.locator("#simulations figure svg[role=img]").nth(2).waitFor();
    const titles = await page.locator("#simulations figure svg[role=img]").evaluateAll((all) => all.map((svg) => svg.getAttribute("aria-label")));
    assert.deepEqual(titles.slice(0, 3), ["Kinetic energy", "Total energy", "Path of the body's centre"]);
    assert.deepEqual(await column(page.locator("#simulations table").first(), "N"), ["10", "20"]);
    // The motion plays; two runs side by side end where their records end.
    const player = page.locator(".replay");
    await player.scrollIntoViewIfNeeded();
    assert.equal(await player.locator("canvas").count(), 2);
    const slider = player.locator("input[type=range]"), at = async (value) => {
      await slider.evaluate((element, v) => { element.value = v; element.dispatchEvent(new Event("input")); }, value);
      return (await player.locator(".views").screenshot()).toString("base64");
    };
    const first = await at(0), last = await at(1000);
    assert.ok(first !== last, "bodies move");
    assert.equal(await player.locator("output").textContent(), "0.300 s");
    assert.ok((await at(0)) === first, "time runs backwards too");
    await player.locator("button", {hasText: "Play"}).click();
    await page.waitForFunction(() => Number.parseFloat(document.querySelector(".replay output").textContent) > 0.05);
    await page.waitForFunction(() => document.querySelector(".replay button").textContent === "Play");
    const middle = await at(600);  // at the beginning there are no impulses
    await player.locator("label", {hasText: "contact points"}).locator("input").uncheck();
    assert.ok((await at(600)) !== middle, "contact points are shown and hidden");
    await player.getByLabel("beside it").selectOption("");
    assert.equal(await player.locator("canvas").count(), 1);
    await page.locator("#simulations summary", {hasText: "Final positions"}).click();
    assert.equal(await page.locator("#simulations details tbody tr").count(), 2);
  },
};

await page.goto(`file://${file}`);
await tests[what]();
await browser.close();
assert.deepEqual(faults, []);
console.log("ok");
