import { randomBytes, randomUUID } from "node:crypto";
import { toMilliseconds } from "../duration";
import type { MountPath, MountRecord } from "./types";
import type { NewMount } from "./seeds";
import type { SecretsTraits } from "./traits";

export type EngineType = "directory" | "scheduler";

export interface MountedPath {
  readonly mount: MountRecord;
  readonly engine: EngineType;
  /** The rest of the path as sent, with a leading slash. */
  readonly rest: string;
}

const engineTypes: readonly EngineType[] = ["directory", "scheduler"];
const reservedPaths = ["auth", "identity", "sys"];

/** The members that only the endpoints for mounts return. */
export interface MountDetails {
  readonly uuid: string;
  readonly description: string;
  readonly options: Readonly<Record<string, string>> | null;
  /** In seconds, as set; 0 for the system's value. */
  readonly defaultTtl: number;
  readonly maxTtl: number;
  /** Other settings, which the emulator only returns. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly local: boolean;
  readonly sealWrap: boolean;
  readonly externalEntropyAccess: boolean;
}

export const noDetails: MountDetails = {
  uuid: "00000000-0000-0000-0000-000000000000",
  description: "",
  options: {},
  defaultTtl: 0,
  maxTtl: 0,
  config: {},
  local: false,
  sealWrap: false,
  externalEntropyAccess: false,
};

export interface Mount {
  readonly record: MountRecord;
  /** `undefined` for an auth method. */
  readonly engine: EngineType | undefined;
  details: MountDetails;
}

/** In seconds, for leases on mounts that do not set a duration. */
export const systemTtl = 2_764_800;

export class Mounts {
  /** Keyed by the path below the prefix. */
  private readonly mounts = new Map<string, Mount>();
  /** Type names on the wire. */
  private readonly names: Readonly<Record<EngineType, string>>;

  /** The accessors of the initial mounts are the same in every emulator. */
  constructor({ engineNames }: SecretsTraits) {
    this.names = engineNames;
    for (const engine of engineTypes) {
      const accessor = `${this.names[engine]}_00000001`;
      this.add({ type: engine, path: this.defaultPathOf(engine), accessor });
    }
    this.add({ type: "userpass", path: "userpass", accessor: "auth_userpass_00000001" });
  }

  /** @throws Error if the path is invalid or taken, or the accessor is taken */
  add({ type, path: given, accessor, defaultLeaseTtl = 0, maxLeaseTtl = 0 }: NewMount): MountRecord {
    const engine = this.engineOf(type, given);
    const path = normalizedPath(given, engine !== undefined);
    const key = engine === undefined ? `auth/${path}` : path;
    if (this.mounts.has(key)) {
      throw new Error(`Something is mounted at ${JSON.stringify(path)} already.`);
    }
    if (accessor !== undefined && this.byAccessor(accessor) !== undefined) {
      throw new Error(`Another mount has the accessor ${JSON.stringify(accessor)} already.`);
    }
    const name = engine === undefined ? type : this.names[engine];
    const prefix = engine === undefined ? "auth_" : "";
    const record: MountRecord = {
      path,
      type: name,
      accessor: accessor ?? `${prefix}${name}_${randomBytes(4).toString("hex")}`,
      defaultLeaseTtl: systemTtl,
      maxLeaseTtl: systemTtl,
    };
    const mount: Mount = { record, engine, details: { ...noDetails, uuid: randomUUID() } };
    this.mounts.set(key, mount);
    const [defaultTtl = 0, maxTtl = 0] = [defaultLeaseTtl, maxLeaseTtl].map(
      (ttl) => toMilliseconds(ttl) / 1_000,
    );
    this.tune(mount, { defaultTtl, maxTtl });
    return record;
  }

  /** Changes the record itself, because the state of an engine belongs to it. */
  tune(mount: Mount, change: Partial<MountDetails>): void {
    mount.details = { ...mount.details, ...change };
    const { defaultTtl, maxTtl } = mount.details;
    const maxLeaseTtl = maxTtl || systemTtl;
    const defaultLeaseTtl = defaultTtl || Math.min(systemTtl, maxLeaseTtl);
    Object.assign(mount.record, { maxLeaseTtl, defaultLeaseTtl });
  }

  /** @param key the path below the prefix, such as `auth/userpass` */
  at(key: string): Mount | undefined {
    return this.mounts.get(key);
  }

  /** The path of a mount that contains the given one, or is in it. */
  conflicting(key: string): string | undefined {
    return [...this.mounts.keys()].find(
      (own) => `${own}/`.startsWith(`${key}/`) || key.startsWith(`${own}/`),
    );
  }

  authMethods(): MountRecord[] {
    return [...this.mounts.values()].flatMap(({ record, engine }) => (engine === undefined ? [record] : []));
  }

  /** The auth method that a path below `auth/` belongs to. */
  loginAt(path: string): MountRecord | undefined {
    return this.authMethods()
      .filter((mount) => path.startsWith(`${mount.path}/`))
      .sort((one, other) => other.path.length - one.path.length)[0];
  }

  /** The auth method at a path without `auth/`. */
  login(path: string | undefined): MountRecord | undefined {
    return path === undefined ? undefined : this.mounts.get(`auth/${path}`)?.record;
  }

  /** @param path the path of an engine, or of an auth method with or without `auth/` */
  remove(path: string): { readonly key: string; readonly mount: MountRecord } {
    const key = this.mounts.has(path) ? path : `auth/${path}`;
    const mount = this.mounts.get(key)?.record;
    if (mount === undefined) {
      throw new Error(`Nothing is mounted at ${JSON.stringify(path)}.`);
    }
    this.mounts.delete(key);
    return { key, mount };
  }

  ofEngine(engine: EngineType): MountRecord[] {
    return [...this.mounts.values()].flatMap((mount) => (mount.engine === engine ? [mount.record] : []));
  }

  /** @throws Error if the engine is not mounted there, which is a mistake in the test */
  get(engine: EngineType, path: string = this.defaultPathOf(engine)): MountRecord {
    const mount = this.ofEngine(engine).find((candidate) => candidate.path === path);
    if (mount === undefined) {
      throw new Error(`The emulator has no ${engine} engine at ${JSON.stringify(path)}.`);
    }
    return mount;
  }

  byAccessor(accessor: string): MountRecord | undefined {
    return this.all().find((mount) => mount.accessor === accessor);
  }

  /** @returns the engine mounted at the longest prefix of the segments */
  find(segments: readonly string[]): MountedPath | undefined {
    const plain = segments.map(decoded);
    const found = [...this.mounts.values()].flatMap(({ record: mount, engine }): MountedPath[] => {
      const own = mount.path.split("/");
      return engine !== undefined && own.every((segment, index) => segment === plain[index])
        ? [{ mount, engine, rest: `/${segments.slice(own.length).join("/")}` }]
        : [];
    });
    return found.sort((one, other) => other.mount.path.length - one.mount.path.length)[0];
  }

  all(): MountRecord[] {
    return Array.from(this.mounts.values(), ({ record }) => record);
  }

  /** As in responses, such as `ldap/` or `auth/userpass/`. */
  shownPathOf(mount: MountRecord): string {
    const isLogin = this.mounts.get(`auth/${mount.path}`)?.record === mount;
    return `${isLogin ? "auth/" : ""}${mount.path}/`;
  }

  private defaultPathOf(engine: EngineType): string {
    return engine === "directory" ? "ldap" : this.names[engine];
  }

  /** The products have auth methods with the names of engines: the path tells them apart. */
  private engineOf(type: string, path: string): EngineType | undefined {
    return engineTypes.find(
      (engine) => type === engine || (type === this.names[engine] && !path.startsWith("auth/")),
    );
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

/** A malformed escape stays as it is, and matches nothing. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** State per mount. A new mount at the same path starts empty. */
export class MountStates<State extends object> {
  private readonly states = new WeakMap<MountRecord, State>();

  constructor(
    private readonly mounts: Mounts,
    private readonly engine: EngineType,
    private readonly create: () => State,
  ) {}

  of(mount: MountRecord): State {
    const state = this.states.get(mount) ?? this.create();
    this.states.set(mount, state);
    return state;
  }

  /** For setup. @throws Error if the engine is not mounted at the path */
  at(path?: string): State {
    return this.of(this.mounts.get(this.engine, path));
  }

  inspect<Item extends object>(itemsOf: (state: State) => readonly Item[]): (Item & MountPath)[] {
    return this.mounts
      .ofEngine(this.engine)
      .flatMap((mount) => itemsOf(this.of(mount)).map((item) => ({ mount: mount.path, ...item })));
  }
}
