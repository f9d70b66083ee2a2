import type { Dialect } from "../../base/settings";
import recordedRequests from "./recorded-requests.json";

/** What a class sends in each operation: `POST {mount}/static-role/{roleName}`, with arguments and the ID in braces. */
export interface RequestsOfClass extends Readonly<Record<Operation, readonly string[]>> {
  /** Which arguments must be set, or not, for these requests. Default: any. */
  readonly when?: Readonly<Record<string, boolean>>;
}

export type Operation = "create" | "refresh" | "update" | "delete";

/** By type in state. */
export type RecordedRequests = Readonly<Record<string, readonly RequestsOfClass[]>>;

const recorded: Readonly<Record<Dialect, RecordedRequests>> = recordedRequests;

/** What a token is for: the command of Pulumi, or all of them. */
export const purposes = ["preview", "refresh", "up", "destroy"] as const;

export type Purpose = (typeof purposes)[number];

const operationsFor: Readonly<Record<Purpose, readonly Operation[]>> = {
  // Previews make no request for resources.
  preview: [],
  refresh: ["refresh"],
  up: ["create", "update", "delete"],
  destroy: ["delete"],
};

/** A resource of the stack, or of its plan. */
export interface Subject {
  /** As in state: `secrets/directory:StaticRole`. */
  readonly type: string;
  /** As a program writes it, with the name of the resource: `secrets.directory.StaticRole "app"`. */
  readonly what: string;
  /** The arguments, without those that are unknown in a plan or secret. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly id: string | undefined;
}

interface SubjectRequest {
  readonly method: string;
  /** Whether the request writes an object at the path where it is read, so that it can be the first write there. */
  readonly mayCreate: boolean;
  /** Decoded; `undefined` for a segment that is not known. */
  readonly segments: readonly (string | undefined)[];
}

/** The recorded requests for a resource: those of its whole lifecycle if no purpose is given. */
export function requestsOf(
  { type, values, id }: Subject,
  dialect: Dialect,
  purpose: Purpose | undefined,
): readonly SubjectRequest[] {
  const forms = recorded[dialect][type] ?? [];
  const fitting = forms.filter(({ when = {} }) =>
    Object.entries(when).every(([name, isSet]) => Boolean(values[name]) === isSet),
  );
  const operations =
    purpose === undefined ? (["create", "refresh", "update", "delete"] as const) : operationsFor[purpose];
  return fitting.flatMap((form) =>
    operations.flatMap((operation) =>
      form[operation].map((line) => {
        const [method = "", path = ""] = line.split(" ");
        const segments = path.split("/").flatMap((segment) => {
          const [, name] = /^\{(.*)\}$/.exec(segment) ?? [];
          if (name === undefined) {
            return [segment === "+" ? undefined : segment];
          }
          // A service assigns a different ID to what it creates.
          const value = name === "id" ? (operation === "create" ? undefined : id) : values[name];
          return typeof value === "string" && value !== ""
            ? value.split(name === "mount" ? "/" : /(?!)/)
            : [undefined];
        });
        const mayCreate = method === "POST" && operation === "create" && form.create.includes(`GET ${path}`);
        return { method, segments, mayCreate };
      }),
    ),
  );
}
