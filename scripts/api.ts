import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";

const sdk = path.resolve(__dirname, "..", "sdk");

/** Where the reports are kept that the compiled library is compared with. */
export const reports = path.join(sdk, "api");

/** The entries of the package that have types, as their files are called. */
export const entries = ["index", "testing", "dynamic", "webhook"] as const;

/** One of {@link entries}. */
export type Entry = (typeof entries)[number];

/** The name of an entry's report in {@link reports}. */
export const reportName = (entry: Entry): string => `${entry}.api.md`;

/**
 * Describes the public API of the compiled library by entry: everything that a program can name, and its parts. A
 * change of the API changes a line or two.
 *
 * @throws Error when the declarations cannot be read, for instance before the library is compiled
 */
export function describeApi(): ReadonlyMap<Entry, string> {
  const directory = mkdtempSync(path.join(os.tmpdir(), "pulumi-trivium-api-"));
  try {
    const configurations = entries.map((entry) => [entry, configurationFor(entry, directory)] as const);
    const [[, first]] = configurations as [(typeof configurations)[0]];
    // The declarations are read once for all entries.
    const compilerState = CompilerState.create(first, {
      additionalEntryPoints: configurations.map(([, { mainEntryPointFilePath }]) => mainEntryPointFilePath),
    });
    return new Map(
      configurations.map(([entry, configuration]) => {
        writeReport(configuration, compilerState);
        return [entry, readFileSync(path.join(directory, reportName(entry)), "utf8")];
      }),
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function writeReport(configuration: ExtractorConfig, compilerState: CompilerState): void {
  const complaints: string[] = [];
  const { succeeded } = Extractor.invoke(configuration, {
    compilerState,
    localBuild: true,
    messageCallback(message) {
      if (message.logLevel === ExtractorLogLevel.Error || message.logLevel === ExtractorLogLevel.Warning) {
        complaints.push(message.formatMessageWithLocation(sdk));
      }
      message.handled = true;
    },
  });
  if (!succeeded) {
    throw new Error(`The public types cannot be described:\n${complaints.join("\n")}`);
  }
}

function configurationFor(entry: Entry, directory: string): ExtractorConfig {
  const none = { default: { logLevel: ExtractorLogLevel.None } };
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: sdk,
      mainEntryPointFilePath: path.join(sdk, "dist", `${entry}.d.ts`),
      compiler: { tsconfigFilePath: path.join(sdk, "tsconfig.json") },
      newlineKind: "lf",
      apiReport: {
        enabled: true,
        reportFolder: directory,
        reportTempFolder: path.join(directory, "temporary"),
        reportFileName: reportName(entry),
        // What has no name for programs, such as the base of all classes, can break them as well. The emulator's is
        // left out: the compiler infers parts of it, in an order that depends on what it has compiled before.
        includeForgottenExports: entry !== "testing",
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        // They would say how comments are to be written, which is decided elsewhere.
        extractorMessageReporting: none,
        tsdocMessageReporting: none,
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: path.join(sdk, "package.json"),
  });
}

function main(): void {
  mkdirSync(reports, { recursive: true });
  for (const [entry, report] of describeApi()) {
    writeFileSync(path.join(reports, reportName(entry)), report);
  }
}

if (require.main === module) {
  main();
}
