import { startWidgetService, type WidgetService } from "./widget-service";
import type { ProviderProcess } from "../../support/provider-process";
import { Processes } from "./processes";

const token = "canary-token-08e3";

/** What the tests of gadgets in one file share: the service, and a provider process that is configured for it. */
export class GadgetContract {
  private readonly processes = new Processes();
  private running: { readonly service: WidgetService; readonly provider: ProviderProcess } | undefined;

  /**
   * Starts both before the tests of the surrounding `describe`, and stops them after.
   *
   * @param secrets texts that may appear nowhere, beside the token
   */
  constructor(secrets: readonly string[] = []) {
    before(async () => {
      const service = await startWidgetService();
      const provider = await this.processes.start({
        "trivium:provisioningAddress": service.address,
        "trivium:provisioningToken": token,
        "trivium:provisioningMaxRetries": "0",
      });
      this.running = { service, provider };
    });
    beforeEach(() => this.service.widgets.clear());
    after(async () => {
      await this.running?.service.close();
      await this.processes.stop([token, ...secrets]);
    });
  }

  get service(): WidgetService {
    return this.parts().service;
  }

  get provider(): ProviderProcess {
    return this.parts().provider;
  }

  private parts(): { readonly service: WidgetService; readonly provider: ProviderProcess } {
    if (this.running === undefined) {
      throw new Error("Nothing runs yet: use it in tests and hooks only.");
    }
    return this.running;
  }
}
