import assert from "node:assert/strict";
import { processRedactor } from "../../sdk/base/redactor";
import type { AnyResourceDefinition } from "../../sdk/resource/definition";
import { rememberSecrets } from "../../sdk/resource/remember-secrets";

describe("rememberSecrets", () => {
  const definition = {
    arguments: { password: { secret: true }, label: {} },
    outputs: { tokens: { secret: true }, state: { secret: true, commonWords: true }, place: {} },
  } as unknown as AnyResourceDefinition;

  it("has what is secret among values masked from then on, wherever it is in them", () => {
    const values = {
      password: "remembered-password",
      tokens: [{ accessor: "remembered-token" }],
      label: "plain-label",
      place: "plain-place",
    };
    rememberSecrets(definition, values);
    assert.equal(
      processRedactor.redact("remembered-password remembered-token plain-label plain-place"),
      "[secret] [secret] plain-label plain-place",
    );
  });

  it("leaves words alone that are secret, but common", () => {
    rememberSecrets(definition, { state: "uncommonly-common" });
    assert.equal(processRedactor.redact("uncommonly-common"), "uncommonly-common");
  });
});
