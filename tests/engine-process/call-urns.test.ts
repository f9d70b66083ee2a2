import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runAsProvider } from "./as-provider";

/** Messages of an SDK whose server calls `getNews` and `getProperties`, in the form of `values`. */
const messages = (values: string, urn = "getUrn") => `
  for (const name of ["Check", "Diff", "Create", "Update", "Read", "Delete"]) {
    exports[name + "Request"] = class {
      getNews() { return ${values}; }
      getProperties() { return ${values}; }
      ${urn}() { return "urn:of:call"; }
    };
  }`;

/** Prints whether the messages could be changed, and what a hook gets. */
const script = `
  const changed = require("./sdk/engine/call-urns").extendCalls((properties, urn) => ({ ...properties, urn }));
  const { CheckRequest } = require(process.argv[1].replace(/cmd.dynamic-provider$/, "proto/provider_pb"));
  const news = new CheckRequest().getNews();
  console.log(JSON.stringify({ changed, news: news.toJavaScript?.() ?? news, size: news.size?.() }));`;

describe("extendCalls", () => {
  let sdk: string;
  before(() => {
    sdk = join(mkdtempSync(join(tmpdir(), "call-urns-")), "@pulumi", "pulumi");
    mkdirSync(join(sdk, "proto"), { recursive: true });
  });
  after(() => rmSync(join(sdk, "..", ".."), { recursive: true }));

  const structure = "{ toJavaScript: () => ({ a: 1 }), size: () => 1 }";
  for (const [what, text, printed] of [
    [
      "adds the URN to the properties, and leaves their other members alone",
      messages(structure),
      { changed: true, news: { a: 1, urn: "urn:of:call" }, size: 1 },
    ],
    [
      "leaves messages unchanged if the SDK has none with a URN",
      messages(structure, "getName"),
      { changed: false, news: { a: 1 }, size: 1 },
    ],
    ["passes on properties in another form", messages("{ b: 2 }"), { changed: true, news: { b: 2 } }],
  ] as const) {
    it(`extendCalls ${what}`, async () => {
      writeFileSync(join(sdk, "proto", "provider_pb.js"), text);
      const { stdout } = await runAsProvider(script, undefined, sdk);
      assert.deepEqual(JSON.parse(stdout), printed);
    });
  }

  it("extendCalls leaves the URN to state if the SDK does not have these messages", async () => {
    const { stdout } = await runAsProvider(`
      const { provider } = require("./sdk/dynamic");
      const args = { organization: "acme", name: "payments", __urn: "test::test::::y" };
      provider("provisioning:Project").check({}, args).then(({ inputs }) => {
        console.log(inputs.__urn);
        process.exit();
      });`);
    assert.equal(stdout, "test::test::::y\n");
  });
});
