import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { type Browser, launch, type Page } from "puppeteer-core";
import { documents } from "../../scripts/docs/code-blocks";
import { directoriesOnPath, isExecutable } from "../../scripts/programs";
import { startServer, stopServers } from "../http/server";
import { installPackage } from "../support/machine";
import { repository, temporaryDirectory } from "../support/packed-library";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const installed = (): string | undefined =>
  directoriesOnPath(process.env)
    .flatMap((directory) => names.map((name) => join(directory, name)))
    .find(isExecutable);

/** Starts the browser of CHROME_PATH, else one on PATH, else Debian's Chromium, which is installed where that is possible. */
async function startBrowser(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  if (process.env.CHROME_PATH === undefined && installed() === undefined && isRoot) {
    installPackage("chromium");
  }
  const advice = "The pages are tested in a browser: install Chromium, or set CHROME_PATH to a browser.";
  const executablePath = process.env.CHROME_PATH ?? installed() ?? assert.fail(advice);
  // As root Chromium starts without its sandbox only; it sees nothing but pages of this repository.
  return launch({ executablePath, args: ["--disable-dev-shm-usage", ...(isRoot ? ["--no-sandbox"] : [])] });
}

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Builds the site from what is in `docs`, and serves it as any file server would. @returns its address */
async function serveSite(directory: string): Promise<string> {
  const program = join(repository, "node_modules", "vitepress", "bin", "vitepress.js");
  execFileSync(process.execPath, [program, "build", "docs", "--outDir", directory], {
    cwd: repository,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const { address } = await startServer((response, { url }) => {
    const { pathname } = new URL(url, "http://127.0.0.1");
    const path = normalize(pathname.endsWith("/") ? `${pathname}index.html` : pathname);
    try {
      const content = readFileSync(join(directory, path));
      response.writeHead(200, { "content-type": mediaTypes[extname(path)] ?? "application/octet-stream" });
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  return address;
}

const phone = { width: 375, height: 667 };
const desk = { width: 1280, height: 800 };

describe("the documentation as a site", function () {
  this.timeout(180_000);
  let directory: string;
  let origin: string;
  let browser: Browser;
  let page: Page;
  let problems: string[];

  before(async () => {
    directory = temporaryDirectory("site");
    origin = await serveSite(directory);
    browser = await startBrowser();
  });

  after(async () => {
    await browser.close();
    stopServers();
    rmSync(directory, { recursive: true, force: true });
  });

  const isOwn = (url: string): boolean => url.startsWith(origin) || url.startsWith("data:");

  beforeEach(async () => {
    problems = [];
    page = await browser.newPage();
    const note = (isProblem: boolean, problem: string) => problems.push(...(isProblem ? [problem] : []));
    page.on("console", (message) => note(message.type() === "error", message.text()));
    page.on("pageerror", (error) => note(true, String(error)));
    page.on("requestfailed", (request) => note(true, `${request.url()} failed`));
    page.on("request", (request) => note(!isOwn(request.url()), `${request.url()} is elsewhere`));
    page.on("response", (response) =>
      note(response.status() >= 400, `${response.url()} ${response.status()}`),
    );
  });

  afterEach(() => page.close());

  it("the site shows every page without an error, and each page fits a phone", async () => {
    await page.setViewport(phone);
    const pages = documents()
      .filter((document) => document.startsWith("docs/"))
      .map((document) => document.replace(/^docs\//, "/").replace(/\.md$/, ".html"));
    assert.ok(pages.length > 1);
    for (const path of pages) {
      await page.goto(`${origin}${path}`, { waitUntil: "load" });
      const heading = String(await page.evaluate("document.querySelector('h1')?.textContent"));
      assert.match(heading, /^(?!404|undefined)./, path);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), phone.width, path);
      const images = "[...document.images].every((image) => image.naturalWidth > 0)";
      assert.equal(await page.evaluate(images), true, path);
      assert.deepEqual(problems, [], path);
    }
  });

  for (const [viewport, scheme] of [
    [phone, "light"],
    [{ width: 820, height: 1180 }, "dark"],
    [desk, "light"],
  ] as const) {
    it(`the site begins with the products, a program and a search, in ${scheme} colors, ${viewport.width} pixels wide`, async () => {
      await page.setViewport(viewport);
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await page.goto(`${origin}/`, { waitUntil: "load" });
      const textOf = async (place: string) => String(await page.evaluate(`${place}.innerText`));
      const hero = await textOf("document.querySelector('.VPHero')");
      assert.match(hero, /HCP Terraform, Vault and Nomad[^]*OpenBao/);
      assert.match(await textOf("document.body"), /new trivium\.provisioning\.Project/);
      const search = "document.querySelector('.VPNavBarSearch button').checkVisibility()";
      assert.equal(await page.evaluate(search), true);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), viewport.width);
      const background = String(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
      const [red = 0] = (background.match(/\d+/g) ?? []).map(Number);
      assert.equal(red < 128, scheme === "dark", background);
      assert.deepEqual(problems, []);
    });
  }

  it("the site finds an argument by its name", async () => {
    await page.setViewport(desk);
    await page.goto(`${origin}/`, { waitUntil: "networkidle0" });
    await page.click(".VPNavBarSearch button");
    await page.waitForSelector(".VPLocalSearchBox input");
    await page.type(".VPLocalSearchBox input", "skipStaticRoleImportRotation");
    await page.waitForSelector(".VPLocalSearchBox .result");
    await page.keyboard.press("Enter");
    await page.waitForFunction("location.pathname.startsWith('/reference/secrets-directory/')");
    assert.deepEqual(problems, []);
  });
});
