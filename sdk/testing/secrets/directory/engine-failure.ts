import { LdapFailure } from "./ldap/ldap-failure";
import { LdifError } from "./ldap/ldif";
import { TemplateError } from "./template/template";

/** Something that the engine cannot do, through no fault of the request. The service returns 500. */
export class EngineFailure extends Error {}

/** Whether the engine, the directory behind it, a template or its LDIF failed, and not the emulator. */
export function isEngineFailure(error: unknown): error is Error {
  return [EngineFailure, LdapFailure, LdifError, TemplateError].some((kind) => error instanceof kind);
}

/** Calls what may fail, and puts in front of the failure what was tried. */
export function attempt<Result>(what: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw isEngineFailure(error) ? new EngineFailure(`${what}: ${error.message}`) : error;
  }
}
