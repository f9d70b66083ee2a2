import path from "node:path";
import { createHash } from "node:crypto";
import {
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { messageOf, succeeds } from "../base/errors";
import { engineAddress } from "./process";
import { logToEngine } from "./progress";

/** A fact that the provider processes of one operation share. Must not be a secret. */
interface Note {
  readonly kind: string;
  readonly key: string;
  readonly value: string;
}

/**
 * Never fails, because the object that the note is about must not be lost. A failure to share only causes a
 * warning.
 */
export interface SharedNotes {
  add(kind: string, key: string, value: string): void;
  find(kind: string, key: string): ReadonlySet<string>;
}

/** For tests, and outside the engine's provider process. */
export class OwnNotes implements SharedNotes {
  private readonly notes = new Map<string, Set<string>>();

  add(kind: string, key: string, value: string): boolean {
    const name = JSON.stringify([kind, key]);
    const values = this.notes.get(name) ?? new Set<string>();
    const isNew = !values.has(value);
    this.notes.set(name, values.add(value));
    return isNew;
  }

  find(kind: string, key: string): ReadonlySet<string> {
    return this.notes.get(JSON.stringify([kind, key])) ?? new Set();
  }
}

interface Follower {
  readonly descriptor: number;
  position: number;
  rest: string;
}

const largestRead = 1 << 16;

/**
 * Each process appends to its own file and reads the others. The address of the engine identifies the
 * operation. Files of processes that have exited are ignored, because the engine's address might be reused.
 */
class NotesInFiles implements SharedNotes {
  private readonly notes = new OwnNotes();
  private readonly followers = new Map<string, Follower>();
  private readonly prefix: string;
  private readonly own: number;
  private unwritten = Buffer.alloc(0);

  constructor(
    private readonly directory: string,
    engineAddress: string,
  ) {
    this.prefix = `${createHash("sha256").update(engineAddress).digest("hex").slice(0, 16)}-`;
    for (const name of readdirSync(directory)) {
      if (!isAlive(processOf(name))) {
        rmSync(path.join(directory, name), { force: true });
      }
    }
    const file = path.join(directory, `${this.prefix}${process.pid}`);
    this.own = openSync(file, "w", 0o600);
    // Otherwise the next process removes the file.
    process.once("exit", () => succeeds(() => rmSync(file, { force: true })));
  }

  add(kind: string, key: string, value: string): void {
    if (this.notes.add(kind, key, value)) {
      const line = `${JSON.stringify({ kind, key, value } satisfies Note)}\n`;
      this.unwritten = Buffer.concat([this.unwritten, Buffer.from(line)]);
      orWarn(() => this.write());
    }
  }

  find(kind: string, key: string): ReadonlySet<string> {
    orWarn(() => {
      for (const name of readdirSync(this.directory)) {
        if (name.startsWith(this.prefix) && processOf(name) !== process.pid && isAlive(processOf(name))) {
          orWarn(() => this.follow(name));
        }
      }
    });
    return this.notes.find(kind, key);
  }

  /** On a full disk, only a part of a line might be written. The rest is written with the next note. */
  private write(): void {
    while (this.unwritten.length > 0) {
      this.unwritten = this.unwritten.subarray(writeSync(this.own, this.unwritten));
    }
  }

  /** @returns `undefined` if the process has just exited */
  private opened(name: string): Follower | undefined {
    try {
      return { descriptor: openSync(path.join(this.directory, name), "r"), position: 0, rest: "" };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") {
        return undefined;
      }
      throw error;
    }
  }

  private follow(name: string): void {
    const follower = this.followers.get(name) ?? this.opened(name);
    if (follower === undefined) {
      return;
    }
    this.followers.set(name, follower);
    const { size } = fstatSync(follower.descriptor);
    if (size < follower.position) {
      // A new process has the ID of a former one and has truncated the file.
      follower.position = 0;
      follower.rest = "";
    }
    const buffer = Buffer.allocUnsafe(Math.min(size - follower.position, largestRead));
    while (follower.position < size) {
      const length = readSync(follower.descriptor, buffer, 0, buffer.length, follower.position);
      if (length === 0) {
        return;
      }
      follower.position += length;
      // Lines are buffered as bytes, because a read can split a character.
      const lines = (follower.rest + buffer.toString("latin1", 0, length)).split("\n");
      follower.rest = lines.pop() ?? "";
      for (const line of lines) {
        const note = noteIn(Buffer.from(line, "latin1").toString("utf8"));
        if (note !== undefined) {
          this.notes.add(note.kind, note.key, note.value);
        }
      }
    }
  }
}

/** A line is incomplete if its writer was killed or the disk is full. */
function noteIn(line: string): Note | undefined {
  try {
    const { kind, key, value } = JSON.parse(line) as Partial<Record<keyof Note, unknown>>;
    return typeof kind === "string" && typeof key === "string" && typeof value === "string"
      ? { kind, key, value }
      : undefined;
  } catch {
    return undefined;
  }
}

function processOf(name: string): number {
  return Number(name.slice(name.lastIndexOf("-") + 1));
}

export function isAlive(processId: number): boolean {
  try {
    return Number.isSafeInteger(processId) && processId > 0 && process.kill(processId, 0);
  } catch (error) {
    // EPERM means that the process is alive and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Only this user is allowed to access the directory, because its contents decide what is deleted. */
export function privateDirectory(purpose: string): string {
  const user = process.getuid?.();
  // Containers can share a directory, but process IDs are only valid within one container.
  const namespace = statSync("/proc/self/ns/pid", { throwIfNoEntry: false })?.ino;
  const names = [purpose, user, namespace].filter((name) => name !== undefined);
  const directory = path.join(tmpdir(), names.join("-"));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const found = lstatSync(directory);
  if (!found.isDirectory() || (user !== undefined && (found.uid !== user || (found.mode & 0o077) !== 0))) {
    throw new Error(`${directory} is accessible to other users`);
  }
  return directory;
}

let notes: SharedNotes | undefined;

/** Outside a provider process, notes are not shared. */
export function sharedNotes(): SharedNotes {
  const engine = engineAddress();
  if (engine === undefined) {
    return new OwnNotes();
  }
  return (notes ??=
    orWarn(() => new NotesInFiles(privateDirectory("pulumi-trivium"), engine)) ?? new OwnNotes());
}

let hasWarned = false;

function orWarn<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (!hasWarned) {
      hasWarned = true;
      logToEngine(
        "warning",
        undefined,
        "The provider processes of this operation cannot share what they have created: " +
          `${messageOf(error)}. Do not move objects between providers in this operation.`,
      );
    }
    return undefined;
  }
}
