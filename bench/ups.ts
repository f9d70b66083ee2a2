import type { Emulator } from "pulumi-trivium/testing";
import { PulumiProject } from "./pulumi-project";

/** The programs that are compared, files in `programs`. */
export type Variant = "library" | "empty" | "closures" | "bridged";

/** The classes of which they make resources. */
export type ResourceClass = "TotpMethod" | "Project";

/** One `pulumi up`. */
export interface Up {
  readonly variant: Variant;
  readonly resourceClass: ResourceClass;
  readonly count: number;
  /** Whether the CLI writes the state after each step, as it usually does, or only at the end. Default: it does. */
  readonly checkpoints?: boolean;
  /** More of the environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs `pulumi up` for programs that make everything anew each time, at services that are empty each time. */
export class Ups {
  private readonly projects = new Map<Variant, PulumiProject>();

  constructor(private readonly emulator: Emulator) {}

  /** @returns how long it took, in milliseconds */
  async up(up: Up): Promise<number> {
    const project = await this.project(up.variant);
    project.reset();
    this.emulator.reset();
    this.emulator.provisioning.addOrganization({ name: "acme" });
    // The preview would run the program another time, and do little else.
    return project.pulumi(this.environment(up), "up", "--yes", "--skip-preview");
  }

  /** Runs another operation where {@link up} has been run, and as it was. */
  async operate(up: Up, ...args: readonly string[]): Promise<number> {
    const project = await this.project(up.variant);
    return project.pulumi(this.environment(up), ...args);
  }

  /** The project of a program; made when first asked for. */
  async project(variant: Variant): Promise<PulumiProject> {
    const project = this.projects.get(variant) ?? (await PulumiProject.create(variant));
    this.projects.set(variant, project);
    return project;
  }

  remove(): void {
    for (const project of this.projects.values()) {
      project.remove();
    }
  }

  private environment({
    resourceClass,
    count,
    checkpoints = true,
    environment,
  }: Up): Readonly<Record<string, string>> {
    return {
      ...this.emulator.environment,
      BENCH_CLASS: resourceClass,
      BENCH_COUNT: `${count}`,
      ...(checkpoints ? {} : { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" }),
      ...environment,
    };
  }
}
