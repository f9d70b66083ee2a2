import type { EventStream } from "./event-stream";
import type { SchedulerAccess } from "./rights";

/** A named set of rights that tokens can be given. */
export interface PolicyRecord {
  readonly name: string;
  /** Nodes. */
  readonly readNodes: boolean;
  /** Jobs and what belongs to them, in these namespaces; `"*"` for all of them, present and future. */
  readonly readJobs: "*" | readonly string[];
}

/** A policy to set up. */
export interface NewPolicy {
  readonly name: string;
  /** Default false. */
  readonly readNodes?: boolean;
  /** Default none. */
  readonly readJobs?: "*" | readonly string[];
}

interface StoredPolicy {
  readonly policy: PolicyRecord;
  /** Of the event with which it came. */
  readonly createIndex: number;
}

/** The scheduler's ACL policies. What happens to one appears in the event stream. */
export class Policies {
  private readonly stored = new Map<string, StoredPolicy>();
  private readonly changeListeners: ((name: string) => void)[] = [];

  constructor(private readonly events: EventStream) {}

  /** Also in place of the policy that has the same name. */
  set({ name, readNodes = false, readJobs = [] }: NewPolicy): PolicyRecord {
    const policy = { name, readNodes, readJobs: readJobs === "*" ? readJobs : [...readJobs] };
    const index = this.events.nextIndex;
    const stored = { policy, createIndex: this.stored.get(name)?.createIndex ?? index };
    this.stored.set(name, stored);
    this.emit("ACLPolicyUpserted", stored, index);
    return policy;
  }

  /** @throws Error when there is no such policy */
  remove(name: string): void {
    const stored = this.stored.get(name);
    if (stored === undefined) {
      throw new Error(`The emulator's scheduler has no policy ${JSON.stringify(name)}.`);
    }
    this.stored.delete(name);
    this.emit("ACLPolicyDeleted", stored, this.events.nextIndex);
  }

  /** What several policies allow together. One that does not exist allows nothing. */
  accessOf(names: readonly string[]): Exclude<SchedulerAccess, "management"> {
    const policies = names.flatMap((name) => this.stored.get(name)?.policy ?? []);
    const everywhere = policies.some(({ readJobs }) => readJobs === "*");
    return {
      readNodes: policies.some(({ readNodes }) => readNodes),
      readJobs: everywhere ? "*" : policies.flatMap(({ readJobs }) => readJobs),
    };
  }

  /** Calls back with the name of a policy that was written or removed. */
  onChange(listener: (name: string) => void): void {
    this.changeListeners.push(listener);
  }

  all(): PolicyRecord[] {
    return Array.from(this.stored.values(), ({ policy }) => policy);
  }

  clear(): void {
    this.stored.clear();
  }

  private emit(type: string, { policy, createIndex }: StoredPolicy, index: number): void {
    const ACLPolicy = {
      Name: policy.name,
      Description: "",
      Rules: rulesOf(policy),
      CreateIndex: createIndex,
      ModifyIndex: index,
    };
    this.events.emit({ topic: "ACLPolicy", type, key: policy.name, payload: { ACLPolicy } }, index);
    for (const listener of this.changeListeners) {
      listener(policy.name);
    }
  }
}

/** The policy in the scheduler's own language. */
function rulesOf({ readNodes, readJobs }: PolicyRecord): string {
  const namespaces = [readJobs].flat().map((name) => `namespace "${name}" { capabilities = ["read-job"] }`);
  return [...(readNodes ? ['node { policy = "read" }'] : []), ...namespaces].join("\n");
}
