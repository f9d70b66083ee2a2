import { ProvisioningApi } from "../engine/support/api";
import type { ServiceName, World } from "../cases/support/world";
import type { Worlds } from "../engine/support/worlds";
import { CleanUp } from "./clean-up";
import { LiveDirectory } from "./live-directory";
import { LiveProvisioning } from "./live-provisioning";
import { LiveScheduler, schedulerApi } from "./live-scheduler";
import { LiveSecrets, secretsApi, uniqueName } from "./live-secrets";
import type { Findings, Interfaces } from "./probes";
import type { Servers } from "./servers";

/** The end of the titles of suites that run here. */
export const title = "against real servers";

/** How to talk to the servers that there are. */
export function interfacesOf({ secrets, scheduler, provisioning }: Servers): Interfaces {
  return {
    ...(secrets && { secrets: secretsApi(secrets) }),
    ...(scheduler && { scheduler: schedulerApi(scheduler) }),
    ...(provisioning && {
      provisioning: new ProvisioningApi(provisioning.address, provisioning.token),
    }),
  };
}

/** Worlds that real servers play. */
export function liveWorlds(servers: Servers, { missing }: Findings): Worlds {
  return {
    title,
    real: true,
    dialects: ["hashicorp"],
    patience: 600_000,
    missing: (need) => missing.get(need),
    open: () => Promise.resolve(new LiveWorld(servers)),
  };
}

/** What a case makes on real servers, until the clean-up. */
export class LiveWorld implements World {
  readonly dialect = "hashicorp";
  readonly lifetime = "2h";
  private readonly cleanUp = new CleanUp();
  private readonly interfaces: Interfaces;
  private folder: LiveDirectory | undefined;

  constructor(private readonly servers: Servers) {
    this.interfaces = interfacesOf(servers);
  }

  surroundings(service: ServiceName): ReturnType<World["surroundings"]> {
    const { address, token, ...more } = named(this.servers[service]);
    const namespace = "namespace" in more ? { namespace: more.namespace } : {};
    return {
      world: this,
      connection: { [service]: { address, token, ...namespace } },
      close: () => this.close(),
    };
  }

  freshName(name: string): string {
    return `${name}-${uniqueName().slice(-6)}`;
  }

  get provisioning(): LiveProvisioning {
    return new LiveProvisioning(
      named(this.servers.provisioning),
      named(this.interfaces.provisioning),
      this.cleanUp,
    );
  }

  get secrets(): LiveSecrets {
    return new LiveSecrets(named(this.interfaces.secrets), () => this.directory(), this.cleanUp);
  }

  get scheduler(): LiveScheduler {
    return new LiveScheduler(named(this.servers.scheduler), named(this.interfaces.scheduler), this.cleanUp);
  }

  close(): Promise<void> {
    return this.cleanUp.run();
  }

  /** One for all that a case makes. */
  private directory(): LiveDirectory {
    this.folder ??= new LiveDirectory(named(this.servers.directory), this.cleanUp);
    return this.folder;
  }
}

/** A case says what it needs and is left out without it; this is for one that forgets. */
function named<Part>(part: Part | undefined): Part {
  if (part === undefined) {
    throw new Error("The case uses a server that it does not say it needs.");
  }
  return part;
}
