import * as pulumi from "@pulumi/pulumi";
import { messageOf } from "../../base/errors";
import { isObject } from "../../base/json";

/** The state of the running program's stack. */
export interface OwnState {
  /** By their URNs. */
  readonly resources: Readonly<Record<string, StoredResource>>;
  /** Why it could not be read. */
  readonly problem?: string;
}

interface StoredResource {
  readonly type?: unknown;
  readonly outputs?: unknown;
}

// The SDK does not expose whether a program is mocked.
interface Monitor {
  readonly mocks?: unknown;
}

/** Per run of a program; a process may have several runs. */
const states = new WeakMap<object, Promise<OwnState>>();

/** Reads the state of the running program's stack, once for each run. Mocks have none. */
export async function ownState(): Promise<OwnState> {
  const monitor = pulumi.runtime.getMonitor() as Monitor | undefined;
  if (monitor === undefined || monitor.mocks !== undefined) {
    return { resources: {} };
  }
  const state = states.get(monitor) ?? readState();
  states.set(monitor, state);
  return state;
}

async function readState(): Promise<OwnState> {
  const stackName = `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
  try {
    const { outputs } = (await pulumi.runtime.invoke("pulumi:pulumi:readStackResourceOutputs", {
      stackName,
    })) as { readonly outputs?: unknown };
    return { resources: isObject(outputs) ? (outputs as OwnState["resources"]) : {} };
  } catch (error) {
    return { resources: {}, problem: messageOf(error) };
  }
}
