import type { ResourceClass } from "./programs/arguments";
import { PulumiProject, type StoredResource } from "./pulumi-project";
import { Service } from "./service";
import { type SideName, sides } from "./sides";

/** The CLI's arguments. To preview an update first would run the program another time, and do little else. */
export const commands = {
  up: ["up", "--yes", "--skip-preview"],
  again: ["up", "--yes", "--skip-preview", "--expect-no-changes"],
  preview: ["preview", "--expect-no-changes"],
  refresh: ["refresh", "--yes", "--skip-preview"],
  destroy: ["destroy", "--yes", "--skip-preview"],
} as const;

export type Command = keyof typeof commands;

/** What a stack holds. */
export interface Contents {
  readonly resourceClass: ResourceClass;
  readonly count: number;
  /** Whether the CLI writes the state only at the end, not after each step as it usually does. */
  readonly savedOnce?: boolean;
}

/** A stack that begins empty, at a service that does. */
export interface Stack {
  /** @returns how long the command took, in milliseconds */
  readonly run: (command: Command) => Promise<number>;
  /** How many requests the service has got since this was last asked. */
  readonly requests: () => Promise<number>;
  /** What it has in state. */
  readonly resources: () => readonly StoredResource[];
}

/** The stacks of all sides: one project each, which is put back to the start each time. */
export class Stacks {
  private readonly projects = new Map<SideName, PulumiProject>();

  private constructor(private readonly service: Service) {}

  static async start(): Promise<Stacks> {
    return new Stacks(await Service.start());
  }

  async begin(side: SideName, { resourceClass, count, savedOnce = false }: Contents): Promise<Stack> {
    const project = this.projects.get(side) ?? (await PulumiProject.create(sides[side].program));
    this.projects.set(side, project);
    project.reset();
    await this.service.empty();
    const environment = {
      ...this.service.environment,
      BENCH_CLASS: resourceClass,
      BENCH_COUNT: `${count}`,
      ...(savedOnce ? { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" } : {}),
    };
    return {
      run: (command) => project.pulumi(environment, ...commands[command]),
      requests: () => this.service.requests(),
      resources: () => project.resources().filter(({ type }) => !type.startsWith("pulumi:")),
    };
  }

  close(): void {
    this.service.close();
    this.projects.forEach((project) => project.remove());
  }
}
