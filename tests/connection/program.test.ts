import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { knownSources, programSources, sourcesOf } from "../../sdk/connection/program";
import { findSetting, type Sources } from "../../sdk/connection/sources";
import { ConfigurationError } from "../../sdk/base/errors";
import { Provider } from "../../sdk/connection/provider";
import { Project } from "../../sdk/provisioning";
import { useMocks } from "../resource/mocks";
import { useEnvironment } from "./environment";

const addressIn = (sources: Sources): string | undefined => findSetting(sources, "secrets", "address")?.value;

describe("the sources of a program", () => {
  useEnvironment(() => ({ SECRETS_ADDR: "https://environment.example.com" }));
  afterEach(() => pulumi.runtime.setAllConfig({}));

  it("are its environment, as it is when they are used, and first of all the stack's configuration", () => {
    const sources = programSources();
    assert.equal(addressIn(sources), "https://environment.example.com");
    process.env.SECRETS_ADDR = "https://later.example.com";
    assert.equal(addressIn(sources), "https://later.example.com");
    pulumi.runtime.setAllConfig({ "trivium:secretsAddress": "https://stack.example.com" });
    assert.equal(addressIn(sources), "https://stack.example.com");
  });

  it("are an explicit provider's settings and not the stack's where there is one", () => {
    pulumi.runtime.setAllConfig({ "trivium:secretsAddress": "https://stack.example.com" });
    assert.equal(
      addressIn(sourcesOf({ "trivium:secretsAddress": "https://eu.example.com" })),
      "https://eu.example.com",
    );
    assert.equal(addressIn(sourcesOf({})), "https://environment.example.com");
  });
});

describe("knownSources", () => {
  useEnvironment(() => ({ SECRETS_ADDR: "https://environment.example.com" }));

  describe("in a preview", () => {
    useMocks({ preview: true });

    it("are those of the program without a provider", async () => {
      const sources = await knownSources("secrets.getThing", undefined);
      assert.equal(addressIn(sources), "https://environment.example.com");
    });

    it("are the provider's when all its settings are known", async () => {
      const address = pulumi.output("https://eu.example.com");
      const provider = new Provider("europe", { secrets: { address, token: pulumi.secret("canary") } });
      assert.equal(addressIn(await knownSources("secrets.getThing", provider)), "https://eu.example.com");
    });

    it("are refused while settings come from resources that do not exist yet", async () => {
      const project = new Project("payments", { organization: "acme", name: "payments" });
      const provider = new Provider("europe", { secrets: { address: project.id, token: "canary" } });
      await assert.rejects(knownSources("secrets.getThing", provider), (error: unknown) => {
        assert.ok(ConfigurationError.isInstance(error));
        assert.match(
          error.message,
          /^secrets\.getThing cannot be called yet: .* Use secrets\.getThingOutput/,
        );
        return true;
      });
    });
  });
});
