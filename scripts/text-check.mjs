// @ts-check
// Part of `npm run check`: finds phrases that a native engineer would not write, in documents, comments and strings.

import { readFileSync, readdirSync } from "node:fs";

/** Patterns and their replacements. @type {readonly (readonly [RegExp, string])[]} */
const phrases = [
  [/\b(?:a|an|any|each|every|its|lost|no|of|the|this) answers?\b/i, "response"],
  [/\b(?:a|the|with) (?:hints?|remarks?)\b/i, "advice"],
  [/\bmint(?:s|ed|ing)\b/i, "issue"],
  [/\bt(?:ake|aken|akes|aking|ook) (?:it |them )?over\b/i, "adopt"],
  [/\banew\b/i, "again; renewed, created again"],
  [/\bmend(?:s|ed|ing)?\b/i, "fix"],
  [/\bfor ever\b/i, "forever"],
  [/\bfor want of\b/i, "because ... is missing"],
  [/\bin place of\b/i, "instead of"],
  [/\bhardly\b/i, "is unlikely to"],
  [/\bdo(?:es)? without\b/i, "avoid, need no"],
  [/\bheirs?\b/i, "successor"],
  [/\b(?:its|the) like\b/i, "such as"],
  [/\bmakes no sense\b/i, "is not valid"],
  [/\bon loan\b|\b(?:on|of) its own accord\b/i, "checked out, by itself"],
  [/\bof (?:your |the |its )?surroundings\b/i, "environment"],
  [/\bsees to it\b/i, "ensures"],
  [/\bsigns? of life\b/i, "heartbeat"],
  [/\bstands? (?:as|at|below|beside|for|in|so|there)\b/i, "is"],
  [/\b(?:the|all) marks\b/i, "the hidden outputs"],
  [/\bwhoever\b/i, "if you ..., everybody who ..."],
  [/\bwish(?:ed|es)?\b/i, "desired"],
  // Some messages of the products contain the word.
  [/\bmay (?!not be (?:less|negative)\b)[a-z]/, "can, might, is allowed to, must not"],
  [/\b(?:is|are|was|were) told\b(?! apart)/i, "receives, shows, reports"],
  [/\bas of cron\b/i, "a cron schedule"],
  [/\b(?:in clear|clear text)\b/i, "plain text"],
  [/\bby which\b/i, "a sentence with a verb, such as: adopt finds it by its name"],
  [/\banother spelling\b/i, "an equivalent value"],
  [/\bthe whole way\b/i, "all the steps"],
  [/\d %(?!\w)/, "3% without a space"],
  [/\be-mails?\b|\blook-ups?\b/i, "email, lookup"],
  [/\b(?:behaviou|colou|favou|neighbou|honou)rs?\b|\b(?:un)?labelled\b/i, "US spelling"],
  [
    /\benrol(?:s|ments?)?\b|\blicences?\b|\b(?:organ|normal|serial|author|recogn)is(?:e[sd]?|ing|ation)\b/i,
    "US spelling",
  ],
];
const longestSentence = 34; // words of a document's sentence

const root = new URL("..", import.meta.url);
const files = ["README.md", "CHANGELOG.md", "SECURITY.md"];
for (const directory of ["bench", "docs", "contributing", "examples", "sdk", "scripts", "tests"]) {
  const below = readdirSync(new URL(directory, root), { recursive: true, encoding: "utf8" });
  files.push(...below.map((path) => `${directory}/${path}`));
}
const checked = files
  .filter((file) => /\.(?:md|ts|mjs)$/.test(file))
  .filter((file) => !/\/(?:node_modules|dist|reference|\.vitepress|api)\/|text-check/.test(file));

let problems = 0;
for (const file of checked) {
  const document = file.endsWith(".md");
  const text = readFileSync(new URL(file, root), "utf8").replace(
    document ? /^```[^]*?^```/gm : /$^/,
    (block) => block.replace(/.+/g, ""),
  );
  for (const [index, line] of text.split("\n").entries()) {
    const written = line.replace(/`[^`]*`/g, "`...`").replace(/\]\([^)]*\)/g, "]");
    // Documents quote what others have written.
    const prose = document ? written.replace(/"[^"]*"/g, '"..."') : written;
    const checkedText = document || /\/\/|^\s*\/?\*|["'`]/.test(line) ? prose : "";
    const sentences = document && !/^[\s|]*(?:\||<!--)/.test(line) ? checkedText.split(/[.!?:;]\S* /) : [];
    const found = [
      ...phrases.filter(([pattern]) => pattern.test(checkedText)).map(([, instead]) => `write ${instead}`),
      ...sentences
        .filter((sentence) => sentence.split(" ").length > longestSentence)
        .map(() => "long sentence"),
    ];
    problems += found.length;
    found.forEach((problem) => console.log(`${file}:${index + 1}: ${problem}: ${line.trim()}`));
  }
}
process.exitCode = problems === 0 ? 0 : 1;
