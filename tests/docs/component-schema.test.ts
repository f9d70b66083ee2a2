import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Analyzer } from "@pulumi/pulumi/provider/experimental/analyzer";
import { codeBlocksOf } from "../../scripts/docs/code-blocks";
import { temporaryDirectory } from "../support/packed-library";

/** `pulumi package get-schema` asks the SDK's analyzer. */
describe("the schema of a component package", function () {
  this.timeout(120_000);

  const directory = temporaryDirectory("component-schema");
  after(() => rmSync(directory, { recursive: true, force: true }));

  const schemaOf = (name: string, code: string) => {
    const place = join(directory, name);
    mkdirSync(place);
    writeFileSync(join(place, "index.ts"), code);
    const compilerOptions = { strict: true, target: "es2022", module: "node16", skipLibCheck: true };
    writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["index.ts"] }));
    const information = { name: "platform", main: "index.ts" };
    writeFileSync(join(place, "package.json"), JSON.stringify(information));
    return new Analyzer(place, "platform", information, new Set(["Alerts"])).analyze();
  };
  const sample = codeBlocksOf("docs/components.md").find(({ code }) => code.includes("class Alerts"));
  const { code } = sample ?? assert.fail("the page has no such sample");

  it("a component's schema has the enumeration that the guide declares", () => {
    const { components, typeDefinitions } = schemaOf("guide", code);
    const reference = { $ref: "#/types/platform:index:Channel" };
    assert.deepEqual({ ...components.Alerts?.inputs.channel }, reference);
    const members = (typeDefinitions.Channel?.enum ?? []).map(({ name, value }) => [name, value]);
    assert.deepEqual(members, [
      ["Chat", "chat-a"],
      ["Email", "email"],
    ]);
  });

  it("a component's schema cannot have an enumeration of the library, as the guide says", () => {
    const direct = code.replace(
      "pulumi.Input<Channel>",
      "pulumi.Input<trivium.provisioning.DestinationType>",
    );
    assert.notEqual(direct, code);
    assert.throws(() => schemaOf("direct", direct), /Union types are not supported/);
  });
});
