import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { ConfigurationError } from "../../sdk/base/errors";
import { Provider } from "../../sdk/connection/provider";
import { findSetting, type Sources } from "../../sdk/connection/sources";
import { knownSources } from "../../sdk/functions/calling";
import { Project } from "../../sdk/provisioning";
import { useEnvironment } from "../connection/environment";
import { useMocks } from "../resource/mocks";

const addressIn = (sources: Sources): string | undefined => findSetting(sources, "secrets", "address")?.value;

describe("knownSources", () => {
  useEnvironment(() => ({ SECRETS_ADDR: "https://environment.example.com" }));

  describe("in a preview", () => {
    useMocks({ preview: true });

    it("the sources of a function's call in a preview are those of the program without a provider", async () => {
      const sources = await knownSources("secrets.getThing", undefined);
      assert.equal(addressIn(sources), "https://environment.example.com");
    });

    it("the sources of a function's call in a preview are the provider's when all its settings are known", async () => {
      const address = pulumi.output("https://eu.example.com");
      const provider = new Provider("europe", { secrets: { address, token: pulumi.secret("canary") } });
      assert.equal(addressIn(await knownSources("secrets.getThing", provider)), "https://eu.example.com");
    });

    it("the sources of a function's call in a preview are refused while settings come from resources that do not exist yet", async () => {
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
