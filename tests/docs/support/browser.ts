import { join } from "node:path";
import { type Browser, launch } from "puppeteer-core";
import { directoriesOnPath, isExecutable } from "../../../scripts/programs";
import { installPackage } from "../../support/apt";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/**
 * Starts a browser: that of CHROME_PATH, else one on PATH, else Debian's Chromium, which is installed where that is
 * possible.
 *
 * @throws Error that says what to do when there is none
 */
export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROME_PATH ?? installed() ?? install();
  // As root Chromium starts without its sandbox only; it sees nothing but pages of this repository.
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return launch({ executablePath, args: [...asRoot, "--disable-dev-shm-usage"] });
}

function installed(): string | undefined {
  return directoriesOnPath(process.env)
    .flatMap((directory) => names.map((name) => join(directory, name)))
    .find(isExecutable);
}

function install(): string {
  const advice =
    "The pages are tested in a browser, and there is none: install Chromium, or set CHROME_PATH to a browser.";
  if (process.getuid?.() !== 0) {
    throw new Error(advice);
  }
  try {
    installPackage("chromium");
  } catch (error) {
    throw new Error(advice, { cause: error });
  }
  const found = installed();
  if (found === undefined) {
    throw new Error(advice);
  }
  return found;
}
