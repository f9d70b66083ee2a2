import { randomBytes } from "node:crypto";
import type { EmulatorDialect } from "../dialect";
import { toMilliseconds, type Duration } from "../duration";
import * as forms from "../forms";

/** The engines that the emulator plays. */
export type EngineType = "directory" | "scheduler";

/** Something mounted: an engine, or a way to log in. */
export interface MountRecord {
  /** Without a slash at either end, and without `auth/`. */
  readonly path: string;
  /**
   * `directory` or `scheduler` for an engine, in the hashicorp dialect `ldap` or `nomad`; anything else is a way to log
   * in, such as `userpass`.
   */
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
  /**
   * An engine, `directory` or `scheduler` (in the hashicorp dialect `ldap` or `nomad`, too), or a way to log in, such as
   * `userpass` or `approle`.
   */
  readonly type: string;
  /** May hold slashes: `corp/ldap`. With `auth/` in front it is that of a way to log in. */
  readonly path: string;
  /** Default: a new one, as `auth_userpass_1a2b3c4d`. */
  readonly accessor?: string;
  /** Default 768 h. */
  readonly defaultLeaseTtl?: Duration;
  /** Default 768 h. */
  readonly maxLeaseTtl?: Duration;
}

/** What a seed returns about one of its `mounts`. */
export const mountForm = forms.object<NewMount>({
  type: forms.name,
  path: forms.name,
  accessor: forms.name.optional(),
  defaultLeaseTtl: forms.duration.optional(),
  maxLeaseTtl: forms.duration.optional(),
});

/** Where a request to an engine goes. */
export interface MountedPath {
  readonly mount: MountRecord;
  readonly engine: EngineType;
  /** What is left of the path, as sent, with a slash in front. */
  readonly rest: string;
}

const engineTypes: readonly EngineType[] = ["directory", "scheduler"];
/** What the engines are called in the table of mounts. */
const engineNames: Readonly<Record<EmulatorDialect, Readonly<Record<EngineType, string>>>> = {
  documented: { directory: "directory", scheduler: "scheduler" },
  hashicorp: { directory: "ldap", scheduler: "nomad" },
};
const reservedPaths = ["auth", "identity", "sys"];

interface Entry {
  readonly mount: MountRecord;
  /** `undefined` for a way to log in. */
  readonly engine: EngineType | undefined;
}

/** The table of mounts. */
export class Mounts {
  /** By the path below the prefix of all paths. */
  private readonly entries = new Map<string, Entry>();
  private readonly names: Readonly<Record<EngineType, string>>;

  constructor(dialect: EmulatorDialect) {
    this.names = engineNames[dialect];
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
    const engine = this.engineOf(type, given);
    const isEngine = engine !== undefined;
    const path = normalizedPath(given, isEngine);
    const key = isEngine ? path : `auth/${path}`;
    if (this.entries.has(key)) {
      throw new Error(`Something is mounted at ${JSON.stringify(path)} already.`);
    }
    if (accessor !== undefined && this.byAccessor(accessor) !== undefined) {
      throw new Error(`Another mount has the accessor ${JSON.stringify(accessor)} already.`);
    }
    const name = isEngine ? this.names[engine] : type;
    const mount: MountRecord = {
      path,
      type: name,
      accessor: accessor ?? `${isEngine ? "" : "auth_"}${name}_${randomBytes(4).toString("hex")}`,
      defaultLeaseTtl: toMilliseconds(defaultLeaseTtl) / 1_000,
      maxLeaseTtl: toMilliseconds(maxLeaseTtl) / 1_000,
    };
    this.entries.set(key, { mount, engine });
    return mount;
  }

  /**
   * @param path of an engine, or else of a way to log in; with `auth/` in front of the latter only
   * @throws Error when nothing is mounted there
   */
  remove(path: string): MountRecord {
    const key = [path, `auth/${path}`].find((candidate) => this.entries.has(candidate));
    const entry = this.entries.get(key ?? "");
    if (key === undefined || entry === undefined) {
      throw new Error(`Nothing is mounted at ${JSON.stringify(path)}.`);
    }
    this.entries.delete(key);
    return entry.mount;
  }

  /** All mounts of an engine. */
  ofEngine(engine: EngineType): MountRecord[] {
    return [...this.entries.values()].flatMap((entry) => (entry.engine === engine ? [entry.mount] : []));
  }

  /**
   * One mount of an engine.
   *
   * @param path default: where the engine is mounted from the start
   * @throws Error when the engine is not mounted there; for setting up, where that is a mistake in the test
   */
  known(engine: EngineType, path: string = this.usualPathOf(engine)): MountRecord {
    const mount = this.ofEngine(engine).find((candidate) => candidate.path === path);
    if (mount === undefined) {
      throw new Error(`The emulator has no ${engine} engine at ${JSON.stringify(path)}.`);
    }
    return mount;
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
    for (const { mount, engine } of this.entries.values()) {
      const own = mount.path.split("/");
      const longer = found === undefined || mount.path.length > found.mount.path.length;
      if (engine !== undefined && longer && own.every((segment, index) => segment === decoded[index])) {
        found = { mount, engine, rest: `/${segments.slice(own.length).join("/")}` };
      }
    }
    return found;
  }

  all(): MountRecord[] {
    return Array.from(this.entries.values(), ({ mount }) => mount);
  }

  /** The path of a mount as the service returns it, such as `ldap/` or `auth/userpass/`. */
  shownPathOf(mount: MountRecord): string {
    const isLogin = this.entries.get(`auth/${mount.path}`)?.mount === mount;
    return `${isLogin ? "auth/" : ""}${mount.path}/`;
  }

  /** Back to what is mounted from the start, in every emulator with the same accessors. */
  clear(): void {
    this.entries.clear();
    for (const engine of engineTypes) {
      const accessor = `${this.names[engine]}_00000001`;
      this.add({ type: engine, path: this.usualPathOf(engine), accessor });
    }
    this.add({ type: "userpass", path: "userpass", accessor: "auth_userpass_00000001" });
  }

  private usualPathOf(engine: EngineType): string {
    return engine === "directory" ? "ldap" : this.names[engine];
  }

  /** Products have ways to log in that are called as their engines are: there the path decides. */
  private engineOf(type: string, path: string): EngineType | undefined {
    const isLogin = !engineTypes.some((engine) => engine === type) && path.startsWith("auth/");
    return isLogin ? undefined : engineTypes.find((engine) => type === engine || type === this.names[engine]);
  }
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
