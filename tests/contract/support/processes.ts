import assert from "node:assert/strict";
import { type Properties, ProviderProcess } from "../../support/provider-process";
import { sharedProject } from "../../support/packed-library";

/** Provider processes of one suite of tests, all with the packed library. */
export class Processes {
  private readonly started: ProviderProcess[] = [];

  async start(configuration: Properties, environment: NodeJS.ProcessEnv = {}): Promise<ProviderProcess> {
    const provider = await ProviderProcess.start(sharedProject().path, configuration, environment);
    this.started.push(provider);
    return provider;
  }

  /**
   * Stops them all. Whatever the tests were about: nothing may have shown a secret, and a message that a call was
   * answered with may not be printed as well, nor anything else.
   */
  async stop(secrets: readonly string[]): Promise<void> {
    await Promise.all(this.started.map((provider) => provider.stop()));
    for (const { output, errors, engine } of this.started) {
      assert.equal(output, "", "the process printed something");
      const shown = [...errors, ...engine.lines.map(({ message }) => message)].join("\n");
      for (const text of secrets) {
        assert.ok(!shown.includes(text), `${text} is shown: ${shown}`);
      }
      assert.doesNotMatch(shown, /^\s+at .+:\d+/m, "a stack is shown");
    }
  }
}
