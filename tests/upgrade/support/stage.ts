import type { Emulator } from "pulumi-trivium/testing";
import { resourceCases } from "../../cases";
import { worldOn } from "../../cases/support/emulated-world";
import type { SetUpCall } from "./recording";

/** Longer than a recording is kept: recordings last for years, and so does what was issued in them. */
const aCentury = "876000h";

const settable: readonly SetUpCall["on"][] = ["provisioning", "secrets", "scheduler", "events"];

/**
 * An emulator of which note is taken what is set up in it.
 *
 * @param addresses of the services as everybody else is to use them
 */
function noting(
  emulator: Emulator,
  addresses: Readonly<Partial<Record<string, string>>>,
  calls: SetUpCall[],
): Emulator {
  const services = settable.map((on) => [
    on,
    new Proxy(emulator[on], {
      get(service, call: string) {
        const member: unknown = Reflect.get(service, call);
        if (typeof member !== "function") {
          return call === "address" ? (addresses[on] ?? member) : member;
        }
        return (...given: unknown[]): unknown => {
          const result: unknown = Reflect.apply(member, service, given);
          calls.push({
            on,
            call,
            arguments: given,
            result: JSON.parse(JSON.stringify(result ?? {})) as unknown,
          });
          return result;
        };
      },
    }),
  ]);
  return { ...emulator, ...Object.fromEntries(services) } as Emulator;
}

/** What a recording's program declares, and what was set up in the emulator for it. */
export interface Stage {
  readonly calls: readonly SetUpCall[];
  /** The program, which a recording keeps: it imports nothing but the library, and has to go on to work. */
  readonly program: string;
}

/** Sets up what the case of every class needs, and writes the program that declares one of each. */
export async function setUpStage(
  emulator: Emulator,
  addresses: Readonly<Partial<Record<string, string>>>,
): Promise<Stage> {
  const calls: SetUpCall[] = [];
  const noted = noting(emulator, addresses, calls);
  const nobody = { address: "https://hooks.acme.example", requests: [] };
  const declarations: string[] = [];
  for (const [index, [type, resourceCase]] of [...resourceCases].entries()) {
    const mark = `stage-${index + 1}`;
    const surroundings = await resourceCase.prepare(
      worldOn(noted, { dialect: "documented", mark, lifetime: aCentury, receiver: nobody }),
    );
    const args = { ...resourceCase.valid(surroundings), ...resourceCase.whenRecorded };
    const name = type.replace(/[/:]/g, "-");
    declarations.push(
      `  new trivium.${type.replace(/[/:]/g, ".")}(${JSON.stringify(name)}, ${JSON.stringify(args)});`,
    );
  }
  const program = [
    'import * as trivium from "pulumi-trivium";',
    "",
    "/** One resource of every class. Written by scripts/record-state.ts from the cases of its version. */",
    "export function declareAll(): void {",
    ...declarations,
    "}",
    "",
  ].join("\n");
  return { calls, program };
}
