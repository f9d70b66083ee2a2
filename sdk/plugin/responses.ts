import type * as Messages from "@pulumi/pulumi/proto/provider_pb";
import type { sendUnaryData } from "@grpc/grpc-js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { messageOf } from "../base/errors";
import type { JsonObject } from "../base/json";
import { showable } from "../base/shown-text";
import { PartialSuccessError } from "../engine/reports";
import { requireFromSdk } from "../engine/sdk-modules";
import type { Lifecycle, LifecycleDiff } from "../resource/lifecycle/lifecycle";
import type { Written } from "../resource/lifecycle/writing";
import { encodeEntry } from "../resource/state/encoding";
import { differences } from "./differences";

// Converts what the lifecycles return to messages of the engine's protocol.

export const messages = requireFromSdk<typeof Messages>("@pulumi/pulumi/proto/provider_pb");
export const { Empty } = requireFromSdk<typeof import("google-protobuf/google/protobuf/empty_pb")>(
  "google-protobuf/google/protobuf/empty_pb",
);
const structs = requireFromSdk<typeof import("google-protobuf/google/protobuf/struct_pb")>(
  "google-protobuf/google/protobuf/struct_pb",
);

/** @throws PartialSuccessError if a step failed after the object existed */
export function stored({ definition }: Lifecycle, { id, entry, failure }: Written): Struct {
  const properties = structOf(encodeEntry(definition, entry));
  if (failure !== undefined) {
    throw new PartialSuccessError(id, properties, failure);
  }
  return properties;
}

const isPartial = (error: unknown): error is PartialSuccessError<Struct> =>
  error instanceof PartialSuccessError;

/** Includes the object if it exists despite the error. */
export function failureOf(error: unknown): Parameters<sendUnaryData<unknown>>[0] {
  const { Metadata, status } = requireFromSdk<typeof import("@grpc/grpc-js")>("@grpc/grpc-js");
  const details = showable(messageOf(error));
  const metadata = new Metadata();
  if (isPartial(error)) {
    const { Status } = requireFromSdk<typeof import("@pulumi/pulumi/proto/status_pb")>(
      "@pulumi/pulumi/proto/status_pb",
    );
    const { Any } = requireFromSdk<typeof import("google-protobuf/google/protobuf/any_pb")>(
      "google-protobuf/google/protobuf/any_pb",
    );
    const failed = new messages.ErrorResourceInitFailed()
      .setId(error.id)
      .setProperties(error.properties)
      .setReasonsList([error.message]);
    const any = new Any();
    any.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
    // eslint-disable-next-line no-restricted-syntax -- an error, and no line of the engine's log
    const failure = new Status().setCode(status.UNKNOWN).setMessage(details).setDetailsList([any]);
    metadata.add("grpc-status-details-bin", Buffer.from(failure.serializeBinary()));
  }
  return { code: status.UNKNOWN, details, metadata };
}

export function objectIn(struct: Struct | undefined): JsonObject | undefined {
  return struct?.toJavaScript();
}

export function structOf(values: JsonObject): Struct {
  return structs.Struct.fromJavaScript(values);
}

export function checkResponse(
  inputs: JsonObject,
  failures: readonly { readonly property: string; readonly reason: string }[],
): Messages.CheckResponse {
  return new messages.CheckResponse()
    .setInputs(structOf(inputs))
    .setFailuresList(
      failures.map(({ property, reason }) =>
        new messages.CheckFailure().setProperty(property).setReason(reason),
      ),
    );
}

export function diffResponse(
  { changed, changes, replaces, deleteBeforeReplace }: LifecycleDiff,
  former: JsonObject,
  news: JsonObject,
): Messages.DiffResponse {
  const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
  const response = new messages.DiffResponse()
    .setChanges(changes === false ? DIFF_NONE : DIFF_SOME)
    .setReplacesList(replaces)
    .setDeletebeforereplace(deleteBeforeReplace)
    .setHasdetaileddiff(true);
  const { Kind } = messages.PropertyDiff;
  const details = response.getDetaileddiffMap();
  for (const name of new Set([...changed, ...replaces])) {
    const parts = differences(name, former[name] ?? null, news[name] ?? null);
    for (const [part, change] of parts.length === 0 ? [[name, "UPDATE"] as const] : parts) {
      const kind = Kind[replaces.includes(name) ? (`${change}_REPLACE` as const) : change];
      details.set(part, new messages.PropertyDiff().setKind(kind).setInputdiff(parts.length > 0));
    }
  }
  return response;
}
