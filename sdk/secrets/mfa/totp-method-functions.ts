import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { callFunction, callFunctionOutput, type FunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import { required } from "../../http/contract";
import { NotFoundError } from "../../base/errors";
import type { SecretsClient } from "../client";
import { nameInPath } from "../../resource/schemas";
import { listTotpMethodIds, readTotpMethod, type TotpAlgorithm, totpMethodPath } from "./totp-method-wire";

/** A TOTP method as functions answer it. */
export interface GetTotpMethodResult {
  /** Its id. */
  readonly id: string;
  /** The name of the organization that issues keys. */
  readonly issuer: string;
  /** How many seconds a code is good for. */
  readonly period: number;
  /** The size of generated keys in bytes. */
  readonly keySize: number;
  /** The width and height of the QR code in pixels. */
  readonly qrSize: number;
  /** The hash by which codes are computed. */
  readonly algorithm: TotpAlgorithm;
  /** How many digits a code has. */
  readonly digits: number;
  /** How many periods a code may be late or early. */
  readonly skew: number;
  /** How many wrong codes in a row are allowed. */
  readonly maxValidationAttempts: number;
  /** Always `totp`. */
  readonly type: string;
  /** The namespace that it belongs to; null when the service does not say. */
  readonly namespace: string | null;
}

/** The arguments of {@link getTotpMethod}. */
export interface GetTotpMethodArgs {
  /** The method's id. */
  id: string;
}

/** The arguments of {@link getTotpMethodOutput}. */
export interface GetTotpMethodOutputArgs {
  /** The method's id. */
  id: pulumi.Input<string>;
}

/** {@link listTotpMethods} takes no arguments. */
export type ListTotpMethodsArgs = Record<string, never>;

/** {@link listTotpMethodsOutput} takes no arguments. */
export type ListTotpMethodsOutputArgs = Record<string, never>;

/** What {@link listTotpMethods} answers. */
export interface ListTotpMethodsResult {
  /** The ids of the methods in the caller's namespace and those above it. */
  readonly ids: string[];
}

const getDefinition: FunctionDefinition<SecretsClient, GetTotpMethodArgs, GetTotpMethodResult> = {
  name: "secrets.mfa.getTotpMethod",
  service: secretsService,
  schema: (z) => z.strictObject({ id: nameInPath(z) }),
  async call(client, { id }) {
    const method = await readTotpMethod(client, id);
    if (method === undefined) {
      throw new NotFoundError(`There is no TOTP method ${id}.`);
    }
    const request = `GET ${totpMethodPath(id)}`;
    return {
      id,
      issuer: method.issuer,
      period: required(method.period, "data.period", request),
      keySize: required(method.keySize, "data.key_size", request),
      qrSize: required(method.qrSize, "data.qr_size", request),
      algorithm: required(method.algorithm, "data.algorithm", request),
      digits: required(method.digits, "data.digits", request),
      skew: required(method.skew, "data.skew", request),
      maxValidationAttempts: required(method.maxValidationAttempts, "data.max_validation_attempts", request),
      type: method.type ?? "totp",
      namespace: method.namespace ?? null,
    };
  },
};

/**
 * Reads one TOTP method.
 *
 * @throws {@link errors.NotFoundError} when there is none
 */
export function getTotpMethod(
  args: GetTotpMethodArgs,
  options?: FunctionOptions,
): Promise<GetTotpMethodResult> {
  return callFunction(getDefinition, args, options);
}

/**
 * Reads one TOTP method, with arguments that may be outputs of resources. In a preview that still makes one of them
 * the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function getTotpMethodOutput(
  args: GetTotpMethodOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetTotpMethodResult> {
  return callFunctionOutput(getDefinition, { ...args }, options);
}

const listDefinition: FunctionDefinition<SecretsClient, ListTotpMethodsArgs, ListTotpMethodsResult> = {
  name: "secrets.mfa.listTotpMethods",
  service: secretsService,
  schema: (z) => z.strictObject({}),
  call: async (client) => ({ ids: await listTotpMethodIds(client) }),
};

/**
 * Lists the ids of the TOTP methods in the caller's namespace and those above it.
 *
 * @throws {@link errors.ServiceError} when the service refuses
 */
export function listTotpMethods(
  args?: ListTotpMethodsArgs,
  options?: FunctionOptions,
): Promise<ListTotpMethodsResult> {
  return callFunction(listDefinition, args, options);
}

/**
 * Lists the ids of the TOTP methods, after the resources that the options name.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function listTotpMethodsOutput(
  args?: ListTotpMethodsOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<ListTotpMethodsResult> {
  return callFunctionOutput(listDefinition, { ...args }, options);
}
