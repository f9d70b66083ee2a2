import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { programSources, sourcesOf } from "../../sdk/connection/program";
import { findSetting, type Sources } from "../../sdk/connection/sources";
import { useEnvironment } from "./environment";

const addressIn = (sources: Sources): string | undefined => findSetting(sources, "secrets", "address")?.value;

describe("the sources of a program", () => {
  useEnvironment(() => ({ SECRETS_ADDR: "https://environment.example.com" }));
  afterEach(() => pulumi.runtime.setAllConfig({}));

  it("the sources of a program are its environment, as it is when they are used, and first of all the stack's configuration", () => {
    const sources = programSources();
    assert.equal(addressIn(sources), "https://environment.example.com");
    process.env.SECRETS_ADDR = "https://later.example.com";
    assert.equal(addressIn(sources), "https://later.example.com");
    pulumi.runtime.setAllConfig({ "trivium:secretsAddress": "https://stack.example.com" });
    assert.equal(addressIn(sources), "https://stack.example.com");
  });

  it("the sources of a program are an explicit provider's settings and not the stack's where there is one", () => {
    pulumi.runtime.setAllConfig({ "trivium:secretsAddress": "https://stack.example.com" });
    const found = addressIn(sourcesOf({ "trivium:secretsAddress": "https://eu.example.com" }));
    assert.equal(found, "https://eu.example.com");
    assert.equal(addressIn(sourcesOf({})), "https://environment.example.com");
  });
});
