import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import type { Emulator, Inspection, RecordedRequest } from "pulumi-trivium/testing";
import type * as pulumi from "@pulumi/pulumi";
import { collectClasses } from "../../../sdk/resource/registry";
import { faultCases } from "../../faults/cases";
import type { Declared, FaultCase } from "../../faults/support/fault-case";
import type { Receiver } from "../support/receiver";
import type { Program } from "../support/stack";

type ResourceClass = new (name: string, args: object) => pulumi.CustomResource;

/** One resource of the crowd. */
export interface Member {
  /** Its name in the program. */
  readonly name: string;
  readonly faultCase: FaultCase;
  readonly declared: Declared;
  readonly takesAdopt: boolean;
  /** What is in its requests and in nobody else's. */
  readonly marks: readonly string[];
}

/** A resource of every class, side by side in the services of one emulator. */
export class Crowd {
  private constructor(readonly members: readonly Member[]) {}

  static async prepare(emulator: Emulator, { address: receiver }: Receiver): Promise<Crowd> {
    const classes = collectClasses(trivium);
    const members: Member[] = [];
    for (const [index, faultCase] of faultCases.entries()) {
      const mark = `m${index + 1}q`;
      const declared = await faultCase.prepare({ emulator, receiver }, mark);
      const ids = Object.entries(declared.made).flatMap(([name, value]) =>
        name.endsWith("Id") && typeof value === "string" ? [value] : [],
      );
      members.push({
        name: faultCase.type.replace(/.*:/, ""),
        faultCase,
        declared,
        takesAdopt: "adopt" in (classes.get(faultCase.type)?.definition.arguments ?? {}),
        marks: [mark, ...ids],
      });
    }
    emulator.journal.clear();
    return new Crowd(members);
  }

  /**
   * The program that declares them all.
   *
   * @param adopting the names of those that are to take over what exists
   */
  program(
    version: "made" | "changed",
    adopting: (name: string) => boolean = () => false,
  ): Program {
    const classes = collectClasses(trivium);
    return () => {
      for (const { name, faultCase, declared, takesAdopt } of this.members) {
        const resourceClass = classes.get(faultCase.type);
        assert.ok(resourceClass, faultCase.type);
        const args = version === "made" ? declared.made : (declared.changed ?? declared.made);
        const more = takesAdopt && adopting(name) ? { adopt: true } : {};
        new (resourceClass as unknown as ResourceClass)(name, { ...args, ...more });
      }
      return Promise.resolve(undefined);
    };
  }

  /** Whether a request is one that the service acts on, for this member. */
  writes({ faultCase, marks }: Member, { service, method, target, body }: RecordedRequest): boolean {
    if (faultCase.type === "scheduler:EventGate") {
      return service === "scheduler";
    }
    const text = `${target} ${JSON.stringify(body)}`;
    return (method !== "GET" || target.includes("/creds/")) && marks.some((mark) => text.includes(mark));
  }
}

/** How many things of each kind there are, without those that end by themselves. */
export function countsOf({ provisioning, secrets }: Inspection): Readonly<Record<string, number>> {
  const lists = [provisioning, secrets].flatMap((service) => Object.entries(service as object));
  return Object.fromEntries(
    lists.flatMap(([name, list]) => (Array.isArray(list) ? [[name, list.length] as const] : [])),
  );
}
