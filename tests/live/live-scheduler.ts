import { Api } from "../engine/support/api";
import type { SchedulerWorld } from "../cases/support/world";
import type { CleanUp } from "./clean-up";
import { uniqueName } from "./live-secrets";
import type { Server } from "./servers";

/** The interface of a Nomad. */
export function schedulerApi({ address, token }: Server): Api {
  return new Api(`${address.replace(/\/+$/, "")}/v1`, {
    "x-nomad-token": token,
    "content-type": "application/json",
  });
}

/** A real Nomad. */
export class LiveScheduler implements SchedulerWorld {
  readonly address: string;
  readonly token: string;

  constructor(
    { address, token }: Server,
    private readonly api: Api,
    private readonly cleanUp: CleanUp,
  ) {
    this.address = address;
    this.token = token;
  }

  async knowsToken(accessorId: string): Promise<boolean> {
    return (await this.api.find(`acl/token/${accessorId}`)) !== undefined;
  }

  /** Of what the event stream tells, a policy is the only thing that is made at once and needs no node. */
  async happen(): ReturnType<SchedulerWorld["happen"]> {
    const first = await this.addPolicy();
    return {
      topic: "ACLPolicy",
      type: "ACLPolicyUpserted",
      filter: first,
      keys: [first, await this.addPolicy()],
    };
  }

  private async addPolicy(): Promise<string> {
    const name = uniqueName();
    this.cleanUp.add(`the ACL policy ${name}`, () => this.api.remove(`acl/policy/${name}`));
    await this.api.send("POST", `acl/policy/${name}`, {
      Name: name,
      Rules: 'namespace "default" { policy = "read" }',
    });
    return name;
  }
}
