import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { cacheDirectory, fillCacheEntry } from "../../../scripts/pulumi-cli/cache";

describe("cacheDirectory", () => {
  const everything = { TRIVIUM_PULUMI_CACHE: "/chosen", XDG_CACHE_HOME: "/caches", HOME: "/home/ada" };

  it("is the one of TRIVIUM_PULUMI_CACHE, else under XDG_CACHE_HOME, else under the home directory", () => {
    assert.equal(cacheDirectory(everything), "/chosen");
    assert.equal(cacheDirectory({ ...everything, TRIVIUM_PULUMI_CACHE: "" }), "/caches/pulumi-trivium");
    assert.equal(cacheDirectory({ HOME: "/home/ada" }), "/home/ada/.cache/pulumi-trivium");
    assert.equal(cacheDirectory({}), path.join(os.homedir(), ".cache/pulumi-trivium"));
  });
});

describe("fillCacheEntry", () => {
  let cache: string;
  let entry: string;

  beforeEach(async () => {
    cache = await mkdtemp(path.join(os.tmpdir(), "trivium-cache-"));
    entry = path.join(cache, "entry");
  });

  afterEach(() => rmSync(cache, { recursive: true, force: true }));

  const writeContents = (directory: string, contents: string): Promise<void> =>
    writeFile(path.join(directory, "contents"), contents);
  const contents = (): string => readFileSync(path.join(entry, "contents"), "utf8");

  it("shows the entry only when it is finished", async () => {
    await fillCacheEntry(entry, (directory) => {
      assert.ok(!readdirSync(cache).includes("entry"));
      return writeContents(directory, "whole");
    });
    assert.equal(contents(), "whole");
    assert.deepEqual(readdirSync(cache), ["entry"]);
  });

  it("leaves nothing when filling fails", async () => {
    const failure = new Error("disk full");
    await assert.rejects(
      fillCacheEntry(entry, async (directory) => {
        await writeContents(directory, "half");
        throw failure;
      }),
      failure,
    );
    assert.deepEqual(readdirSync(cache), []);
  });

  it("replaces a broken entry", async () => {
    mkdirSync(entry);
    writeFileSync(path.join(entry, "rubbish"), "");
    await fillCacheEntry(entry, (directory) => writeContents(directory, "whole"));
    assert.deepEqual(readdirSync(entry), ["contents"]);
  });

  it("keeps what another process has finished meanwhile", async () => {
    await fillCacheEntry(entry, async (directory) => {
      await writeContents(directory, "second");
      await fillCacheEntry(entry, (other) => writeContents(other, "first"));
    });
    assert.equal(contents(), "first");
    assert.deepEqual(readdirSync(cache), ["entry"]);
  });

  it("removes what a killed process left long ago, and not what another one writes now", async () => {
    const abandoned = path.join(cache, ".partial-killed");
    const current = path.join(cache, ".partial-running");
    mkdirSync(abandoned);
    mkdirSync(current);
    utimesSync(abandoned, new Date("2020-01-01"), new Date("2020-01-01"));
    await fillCacheEntry(entry, () => Promise.resolve());
    assert.deepEqual(readdirSync(cache).sort(), [".partial-running", "entry"]);
  });
});
