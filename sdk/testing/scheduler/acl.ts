import type { EmulatorClock } from "../clock";
import type { Tokens } from "../tokens";
import { AclTokens, type AclTokenRecord } from "./acl-tokens";
import type { EventStream } from "./event-stream";
import { Policies, type NewPolicy, type PolicyRecord } from "./policies";
import type { SchedulerPermissions } from "./rights";

/** Who may do what in the scheduler. */
export interface AclInspection {
  readonly policies: readonly PolicyRecord[];
  /** What the scheduler has made at somebody's request, and not revoked. */
  readonly aclTokens: readonly AclTokenRecord[];
}

/** Sets up what the documents give no endpoint for; each change appears in the event stream. */
export interface AclSetup {
  /**
   * Says what a policy's name allows; from the start there are none. Also in place of the one that has the same name:
   * streams of tokens that have it end.
   */
  addPolicy(policy: NewPolicy): PolicyRecord;
  /** @throws Error when there is no such policy */
  removePolicy(name: string): void;
}

/** The scheduler's access control: policies, and tokens made from them. */
export class Acl {
  readonly tokens: AclTokens;
  readonly setup: AclSetup;
  private readonly policies: Policies;

  /** @param tokens all that the scheduler accepts */
  constructor(tokens: Tokens<SchedulerPermissions>, events: EventStream, clock: EmulatorClock) {
    const policies = new Policies(events);
    this.policies = policies;
    this.tokens = new AclTokens(tokens, policies, events, clock);
    this.setup = {
      addPolicy: (policy) => structuredClone(policies.set(policy)),
      removePolicy(name) {
        policies.remove(name);
      },
    };
  }

  inspect(): AclInspection {
    return { policies: this.policies.all(), aclTokens: this.tokens.all() };
  }

  clear(): void {
    this.policies.clear();
    this.tokens.clear();
  }
}
