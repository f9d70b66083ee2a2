import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type * as pulumi from "@pulumi/pulumi";
import { temporaryDirectory } from "../../support/packed-library";
import { providerStub } from "../../../sdk/resource/stub";
import { shortUrn } from "../../../sdk/resource/urn";

/** A call of a hook, as a provider process has recorded it. */
interface RecordedCall {
  readonly process: number;
  readonly hook: string;
  readonly id?: string;
  readonly olds?: Values;
  readonly values: Values;
}

type Values = Readonly<Record<string, unknown>>;

/** Which hooks the engine calls, when, with what and in which process: the provider text of each resource tells. */
export class RecordedCalls {
  private readonly directory = temporaryDirectory("recorded-calls");
  private readonly file = join(this.directory, "calls");

  /** Options that have a resource's hooks recorded. */
  readonly options: pulumi.CustomResourceOptions = {
    transformations: [
      ({ props, opts, type }) => ({ props: { ...(props as object), __provider: this.text(type) }, opts }),
    ],
  };

  /** Forgets what was recorded so far. */
  clear(): void {
    rmSync(this.file, { force: true });
  }

  /**
   * The calls since then that concern one object, a line each: the process by a letter, the hook, the entry of the
   * state by its resource's name.
   *
   * @param concerns whether inputs or outputs are of the object
   */
  about(concerns: (values: Values) => boolean): readonly string[] {
    const processes: number[] = [];
    return this.all()
      .filter(({ values }) => concerns(values))
      .map(({ process, hook, olds, values }) => {
        if (!processes.includes(process)) {
          processes.push(process);
        }
        const letter = String.fromCharCode("A".charCodeAt(0) + processes.indexOf(process));
        const former = olds === undefined || Object.keys(olds).length === 0 ? "" : " with state";
        return `${letter}: ${hook} ${entryOf(values)}${former}`;
      });
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  private all(): readonly RecordedCall[] {
    return existsSync(this.file)
      ? readFileSync(this.file, "utf8")
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line) as RecordedCall)
      : [];
  }

  private text(type: string): string {
    const definition = type.slice(type.indexOf("trivium/") + "trivium/".length);
    return `${providerStub(definition)};
      const lifecycle = exports.handler();
      const { appendFileSync } = require("node:fs");
      const record = (hook, call) => appendFileSync(
        ${JSON.stringify(this.file)}, JSON.stringify({ process: process.pid, hook, ...call }) + "\\n");
      exports.handler = () => ({
        ...lifecycle,
        check(olds, news) { record("check", { olds, values: news }); return lifecycle.check(olds, news); },
        diff(id, olds, news) { record("diff", { id, olds, values: news }); return lifecycle.diff(id, olds, news); },
        create(inputs) { record("create", { values: inputs }); return lifecycle.create(inputs); },
        read(id, values) { record("read", { id, values }); return lifecycle.read(id, values); },
        update(id, olds, news) { record("update", { id, olds, values: news }); return lifecycle.update(id, olds, news); },
        delete(id, values) { record("delete", { id, values }); return lifecycle.delete(id, values); },
      });`;
  }
}

/** What the first call of a process is about, which has no URN if it is not a check. */
export const unnamed = "unnamed";

/** The name of a resource, and the component that it is in, by the URN of the call. */
function entryOf({ __urn: urn }: Values): string {
  if (typeof urn !== "string") {
    return unnamed;
  }
  const [, , parents = "", name = ""] = shortUrn(urn).split("::");
  return parents === "" ? name : `${name} in a component`;
}
