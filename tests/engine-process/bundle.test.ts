import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as library from "pulumi-trivium";
import { collectClasses } from "../../sdk/resource/definition";
import { providerStub } from "../../sdk/resource/state/encoding";
import { json, startRawServer, startServer, stopServers } from "../http/server";
import { certificates } from "../support/certificates";
import { ProviderProcess } from "../support/provider-process";

const sdk = resolve(__dirname, "../../sdk");
const types = [...collectClasses(library).keys()];
/** What a script prints that runs in the library. */
const printedBy = (script: string): string =>
  execFileSync(process.execPath, ["-e", script], { cwd: sdk, encoding: "utf8" });

describe("what the provider process loads", () => {
  it("the provider process contains every class, in one file that loads only parts of the SDK", () => {
    const told = printedBy(`
      require("@pulumi/pulumi/runtime");
      const before = new Set(Object.keys(require.cache));
      const { provider } = require("./dist/dynamic.js");
      const hooks = ${JSON.stringify(types)}.map((type) => typeof provider(type).create);
      const loaded = Object.keys(require.cache).filter((file) => !before.has(file));
      console.log(JSON.stringify({ hooks, loaded }));`);
    const { hooks, loaded } = JSON.parse(told) as { hooks: string[]; loaded: string[] };
    assert.equal(hooks.filter((hook) => hook === "function").length, types.length);
    const found = loaded.filter((file) => !file.includes("@pulumi"));
    assert.deepEqual(found, [resolve(sdk, "dist/dynamic.js")]);
  });
});

describe("what the plugin loads", () => {
  it("the plugin is one file, and does not load zod before it has printed its port", () => {
    const printed = printedBy(`
      const { writeSync } = require("node:fs");
      require("node:fs").writeSync = (target, text) => {
        writeSync(target, JSON.stringify({ text, loaded: Object.keys(require.cache), zod: "__zod_globalRegistry" in globalThis }));
        process.exit();
      };
      require("./dist/plugin/main.js").servePlugin([]);`);
    const { text, loaded, zod } = JSON.parse(printed) as { text: string; loaded: string[]; zod: boolean };
    assert.match(text, /^\d+\n$/);
    assert.deepEqual([loaded, zod], [[resolve(sdk, "dist/plugin/main.js")], false]);
  });

  it("the plugin is the same file for every class and function", async () => {
    const directory = mkdtempSync(join(tmpdir(), "plugin-"));
    copyFileSync(resolve(sdk, "dist/plugin/main.js"), join(directory, "main.js"));
    const executable = join(directory, "plugin.js");
    writeFileSync(executable, `require("./main.js").servePlugin(process.argv.slice(2));`);
    const plugin = await ProviderProcess.startPlugin({}, {}, [], executable);
    for (const type of types) {
      plugin.about = { urn: `urn:pulumi:test::test::trivium:${type}::it` };
      const [failure] = (await plugin.check({}, { nothing: 1 })).failures;
      assert.equal(failure?.property, "");
      assert.match(failure.reason, /^nothing is not a valid argument/);
    }
    for (const space of new Set(types.map((type) => type.slice(0, type.indexOf(":"))))) {
      await assert.rejects(plugin.invoke(`trivium:${space}:getNothing`, {}), /has no function/);
    }
    await plugin.stop();
    rmSync(directory, { recursive: true });
  });
});

describe("the sockets of undici in the bundles", () => {
  afterEach(stopServers);

  const starts = {
    "the provider process": (environment: NodeJS.ProcessEnv) => ProviderProcess.start(sdk, {}, environment),
    "the plugin": (environment: NodeJS.ProcessEnv) => ProviderProcess.startPlugin({}, environment),
  };
  for (const [adapter, start] of Object.entries(starts)) {
    for (const scheme of ["http", "socks5h"]) {
      it(`${adapter} connects through a ${scheme} proxy`, async () => {
        const { authority, otherHost } = certificates();
        const tls = { cert: otherHost.certificate, key: otherHost.key };
        const service = await startServer((response) => json(response, 403, { errors: ["denied"] }), tls);
        const proxy = await startRawServer((socket, heard) => {
          const open = (reply: string | Buffer): void => {
            const connection = connect(service.port, "127.0.0.1");
            socket.on("close", () => connection.destroy()).write(reply);
            socket.pipe(connection).pipe(socket);
          };
          if (heard.startsWith("CONNECT")) {
            open("HTTP/1.1 200 Connection established\r\n\r\n");
          } else {
            socket.write(Buffer.from([5, 0]));
            void once(socket, "data").then(() => open(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])));
          }
        });
        const provider = await start({
          HTTPS_PROXY: proxy.address.replace("http:", `${scheme}:`),
          SECRETS_ADDR: "https://service.example:8443",
          SECRETS_TOKEN: "token",
          SECRETS_CACERT: authority.certificate,
          SECRETS_MAX_RETRIES: "0",
        });
        provider.about = { urn: "urn:pulumi:test::test::trivium:secrets/mfa:TotpMethod::it" };
        const dynamic = { __provider: providerStub("secrets/mfa:TotpMethod") };
        const args = { issuer: "Acme", period: 30, ...(adapter === "the plugin" ? {} : dynamic) };
        await assert.rejects(provider.create(args), /denied/);
        assert.ok(service.received.length > 0);
        await provider.stop();
      });
    }
  }
});
