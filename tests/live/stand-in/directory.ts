import type { Emulator } from "pulumi-trivium/testing";
import type { FrontRoute } from "./front";

/** What the tool that plays OpenLDAP's sends. */
interface ToolCall {
  readonly tool: string;
  readonly dn: string;
  readonly password: string;
  readonly base?: string;
  readonly names: readonly string[];
  readonly input: string;
}

interface ToolResult {
  readonly code: number;
  readonly output: string;
}

const success: ToolResult = { code: 0, output: "" };
const noSuchObject: ToolResult = { code: 32, output: "" };
const invalidCredentials: ToolResult = { code: 49, output: "" };

/** The directory behind the emulated engine, for the tool that plays OpenLDAP's. */
export function directoryRoute(emulator: Emulator): FrontRoute {
  const { secrets } = emulator;
  const entries = () => emulator.inspect().secrets.directoryEntries;
  const has = (dn: string): boolean => entries().some((entry) => entry.dn === dn);
  const belongsTo = (dn: string, parent: string): boolean => dn === parent || dn.endsWith(`,${parent}`);
  const tools: Readonly<Record<string, (call: ToolCall) => ToolResult>> = {
    ldapadd({ input }) {
      const { dn = "", userPassword, ...attributes } = valuesIn(input);
      secrets.addDirectoryEntry({
        dn,
        attributes: attributes as Record<string, string>,
        ...(userPassword === undefined ? {} : { password: userPassword }),
      });
      return success;
    },
    ldapmodify({ input }) {
      const { dn = "", userPassword = "" } = valuesIn(input);
      secrets.changeDirectoryEntry(dn, { password: userPassword });
      return success;
    },
    ldapdelete({ names: [name = ""] }) {
      if (!has(name)) {
        return noSuchObject;
      }
      const all = entries().filter(({ dn }) => belongsTo(dn, name));
      const deepestFirst = all.sort((one, other) => other.dn.length - one.dn.length);
      deepestFirst.forEach(({ dn }) => secrets.removeDirectoryEntry(dn));
      return success;
    },
    ldapsearch({ base = "" }) {
      const below = entries().filter(({ dn }) => dn !== base && belongsTo(dn, base));
      return { code: 0, output: below.map(({ dn }) => `dn: ${dn}\n\n`).join("") };
    },
    ldapwhoami: () => success,
  };
  return {
    matches: /^POST \/$/,
    handle(_parameters, body) {
      const call = body as ToolCall;
      const binds = entries().some(({ dn, password }) => dn === call.dn && password === call.password);
      return binds ? (tools[call.tool]?.(call) ?? { code: 1, output: "" }) : invalidCredentials;
    },
  };
}

/** The values of an entry in LDIF, the last of each attribute. */
function valuesIn(ldif: string): Partial<Record<string, string>> {
  return Object.fromEntries(
    [...ldif.matchAll(/^(\w+)(::?) (.*)$/gm)].map(([, name = "", mark, value = ""]) => [
      name,
      mark === "::" ? Buffer.from(value, "base64").toString() : value,
    ]),
  );
}
