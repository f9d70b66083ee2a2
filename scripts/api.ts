import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";

const sdk = path.resolve(__dirname, "..", "sdk");

export const reports = path.join(sdk, "api");

export const entries = ["index", "testing", "dynamic", "webhook"] as const;

export type Entry = (typeof entries)[number];

export const reportName = (entry: Entry): string => `${entry}.api.md`;

export function describeApi(): ReadonlyMap<Entry, string> {
  const directory = mkdtempSync(path.join(os.tmpdir(), "pulumi-trivium-api-"));
  try {
    const configurations = entries.map((entry) => [entry, configurationFor(entry, directory)] as const);
    const [[, first]] = configurations as [(typeof configurations)[0]];
    // Shared, so that the declarations are read only once.
    const compilerState = CompilerState.create(first, {
      additionalEntryPoints: configurations.map(([, { mainEntryPointFilePath }]) => mainEntryPointFilePath),
    });
    return new Map(
      configurations.map(([entry, configuration]) => {
        writeReport(configuration, compilerState);
        return [entry, sortUnions(readFileSync(path.join(directory, reportName(entry)), "utf8"))];
      }),
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
}

// The order in which the compiler writes a union of texts depends on what it has compiled before.
function sortUnions(report: string): string {
  return report.replace(/"[^"\n]*"(?: \| "[^"\n]*")+/g, (union) => union.split(" | ").toSorted().join(" | "));
}

function writeReport(configuration: ExtractorConfig, compilerState: CompilerState): void {
  const messages: string[] = [];
  const { succeeded } = Extractor.invoke(configuration, {
    compilerState,
    localBuild: true,
    messageCallback(message) {
      if (message.logLevel === ExtractorLogLevel.Error || message.logLevel === ExtractorLogLevel.Warning) {
        messages.push(message.formatMessageWithLocation(sdk));
      }
      message.handled = true;
    },
  });
  if (!succeeded) {
    throw new Error(`The API report cannot be written:\n${messages.join("\n")}`);
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
        // Unexported types, such as the base class, can break programs too. Not the emulator's: the compiler
        // infers some of them in an order that depends on earlier compilations.
        includeForgottenExports: entry !== "testing",
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        // These messages are about the style of comments, which other rules cover.
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
