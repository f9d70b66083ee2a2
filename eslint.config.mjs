import eslint from "@eslint/js";
import tseslint from "typescript-eslint";

const exportByName = {
  selector: "ExportDefaultDeclaration",
  message: "Export by name: one thing, one name, everywhere.",
};
/** A literal is written out where it is spread. */
const spreadLiterals = ["ObjectExpression", "ArrayExpression"].map((literal) => ({
  selector: `SpreadElement > ${literal}`,
  message: "Write the members down: a literal that is spread only saves lines.",
}));
/** What leads to a terminal, a log or an error without `showable` of sdk/base/shown-text.ts. */
const unshown = [
  {
    selector: "CallExpression[callee.property.name='redact']",
    message: "Use showable or showableJson: a text without secrets can still steer a terminal.",
  },
  {
    selector: "TSAsExpression > TSTypeReference[typeName.name='ShownText']",
    message: "Only sdk/base/shown-text.ts says that a text may be shown.",
  },
  {
    selector: "CallExpression[callee.object.property.name=/^std(out|err)$/][callee.property.name='write']",
    message: "Print with a Terminal, which takes only what may be shown.",
  },
  {
    selector: "CallExpression[callee.property.name='setMessage']",
    message: "Use logToEngine.",
  },
  {
    selector:
      "CallExpression[callee.object.property.name='log'][callee.object.object.name='pulumi']:not(:has(> CallExpression[callee.name='showable']))",
    message: "Log only what showable has made.",
  },
];

export default tseslint.config(
  { ignores: ["**/node_modules/", "**/dist/", ".cache/", "docs/.vitepress/.temp/", "tests/fixtures/"] },
  eslint.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // `typeof import("x")` is how a module that is loaded on demand gets its type.
      "@typescript-eslint/consistent-type-imports": ["error", { disallowTypeAnnotations: false }],
      // Overloads hide from users what only the library itself passes.
      "@typescript-eslint/unified-signatures": "off",
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      // The members of a class's arguments and outputs follow from its rows.
      "@typescript-eslint/no-empty-object-type": ["error", { allowInterfaces: "with-single-extends" }],
      "@typescript-eslint/no-unsafe-declaration-merging": "off",
      "@typescript-eslint/no-unnecessary-condition": ["error", { allowConstantLoopConditions: true }],
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "no-restricted-syntax": ["error", exportByName, ...spreadLiterals],
      "no-duplicate-imports": "error",
      // To take a member out of an object by naming it is to use it.
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
      eqeqeq: "error",
    },
  },
  {
    files: ["sdk/**/*.ts"],
    ignores: [
      "sdk/testing/**",
      "sdk/base/shown-text.ts",
      // The ends, which take only what showable has made, and what hides the SDK's own lines.
      "sdk/command-line/terminal.ts",
      "sdk/engine/progress.ts",
      "sdk/engine/reports.ts",
    ],
    rules: {
      "no-restricted-syntax": ["error", exportByName, ...spreadLiterals, ...unshown],
      "no-console": "error",
    },
  },
  {
    // Modules that take long are loaded when they are needed: by `require` inside a function.
    files: ["sdk/**/*.ts"],
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
  {
    files: ["tests/**/*.ts"],
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-require-imports": "off",
    },
  },
  {
    files: ["**/*.mjs"],
    languageOptions: { globals: { process: "readonly", console: "readonly", URL: "readonly" } },
    rules: { "no-restricted-syntax": "off" },
  },
);
