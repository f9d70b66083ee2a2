import { randomBytes } from "node:crypto";
import { toMilliseconds } from "../duration";
import type { MountPath, MountRecord, NewMount } from "./types";

/** The engines that the emulator plays. */
export type EngineType = "directory" | "scheduler";

/** Where a request to an engine goes. */
export interface MountedPath {
  readonly mount: MountRecord;
  readonly engine: EngineType;
  /** What is left of the path, as sent, with a slash in front. */
  readonly rest: string;
}

const engineTypes: readonly EngineType[] = ["directory", "scheduler"];
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
  /** What the engines are called in the table of mounts. */
  private readonly names: Readonly<Record<EngineType, string>>;

  constructor(isHashicorp: boolean) {
    this.names = isHashicorp
      ? { directory: "ldap", scheduler: "nomad" }
      : { directory: "directory", scheduler: "scheduler" };
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
    const path = normalizedPath(given, engine !== undefined);
    const key = engine === undefined ? `auth/${path}` : path;
    if (this.entries.has(key)) {
      throw new Error(`Something is mounted at ${JSON.stringify(path)} already.`);
    }
    if (accessor !== undefined && this.byAccessor(accessor) !== undefined) {
      throw new Error(`Another mount has the accessor ${JSON.stringify(accessor)} already.`);
    }
    const name = engine === undefined ? type : this.names[engine];
    const prefix = engine === undefined ? "auth_" : "";
    const mount: MountRecord = {
      path,
      type: name,
      accessor: accessor ?? `${prefix}${name}_${randomBytes(4).toString("hex")}`,
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
    const key = this.entries.has(path) ? path : `auth/${path}`;
    const mount = this.entries.get(key)?.mount;
    if (mount === undefined) {
      throw new Error(`Nothing is mounted at ${JSON.stringify(path)}.`);
    }
    this.entries.delete(key);
    return mount;
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
    const plain = segments.map(decoded);
    let found: MountedPath | undefined;
    for (const { mount, engine } of this.entries.values()) {
      const own = mount.path.split("/");
      const longer = found === undefined || mount.path.length > found.mount.path.length;
      if (engine !== undefined && longer && own.every((segment, index) => segment === plain[index])) {
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

/** A part of a path that cannot be decoded stays as it is, and leads nowhere. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** What an engine knows on each of its mounts. What is mounted again, as after a reset, begins again. */
export class MountStates<State extends object> {
  private readonly states = new WeakMap<MountRecord, State>();

  /** @param create what a fresh mount begins with */
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

  /**
   * For setting up.
   *
   * @param path default: where the engine is mounted from the start
   * @throws Error when the engine is not mounted there
   */
  at(path?: string): State {
    return this.of(this.mounts.known(this.engine, path));
  }

  /** What each mount returns, with its path. */
  inspect<Item extends object>(itemsOf: (state: State) => readonly Item[]): (Item & MountPath)[] {
    return this.mounts
      .ofEngine(this.engine)
      .flatMap((mount) => itemsOf(this.of(mount)).map((item) => ({ mount: mount.path, ...item })));
  }
}
