import { writeFileSync } from "node:fs";
import path from "node:path";
import { showable } from "../base/shown-text";
import { findProject, pluginPath, type ProjectFile } from "./adapter/project";
import { UnclearProjectFile, withoutPlugin, withPlugin } from "./adapter/project-file";
import type { Command } from "./command";
import type { Terminal } from "./terminal";

/** Has a project's resources managed by the provider plugin. */
export const usePluginCommand: Command = {
  name: "use-plugin",
  summary: "have this project's resources managed by the provider plugin",
  description: [
    "Names the plugin that the package brings along in Pulumi.yaml, under plugins, and sets trivium:adapter there to plugin. Comments and layout of the file stay. The next pulumi up takes all resources over as they are: it makes no request and shows no change.",
    "With the plugin, the option import and pulumi import work, customTimeouts count, and operations are faster.",
  ],
  options: {},
  notes: [
    "It works for all stacks of the project, and changes nothing but the file. use-dynamic takes it back.",
  ],
  run: (_options, terminal) =>
    rewrite(terminal, ({ file, text }) => {
      const found = pluginPath(path.dirname(file));
      if (found === undefined) {
        throw new Error(`pulumi-trivium is not installed for ${file}: run npm install pulumi-trivium there.`);
      }
      return {
        text: withPlugin(text, found),
        done: `The plugin manages the resources of this project: ${path.basename(file)} names it.`,
      };
    }),
};

/** Has a project's resources managed as dynamic resources again. */
export const useDynamicCommand: Command = {
  name: "use-dynamic",
  summary: "have this project's resources managed as dynamic resources, without the plugin",
  description: [
    "Takes out of Pulumi.yaml what use-plugin has written into it. The next pulumi up takes all resources over as they are: it makes no request, although it may show updates.",
  ],
  options: {},
  notes: ["Run pulumi up before the next refresh or destroy: these know the resources as state has them."],
  run: (_options, terminal) =>
    rewrite(terminal, ({ file, text }) => ({
      text: withoutPlugin(text),
      done: `The resources of this project are dynamic resources: ${path.basename(file)} names no plugin for them.`,
    })),
};

async function rewrite(
  terminal: Terminal,
  change: (project: ProjectFile) => { readonly text: string; readonly done: string },
): Promise<void> {
  const project = findProject(process.cwd());
  if (project === undefined) {
    throw new Error(`There is no Pulumi.yaml in ${process.cwd()} or above it: run this in a Pulumi project.`);
  }
  try {
    const { text, done } = change(project);
    if (text !== project.text) {
      writeFileSync(project.file, text);
    }
    await terminal.print(showable(done));
    await terminal.print(showable("Run pulumi preview to see that nothing changes."));
  } catch (error) {
    if (error instanceof UnclearProjectFile) {
      throw new Error(
        `${project.file} was not changed: ${error.message} Write it over several lines, and run this again.`,
        { cause: error },
      );
    }
    throw error;
  }
}
