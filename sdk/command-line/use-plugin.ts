import { writeFileSync } from "node:fs";
import path from "node:path";
import { showable } from "../base/shown-text";
import { findProject, pluginPath, type ProjectFile } from "./adapter/project";
import { UnclearProjectFile, withoutPlugin, withPlugin } from "./adapter/project-file";
import type { Command } from "./command";
import type { Terminal } from "./terminal";

/** Switches a project to the provider plugin. */
export const usePluginCommand: Command = {
  name: "use-plugin",
  summary: "have this project's resources managed by the provider plugin",
  description: [
    "Adds the plugin of the package to Pulumi.yaml, under plugins, and sets trivium:adapter to plugin there. Comments and layout of the file are preserved. The next pulumi up moves all resources to the plugin: it makes no requests and shows no changes.",
    "The plugin supports pulumi import and the resource options import and customTimeouts, and operations are faster.",
  ],
  options: {},
  notes: [
    "The change applies to all stacks of the project; only the file is changed. To undo it, run use-dynamic.",
  ],
  run: (_options, terminal) =>
    rewrite(terminal, ({ file, text }) => {
      const found = pluginPath(path.dirname(file));
      if (found === undefined) {
        throw new Error(
          `pulumi-trivium is not installed for ${file}: run npm install pulumi-trivium in that directory.`,
        );
      }
      return {
        text: withPlugin(text, found),
        done: `The provider plugin now manages the resources of this project (see ${path.basename(file)}).`,
      };
    }),
};

/** Switches a project back to dynamic resources. */
export const useDynamicCommand: Command = {
  name: "use-dynamic",
  summary: "have this project's resources managed as dynamic resources, without the plugin",
  description: [
    "Removes from Pulumi.yaml what use-plugin added. The next pulumi up moves all resources to the dynamic provider: it makes no requests, although it may show updates.",
  ],
  options: {},
  notes: [
    "Run pulumi up before the next refresh or destroy: both use the provider that is recorded in state.",
  ],
  run: (_options, terminal) =>
    rewrite(terminal, ({ file, text }) => ({
      text: withoutPlugin(text),
      done: `The resources of this project are now dynamic resources: ${path.basename(file)} names no plugin.`,
    })),
};

async function rewrite(
  terminal: Terminal,
  change: (project: ProjectFile) => { readonly text: string; readonly done: string },
): Promise<void> {
  const project = findProject(process.cwd());
  if (project === undefined) {
    throw new Error(
      `There is no Pulumi.yaml in ${process.cwd()} or its parent directories: run this command in a Pulumi project.`,
    );
  }
  try {
    const { text, done } = change(project);
    if (text !== project.text) {
      writeFileSync(project.file, text);
    }
    await terminal.print(showable(done));
    await terminal.print(showable("To check that nothing changes, run pulumi preview."));
  } catch (error) {
    if (error instanceof UnclearProjectFile) {
      throw new Error(
        `${project.file} was not changed: ${error.message} Put it on lines of its own and run the command again.`,
        { cause: error },
      );
    }
    throw error;
  }
}
