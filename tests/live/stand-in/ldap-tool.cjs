// Plays a tool of OpenLDAP for the directory of the emulator: `node ldap-tool.cjs <tool> <the tool's arguments>`.
const { readFileSync } = require("node:fs");
const process = require("node:process");

const [tool, ...given] = process.argv.slice(2);
const withValue = new Set(["-H", "-D", "-y", "-b", "-s", "-o"]);
const options = {};
const names = [];
while (given.length > 0) {
  const word = given.shift();
  if (withValue.has(word)) {
    options[word] = given.shift();
  } else if (!word.startsWith("-")) {
    names.push(word);
  }
}

async function run() {
  const response = await globalThis.fetch(options["-H"].replace(/^ldap:/, "http:"), {
    method: "POST",
    body: JSON.stringify({
      tool,
      dn: options["-D"],
      password: readFileSync(options["-y"], "utf8"),
      base: options["-b"],
      names,
      input: tool === "ldapadd" || tool === "ldapmodify" ? readFileSync(0, "utf8") : "",
    }),
  });
  const { code, output } = await response.json();
  process.stdout.write(output);
  process.exitCode = code;
}

void run();
