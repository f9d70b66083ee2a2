import * as pulumi from "@pulumi/pulumi";
import { messageOf } from "../../base/errors";
import { isObject } from "../../base/json";

export interface OwnState {
  /** By URN. */
  readonly resources: Readonly<Record<string, StoredResource>>;
  /** Why it could not be read. */
  readonly problem?: string;
}

interface StoredResource {
  readonly type?: unknown;
  readonly outputs?: unknown;
}

// The SDK does not expose whether a program has mocks.
interface Monitor {
  readonly mocks?: unknown;
}

/** By run: a process may have several. */
const states = new WeakMap<object, Promise<OwnState>>();

/** Reads the state once per run. Under mocks, there is none. */
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
