import { execFile } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

/** The processes of an operation, without shells and the language host. */
export const roles = ["provider", "program", "engine", "service"] as const;

type Role = (typeof roles)[number];

/** In MB, the greatest that was seen; without processes that took no part. */
export type Memory = Readonly<Partial<Record<Role, number>>>;

const interval = 250;

/** What a command line has; a provider of the engine's own ends before it is seen. */
const commands: readonly (readonly [Role, RegExp])[] = [
  ["provider", /pulumi-resource-(?!pulumi-nodejs)|dynamic-provider/],
  ["program", /cmd[/\\]run(?:-policy-pack)?[/\\]/],
  ["engine", /[/\\]pulumi (?:up|refresh|destroy) /],
];

interface Process {
  readonly id: number;
  readonly parent: number;
  readonly memory: number;
  readonly command: string;
}

/** @returns a function that ends the watch over this process's descendants */
export function watchMemory(service: number | undefined): () => Promise<Memory> {
  const greatest: Partial<Record<Role, number>> = {};
  let isOver = false;
  const watch = async (): Promise<void> => {
    while (!isOver) {
      for (const { id, memory, command } of descendants(await processes())) {
        const [role] = commands.find(([, pattern]) => pattern.test(command)) ?? [];
        const seen = id === service ? "service" : role;
        if (seen !== undefined) {
          greatest[seen] = Math.max(greatest[seen] ?? 0, memory);
        }
      }
      await setTimeout(interval);
    }
  };
  const watching = watch();
  return async () => {
    isOver = true;
    await watching;
    return greatest;
  };
}

function descendants(all: readonly Process[]): readonly Process[] {
  const of = (parent: number): readonly Process[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each, ...of(each.id)]);
  return of(process.pid);
}

async function processes(): Promise<readonly Process[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,rss=,args="], {
    maxBuffer: 100_000_000,
  });
  return stdout.split("\n").flatMap((line) => {
    const [, id, parent, kilobytes, command = ""] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return id === undefined
      ? []
      : [{ id: Number(id), parent: Number(parent), memory: Math.round(Number(kilobytes) / 1_024), command }];
  });
}
