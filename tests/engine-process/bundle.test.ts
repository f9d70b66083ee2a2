import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import * as library from "pulumi-trivium";
import { checkRequest, invokeRequest } from "../../sdk/plugin/messages";
import { collectDefinitions } from "../../sdk/resource/registry";

const sdk = resolve(__dirname, "../../sdk");

describe("what the provider process loads", () => {
  it("knows every class, in one file that loads nothing but parts of the SDK", () => {
    const types = [...collectDefinitions(library).keys()];
    const script = `
      require("@pulumi/pulumi/runtime");
      const before = new Set(Object.keys(require.cache));
      const { provider } = require("./dist/dynamic.js");
      const hooks = ${JSON.stringify(types)}.map((type) => typeof provider(type).create);
      const loaded = Object.keys(require.cache).filter((file) => !before.has(file));
      console.log(JSON.stringify({ hooks, loaded }));`;
    const told = execFileSync(process.execPath, ["-e", script], { cwd: sdk, encoding: "utf8" });
    const { hooks, loaded } = JSON.parse(told) as { hooks: string[]; loaded: string[] };
    assert.deepEqual(
      hooks,
      types.map(() => "function"),
    );
    assert.deepEqual(
      loaded.filter((file) => !file.includes("@pulumi")),
      [resolve(sdk, "dist/dynamic.js")],
    );
  });

  it("refuses a class that only a newer version knows", () => {
    const script = `
      try { require("./dist/dynamic.js").provider("secrets:Nothing"); } catch (error) { console.log(error.message); }`;
    const told = execFileSync(process.execPath, ["-e", script], { cwd: sdk, encoding: "utf8" });
    assert.match(told, /has no resource type secrets:Nothing/);
  });
});

describe("what the plugin loads", () => {
  const run = (script: string): string =>
    execFileSync(process.execPath, ["-e", script], { cwd: sdk, encoding: "utf8" }).trim();

  it("is one small file until it has printed its port", () => {
    const printed = run(`
      const { writeSync } = require("node:fs");
      require("node:fs").writeSync = (target, text) => {
        writeSync(target, JSON.stringify({ text, loaded: Object.keys(require.cache) }));
        process.exit();
      };
      require("./dist/plugin/main.js").servePlugin([]);`);
    const { text, loaded } = JSON.parse(printed) as { text: string; loaded: string[] };
    assert.match(text, /^\d+\n$/);
    assert.deepEqual(loaded, [resolve(sdk, "dist/plugin/main.js")]);
  });

  it("is one file then, for every class and function", () => {
    const types = [...collectDefinitions(library).keys()];
    const requests = types.map((type) => {
      const request = { urn: `urn:pulumi:test::test::trivium:${type}::it`, news: { nothing: 1 } };
      return ["Check", checkRequest.encode(request).toString("base64")];
    });
    const spaces = new Set(types.map((type) => type.slice(0, type.indexOf(":"))));
    const calls = [...spaces].map((space) => {
      const request = { token: `trivium:${space}:getNothing`, args: {} };
      return ["Invoke", invokeRequest.encode(request).toString("base64")];
    });
    const printed = run(`
      const { handlerOf } = require("./dist/plugin/service.js");
      const { signal } = new AbortController();
      const ask = ([method, request]) =>
        handlerOf("/pulumirpc.ResourceProvider/" + method)(Buffer.from(request, "base64"), signal).then(
          (response) => response.toString(),
          String,
        );
      Promise.all(${JSON.stringify([...requests, ...calls])}.map(ask)).then((responses) =>
        console.log(JSON.stringify({ responses, loaded: Object.keys(require.cache) })),
      );`);
    const { responses, loaded } = JSON.parse(printed) as { responses: string[]; loaded: string[] };
    for (const [index, response] of responses.entries()) {
      assert.match(response, index < types.length ? /nothing[^]*is not a valid argument/ : /has no function/);
    }
    assert.deepEqual(loaded, [resolve(sdk, "dist/plugin/service.js")]);
  });
});
