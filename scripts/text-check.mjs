// @ts-check
// Checks what people read for plain English: documents, comments and texts of the library and the scripts, titles of
// tests. Reports long sentences, and phrases that a native engineer would not write. Part of `npm run check`; with
// paths, checks only these.

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";

/** @typedef {"document" | "library" | "title"} Kind */
/** @typedef {{ readonly line: number, readonly text: string }} Passage */
/** @typedef {{ readonly pattern: RegExp, readonly instead: string, readonly kinds: readonly Kind[] }} Phrase */
/** @typedef {{ readonly file: string, readonly text: string, readonly reason: string }} Exception */

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** The most words of a sentence. Code in backticks counts as one word. @type {Readonly<Record<Kind, number>>} */
const longestSentence = { document: 32, library: 56, title: 32 };

/** @type {readonly Kind[]} */
const everywhere = ["document", "library", "title"];
/** @type {readonly Kind[]} */
const documents = ["document"];

/** @type {readonly Phrase[]} */
export const phrases = [
  {
    pattern: /\b(?:a|an|any|each|every|its|lost|no|of|the|this) answers?\b/i,
    instead: "response",
    kinds: everywhere,
  },
  { pattern: /\bhints?\b|\bremarks?\b/i, instead: "advice", kinds: everywhere },
  { pattern: /\bmint(?:s|ed|ing)?\b/i, instead: "issue", kinds: everywhere },
  {
    pattern: /\bt(?:ake|aken|akes|aking|ook) (?:it |them )?over\b/i,
    instead: "adopt",
    kinds: everywhere,
  },
  {
    pattern: /\bt(?:ake|aken|akes|aking|ook) (?:\S+ ){0,3}for (?!granted)/i,
    instead: "treat as",
    kinds: documents,
  },
  { pattern: /\bmade anew\b/i, instead: "renewed, created again", kinds: everywhere },
  { pattern: /\banew\b/i, instead: "again", kinds: everywhere },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, instead: "fix", kinds: everywhere },
  { pattern: /\bfor ever\b/i, instead: "forever", kinds: everywhere },
  { pattern: /\bfor want of\b/i, instead: "because ... is missing", kinds: everywhere },
  { pattern: /\bin place of\b/i, instead: "instead of", kinds: everywhere },
  { pattern: /\bhardly\b/i, instead: "is unlikely to", kinds: everywhere },
  { pattern: /\bdo(?:es)? without\b/i, instead: "avoid, need no", kinds: everywhere },
  { pattern: /\bhand(?:ed|s)? (?:it |them )?on\b/i, instead: "pass on", kinds: documents },
  { pattern: /\bheirs?\b/i, instead: "successor", kinds: everywhere },
  { pattern: /\b(?:its|the) like\b/i, instead: "such as", kinds: everywhere },
  { pattern: /\bmakes no sense\b/i, instead: "is not valid", kinds: everywhere },
  {
    pattern: /\bon loan\b|\bon its own accord\b|\bof its own accord\b/i,
    instead: "checked out, by itself",
    kinds: everywhere,
  },
  { pattern: /\bof (?:your |the |its )?surroundings\b/i, instead: "environment", kinds: everywhere },
  { pattern: /\bsees to it\b/i, instead: "ensures", kinds: everywhere },
  { pattern: /\bsigns? of life\b/i, instead: "heartbeat", kinds: everywhere },
  {
    pattern: /\bstands? (?:as|at|below|beside|for|in|so|there)\b/i,
    instead: "is",
    kinds: everywhere,
  },
  { pattern: /\bthe marks\b|\ball marks\b/i, instead: "the hidden outputs", kinds: documents },
  { pattern: /\b(?:any|no) more\b(?! than)/i, instead: "no longer", kinds: documents },
  {
    pattern: /(?:^|[.:] )who \w+s\b(?![^.]*\?)/i,
    instead: "if you ..., a client that ...",
    kinds: everywhere,
  },
  { pattern: /\bwhoever\b/i, instead: "if you ..., everybody who ...", kinds: everywhere },
  { pattern: /\bwish(?:ed|es)?\b/i, instead: "desired", kinds: everywhere },
];

/**
 * Sentences that stay as they are.
 *
 * @type {readonly Exception[]}
 */
export const exceptions = [
  {
    file: "scripts/docs/command-line-samples.ts",
    text: "Set them in the stack configuration",
    reason: "a sample of several lines that the command prints",
  },
];

/**
 * What is wrong with the passages of a file, one line each.
 *
 * @param {string} file
 * @param {readonly Passage[]} passages
 * @param {Kind} kind
 * @param {readonly Exception[]} excepted
 */
export function problemsIn(file, passages, kind, excepted = exceptions) {
  const allowed = excepted.filter((exception) => exception.file === file);
  return passages
    .flatMap(({ line, text }) => sentencesOf(text).map((sentence) => ({ line, sentence })))
    .filter(({ sentence }) => !allowed.some(({ text }) => sentence.includes(text)))
    .flatMap(({ line, sentence }) => {
      const words = wordsOf(sentence);
      const spoken = sentence.replace(/`[^`]*`/g, "`...`");
      const problems = phrases
        .filter(({ pattern, kinds }) => kinds.includes(kind) && pattern.test(spoken))
        .map(({ pattern, instead }) => `"${pattern.exec(spoken)?.[0].trim()}": write ${instead}`);
      if (words > longestSentence[kind]) {
        problems.push(`${words} words, at most ${longestSentence[kind]}`);
      }
      return problems.map((problem) => `${file}:${line}: ${problem}: ${sentence}`);
    });
}

/** @param {string} text */
function sentencesOf(text) {
  return text
    .replace(/\s+/g, " ")
    .replace(/`[^`]*`/g, (code) => code.replaceAll(" ", "\u00a0"))
    .split(/(?<=[.!?]["')*_]*) (?=[`"'(*_[]*[A-Z0-9`])/)
    .map((sentence) => sentence.replaceAll("\u00a0", " ").trim())
    .filter((sentence) => sentence !== "");
}

/** @param {string} sentence */
function wordsOf(sentence) {
  return sentence
    .replace(/`[^`]*`/g, "code")
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/**
 * Headings, paragraphs, items and cells of a document, without blocks of code and comments; of a link its text.
 *
 * @param {string} text
 * @returns {readonly Passage[]}
 */
export function markdownPassages(text) {
  /** @type {{ line: number, text: string }[]} */
  const passages = [];
  let fence = "";
  let open = false;
  for (const [index, line] of text.split("\n").entries()) {
    const [, opening = ""] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    const code = fence !== "" || opening !== "";
    if (opening !== "" && (fence === "" || opening.startsWith(fence))) {
      fence = fence === "" ? opening : "";
    }
    const content = code || /^(?: {4,}|\s*$|---|\s*<!--)/.test(line) ? "" : line;
    const parts = content.startsWith("|") ? content.split(/(?<!\\)\||<br>/) : [content];
    const begins = !open || parts.length > 1 || /^\s*(?:[-*] |\d+\. |#|@|\w+:)/.test(content);
    for (const part of parts.map(plain)) {
      const last = passages.at(-1);
      if (begins || last === undefined) {
        passages.push({ line: index + 1, text: part });
      } else {
        last.text = `${last.text} ${part}`;
      }
    }
    open = content !== "" && parts.length === 1;
  }
  // Tables of requirements repeat titles of tests.
  return passages.filter((passage) => /\p{L}/u.test(passage.text) && !passage.text.startsWith("`tests/"));
}

/** @param {string} text */
function plain(text) {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^\s*(?:[-*] |\d+\. |#+ |>)\s*/, "")
    .replace(/\*\*/g, "")
    .trim();
}

/**
 * Comments, and texts of at least four words, of a file of TypeScript.
 *
 * @param {string} file
 * @param {string} text
 * @returns {readonly Passage[]}
 */
export function sourcePassages(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  /** @type {Map<number, string>} */
  const found = new Map();
  /** @param {ts.Node} node */
  const visit = (node) => {
    for (const comments of [
      ts.getLeadingCommentRanges(text, node.pos) ?? [],
      ts.getTrailingCommentRanges(text, node.end) ?? [],
    ]) {
      for (const { pos, end } of comments) {
        found.set(pos, text.slice(pos, end));
      }
    }
    const said = textOf(node);
    if (said !== undefined && wordsOf(said) >= 4) {
      found.set(node.getStart(source), said);
    }
    node.getChildren(source).forEach(visit);
  };
  visit(source);
  const inOrder = [...found].sort(([one], [other]) => one - other);
  return joined(
    inOrder.map(([pos, said]) => ({ line: source.getLineAndCharacterOfPosition(pos).line, said })),
  );
}

/**
 * What the tests and suites of a file are called.
 *
 * @param {string} file
 * @param {string} text
 * @returns {readonly Passage[]}
 */
export function titlePassages(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  /** @type {Passage[]} */
  const passages = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const [title] = ts.isCallExpression(node) ? node.arguments : [];
    const called = ts.isCallExpression(node) ? node.expression.getText(source) : "";
    const said = title && textOf(title);
    if (said !== undefined && /^(?:describe|it)(?:\.only|\.skip)?$/.test(called)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      passages.push({ line: line + 1, text: said });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return passages;
}

/**
 * A text as it is shown, with `...` for each value in it; undefined for what is no text.
 *
 * @param {ts.Node} node
 */
function textOf(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    return node.text;
  }
  return ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("...")
    : undefined;
}

/**
 * Lines of `//` that follow each other are one passage; a doc comment has one for each paragraph, item and tag.
 *
 * @param {readonly { readonly line: number, readonly said: string }[]} found lines counted from 0
 * @returns {readonly Passage[]}
 */
function joined(found) {
  /** @type {{ line: number, text: string, last: number }[]} */
  const passages = [];
  for (const { line, said } of found) {
    const last = passages.at(-1);
    if (said.startsWith("//")) {
      const content = said.replace(/^\/\/\s*/, "");
      if (last !== undefined && last.last === line - 1) {
        last.text += ` ${content}`;
        last.last = line;
      } else {
        passages.push({ line: line + 1, text: content, last: line });
      }
      continue;
    }
    const lines = said.startsWith("/*")
      ? said.replace(/^\/\*+|\*\/$/g, "").replace(/^[ \t]*\* ?/gm, "")
      : said;
    for (const { line: offset, text } of markdownPassages(lines)) {
      passages.push({
        line: line + offset,
        text: text.replace(/^@(?:param \S+|\w+) ?/, "").replace(/\{@link (\S+?)\}/g, "`$1`"),
        last: -2,
      });
    }
  }
  return passages.map(({ line, text }) => ({ line, text }));
}

/** @returns {readonly string[]} */
function allFiles() {
  /** @param {string} directory @param {RegExp} name */
  const below = (directory, name) =>
    readdirSync(join(root, directory), { recursive: true, encoding: "utf8" })
      .filter(
        (path) => name.test(path) && !/(?:^|\/)(?:node_modules|dist|reference|\.vitepress|api)\//.test(path),
      )
      .map((path) => `${directory}/${path}`);
  return [
    ...["README.md", "CHANGELOG.md", "SECURITY.md"],
    ...["docs", "contributing"].flatMap((directory) => below(directory, /\.md$/)),
    ...below("examples", /(?:README\.md|\.ts)$/),
    ...below("sdk", /\.ts$/).filter((path) => !path.endsWith(".d.ts")),
    ...below("scripts", /\.(?:ts|mjs)$/).filter((path) => path !== "scripts/text-check.mjs"),
    ...below("tests", /\.test\.ts$/),
  ];
}

/** @param {string} file below the root */
function check(file) {
  const text = readFileSync(join(root, file), "utf8");
  if (file.endsWith(".md")) {
    return problemsIn(file, markdownPassages(text), "document");
  }
  return file.endsWith(".test.ts")
    ? problemsIn(file, titlePassages(file, text), "title")
    : problemsIn(file, sourcePassages(file, text), file.startsWith("sdk/") ? "library" : "document");
}

function main() {
  const given = process.argv.slice(2).map((path) => relative(root, path));
  const files = given.length === 0 ? allFiles() : given;
  const unused = exceptions
    .filter(
      ({ file, text }) => files.includes(file) && !readFileSync(join(root, file), "utf8").includes(text),
    )
    .map(({ file, text }) => `${file}: an exception is no longer needed: ${text}`);
  const problems = [...files.flatMap(check), ...unused];
  console.log(
    problems.length === 0
      ? `The texts of ${files.length} files are plain English.`
      : `${problems.join("\n")}\n${problems.length} problems. What the project writes instead: scripts/text-check.mjs.`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main();
}
