import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import type { Emulator, Inspection, RecordedRequest } from "pulumi-trivium/testing";
import { collectClasses } from "../../../sdk/resource/registry";
import { resourceCases } from "../../cases";
import type { ResourceCase } from "../../cases/support/case";
import { type Declared, declaredIn } from "../../faults/support/declared";
import type { Receiver } from "../support/receiver";
import type { Program } from "../support/stack";

type ResourceClass = new (name: string, args: object) => pulumi.CustomResource;

/** One resource of the crowd. */
export class Member {
  /** Its name in the program. */
  readonly name: string;
  /** Its type in state. */
  readonly type: string;

  constructor(
    readonly resourceCase: ResourceCase,
    readonly declared: Declared,
    /** What its requests contain and nobody else's. */
    private marks: readonly string[],
  ) {
    this.name = resourceCase.type.replace(/.*:/, `${marks[0] ?? ""}-`);
    this.type = `pulumi-nodejs:dynamic/trivium/${resourceCase.type}`;
  }

  /** Notes the id of its object, by which later requests name it. */
  meet(id: string | undefined): void {
    this.marks = id === undefined ? this.marks : [...this.marks, id];
  }

  /** Whether a request is one of its own that changes something in the service. */
  writes({ service, method, target, body }: RecordedRequest): boolean {
    if (this.resourceCase.type === "scheduler:EventGate") {
      return service === "scheduler";
    }
    const text = `${target} ${JSON.stringify(body)}`;
    return (method !== "GET" || target.includes("/creds/")) && this.marks.some((mark) => text.includes(mark));
  }

  declare({ adopts, changed }: { readonly adopts: boolean; readonly changed: boolean }): void {
    const found = collectClasses(trivium).get(this.resourceCase.type);
    assert.ok(found, this.resourceCase.type);
    const declared = changed ? this.declared.changed : this.declared.made;
    const more = adopts && "adopt" in found.definition.arguments ? { adopt: true } : {};
    new (found as unknown as ResourceClass)(this.name, { ...declared, ...more });
  }
}

/** A resource of every class, side by side in the services of one emulator. */
export class Crowd {
  private constructor(readonly members: readonly Member[]) {}

  static async prepare(emulator: Emulator, receiver: Receiver): Promise<Crowd> {
    const members: Member[] = [];
    for (const [index, resourceCase] of [...resourceCases.values()].entries()) {
      const mark = `m${index + 1}q`;
      const declared = await declaredIn(emulator, receiver, resourceCase, mark);
      const ids = Object.entries(declared.made).flatMap(([name, value]) =>
        name.endsWith("Id") && name !== "fallbackProjectId" && typeof value === "string" ? [value] : [],
      );
      members.push(new Member(resourceCase, declared, [mark, ...ids]));
    }
    return new Crowd(members);
  }

  /**
   * The program that declares them all.
   *
   * @param changed whether their arguments are those after a change
   * @param adopts which of them, by name, are to take over what exists
   */
  program({
    changed = false,
    adopts = () => false,
  }: { readonly changed?: boolean; readonly adopts?: (name: string) => boolean } = {}): Program {
    return () => {
      this.members.forEach((member) => member.declare({ changed, adopts: adopts(member.name) }));
      return Promise.resolve(undefined);
    };
  }
}

/** How many things there are of each kind. */
export function countsOf({ provisioning, secrets }: Inspection): Readonly<Record<string, number>> {
  const lists = [provisioning, secrets].flatMap((service) => Object.entries(service as object));
  return Object.fromEntries(
    lists.flatMap(([name, list]: [string, unknown]) =>
      Array.isArray(list) ? [[name, list.length] as const] : [],
    ),
  );
}
