import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import ts from "typescript";

/**
 * Runs an expression where the emulator's sources lie compiled, as `./testing`, but no package is installed.
 *
 * @returns the message of the error that it throws, or nothing
 */
export function failureWithoutPackages(expression: string): string {
  const folder = mkdtempSync(join(tmpdir(), "without-packages-"));
  try {
    const sources = resolve(__dirname, "../../sdk");
    cpSync(join(sources, "testing.ts"), join(folder, "testing.ts"));
    for (const room of ["testing", "base", "go-template"]) {
      cpSync(join(sources, room), join(folder, room), { recursive: true });
    }
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (name.endsWith(".ts")) {
        const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
        const source = readFileSync(join(folder, name), "utf8");
        const { outputText } = ts.transpileModule(source, { compilerOptions });
        writeFileSync(join(folder, name.replace(/ts$/, "js")), outputText);
      }
    }
    const program = `try { ${expression} } catch (error) { console.log(error.message); }`;
    return spawnSync(process.execPath, ["-e", program], { cwd: folder, encoding: "utf8" }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
