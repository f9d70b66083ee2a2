import { randomBytes } from "node:crypto";
import { toMilliseconds, type Duration } from "../duration";

/** The engines that the emulator plays. */
export type EngineType = "directory" | "scheduler";

/** Something mounted: an engine, or a way to log in. */
export interface MountRecord {
  /** Without a slash at either end, and without `auth/`. */
  readonly path: string;
  /** `directory` or `scheduler` for an engine; anything else is a way to log in, such as `userpass`. */
  readonly type: string;
  /** What entity aliases and push methods name the mount by. */
  readonly accessor: string;
  /** Of leases whose length nothing else decides. Seconds. */
  readonly defaultLeaseTtl: number;
  /** No lease lasts longer, renewals included. Seconds. */
  readonly maxLeaseTtl: number;
}

/** Says on which mount something is. */
export interface MountPath {
  readonly mount: string;
}

/** What to mount. */
export interface NewMount {
  /** An engine, `directory` or `scheduler`, or a way to log in, such as `userpass` or `approle`. */
  readonly type: string;
  /** May hold slashes: `corp/ldap`. */
  readonly path: string;
  /** Default: a new one, as `auth_userpass_1a2b3c4d`. */
  readonly accessor?: string;
  /** Default 768 h. */
  readonly defaultLeaseTtl?: Duration;
  /** Default 768 h. */
  readonly maxLeaseTtl?: Duration;
}

/** Where a request to an engine goes. */
export interface MountedPath {
  readonly mount: MountRecord;
  readonly engine: EngineType;
  /** What is left of the path, as sent, with a slash in front. */
  readonly rest: string;
}

const engineTypes: readonly EngineType[] = ["directory", "scheduler"];
const reservedPaths = ["auth", "identity", "sys"];

/** What is mounted from the start, in every emulator with the same accessors. */
const initialMounts: readonly NewMount[] = [
  { type: "directory", path: "ldap", accessor: "directory_00000001" },
  { type: "scheduler", path: "scheduler", accessor: "scheduler_00000001" },
  { type: "userpass", path: "userpass", accessor: "auth_userpass_00000001" },
];

/** The table of mounts. */
export class Mounts {
  private readonly records = new Map<string, MountRecord>();

  constructor() {
    this.clear();
  }

  /** @throws Error when the path is no path, or is taken, or the accessor is taken */
  add({
    type,
    path: given,
    accessor,
    defaultLeaseTtl = "768h",
    maxLeaseTtl = "768h",
  }: NewMount): MountRecord {
    const isEngine = engineOf(type) !== undefined;
    const path = normalizedPath(given, isEngine);
    const key = keyOf(path, isEngine);
    if (this.records.has(key)) {
      throw new Error(`Something is mounted at ${JSON.stringify(path)} already.`);
    }
    if (accessor !== undefined && this.byAccessor(accessor) !== undefined) {
      throw new Error(`Another mount has the accessor ${JSON.stringify(accessor)} already.`);
    }
    const mount: MountRecord = {
      path,
      type,
      accessor: accessor ?? `${isEngine ? "" : "auth_"}${type}_${randomBytes(4).toString("hex")}`,
      defaultLeaseTtl: toMilliseconds(defaultLeaseTtl) / 1_000,
      maxLeaseTtl: toMilliseconds(maxLeaseTtl) / 1_000,
    };
    this.records.set(key, mount);
    return mount;
  }

  /**
   * @param path of an engine, or else of a way to log in; with `auth/` in front of the latter only
   * @throws Error when nothing is mounted there
   */
  remove(path: string): MountRecord {
    const key = [path, `auth/${path}`].find((candidate) => this.records.has(candidate));
    const mount = this.records.get(key ?? "");
    if (key === undefined || mount === undefined) {
      throw new Error(`Nothing is mounted at ${JSON.stringify(path)}.`);
    }
    this.records.delete(key);
    return mount;
  }

  /** All mounts of an engine. */
  ofEngine(engine: EngineType): MountRecord[] {
    return this.all().filter(({ type }) => type === engine);
  }

  byAccessor(accessor: string): MountRecord | undefined {
    return this.all().find((mount) => mount.accessor === accessor);
  }

  /**
   * The engine with the longest path that the segments begin with.
   *
   * @param segments of a path below the prefix, as sent
   */
  find(segments: readonly string[]): MountedPath | undefined {
    const decoded = segments.map(decodeSegment);
    let found: MountedPath | undefined;
    for (const mount of this.all()) {
      const own = mount.path.split("/");
      const engine = engineOf(mount.type);
      const longer = found === undefined || mount.path.length > found.mount.path.length;
      if (engine !== undefined && longer && own.every((segment, index) => segment === decoded[index])) {
        found = { mount, engine, rest: `/${segments.slice(own.length).join("/")}` };
      }
    }
    return found;
  }

  all(): MountRecord[] {
    return [...this.records.values()];
  }

  clear(): void {
    this.records.clear();
    for (const mount of initialMounts) {
      this.add(mount);
    }
  }
}

/** The path of a mount as the service shows it, such as `ldap/` or `auth/userpass/`. */
export function shownPathOf({ path, type }: MountRecord): string {
  return `${keyOf(path, engineOf(type) !== undefined)}/`;
}

function engineOf(type: string): EngineType | undefined {
  return engineTypes.find((engine) => engine === type);
}

function keyOf(path: string, isEngine: boolean): string {
  return isEngine ? path : `auth/${path}`;
}

function normalizedPath(given: string, isEngine: boolean): string {
  const trimmed = given.replace(/^\/+|\/+$/g, "");
  const path = isEngine ? trimmed : trimmed.replace(/^auth\//, "");
  const segments = path.split("/");
  if (segments.some((segment) => ["", ".", ".."].includes(segment))) {
    throw new Error(`${JSON.stringify(given)} is no path to mount something at.`);
  }
  if (isEngine && reservedPaths.includes(segments[0] ?? "")) {
    throw new Error(`The service keeps ${JSON.stringify(path)} for itself: mount the engine elsewhere.`);
  }
  return path;
}

/** A segment that cannot be decoded matches no mount. */
function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
