import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./library";

/** Where the pictures are. */
export const picturesDirectory = join(repository, "docs", "images");

interface Line {
  /** A name in the code, in fixed-width letters: `createObject`, `__managed`. */
  readonly code?: string;
  /** The file that has the name. */
  readonly file?: string;
  readonly text?: string;
}

interface Box {
  readonly at: readonly [x: number, y: number];
  readonly size: readonly [width: number, height: number];
  readonly title: string;
  readonly lines: readonly Line[];
  /** Whether it is a part of the library. */
  readonly ours?: boolean;
}

interface Arrow {
  readonly path: string;
  readonly label?: readonly [text: string, x: number, y: number];
}

interface Picture {
  readonly title: string;
  /** What it shows, for readers who do not see it. */
  readonly description: string;
  readonly size: readonly [width: number, height: number];
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

const text = (words: string): Line => ({ text: words });
const code = (name: string, file: string, words?: string): Line => ({
  code: name,
  file,
  ...(words === undefined ? {} : { text: words }),
});

const hidden = "sdk/resource/hidden.ts";

const pictures: Readonly<Record<string, Picture>> = {
  "request.svg": {
    title: "From the program to the service and back",
    description:
      "The program declares a resource. The engine calls create. The provider process runs the lifecycle of the type, which calls the resource's definition and the client of the service. The transport limits, sends and retries the request. The response is checked, secrets are wrapped, and the engine writes the outputs to state.",
    size: [890, 330],
    boxes: [
      {
        at: [10, 20],
        size: [190, 110],
        title: "1. your program",
        lines: [text("new trivium.provisioning"), text(".Project(…)")],
      },
      {
        at: [250, 20],
        size: [150, 110],
        title: "2. engine",
        lines: [text("shows the plan,"), text("calls create (gRPC)")],
      },
      {
        at: [450, 20],
        size: [190, 110],
        title: "3. lifecycle",
        ours: true,
        lines: [
          code("provider", "sdk/dynamic.ts"),
          code("createLifecycle", "sdk/resource/lifecycle.ts"),
          code("createObject", "sdk/resource/creation.ts"),
        ],
      },
      {
        at: [690, 20],
        size: [190, 110],
        title: "4. resource, client",
        ours: true,
        lines: [
          code("projectDefinition", "sdk/provisioning/project.ts"),
          code("ProvisioningClient", "sdk/provisioning/client.ts"),
          text("looks before it creates"),
        ],
      },
      {
        at: [690, 200],
        size: [190, 110],
        title: "5. transport",
        ours: true,
        lines: [
          code("Limiter", "sdk/http/limiter.ts", "concurrency"),
          code("HttpTransport", "sdk/http/http-transport.ts"),
          code("decideRetry", "sdk/http/retry.ts"),
        ],
      },
      {
        at: [450, 200],
        size: [190, 110],
        title: "6. service",
        lines: [text("HCP Terraform, Vault"), text("or Nomad: a request"), text("and its response")],
      },
      {
        at: [210, 200],
        size: [190, 110],
        title: "7. response",
        ours: true,
        lines: [
          code("readShape", "sdk/http/contract.ts", "checks it"),
          code("wrapSecrets", "sdk/resource/outputs.ts"),
          code("processRedactor", "sdk/base/redactor.ts"),
        ],
      },
      {
        at: [10, 200],
        size: [150, 110],
        title: "8. state",
        lines: [text("outputs,"), text("secrets encrypted")],
      },
    ],
    arrows: [
      { path: "M200 75H248" },
      { path: "M400 75H448" },
      { path: "M640 75H688" },
      { path: "M785 130V198" },
      { path: "M690 255H642", label: ["HTTPS", 665, 245] },
      { path: "M450 255H402" },
      { path: "M210 255H162" },
    ],
  },
  "state.svg": {
    title: "What is in state",
    description:
      "Each resource in state has its arguments and outputs, with secrets encrypted. Its hidden outputs have no secrets: which arguments the program gave, at which service the object was created, what the class remembers, a constant provider text. Code, tokens from the environment and hashes of secrets are never in state.",
    size: [890, 250],
    boxes: [
      {
        at: [10, 20],
        size: [220, 210],
        title: "arguments and outputs",
        lines: [
          text("arguments of the program"),
          text("outputs of the service"),
          text("secrets encrypted:"),
          code("wrapSecrets", "sdk/resource/outputs.ts"),
        ],
      },
      {
        at: [250, 20],
        size: [370, 210],
        title: "hidden outputs, without secrets",
        ours: true,
        lines: [
          code("__managed", hidden, "arguments that the program gave"),
          code("__at", hidden, "service where the object was created"),
          code("__memory", hidden, "what the class remembers"),
          code("__generation", hidden, "old or new half of a replacement"),
          code("__urn", hidden, "the resource's name, shortened"),
          code("__secrets", hidden, "arguments made secret by the program"),
          code("__provider", hidden, "a constant text of 104 bytes"),
        ],
      },
      {
        at: [640, 20],
        size: [240, 210],
        title: "never in state",
        lines: [
          text("code of your program"),
          text("tokens from the environment"),
          text("hashes of secrets"),
          code("__run", hidden, "for one run only"),
        ],
      },
    ],
    arrows: [],
  },
  "refresh.svg": {
    title: "What a refresh does",
    description:
      "A refresh reads the object, if it was created at this service. If the object exists, state gets its current values and the plan shows the drift; the next update reverts it. If the service proves that the object is gone, it is removed from state. In every other case the refresh fails and state stays as it is.",
    size: [890, 330],
    boxes: [
      {
        at: [10, 100],
        size: [150, 110],
        title: "state",
        lines: [text("id and outputs,"), code("__at", hidden, "the service")],
      },
      {
        at: [210, 100],
        size: [190, 110],
        title: "read the object",
        ours: true,
        lines: [
          code("assertMadeHere", "sdk/connection/identity.ts"),
          code("readObject", "sdk/resource/reading.ts"),
        ],
      },
      {
        at: [490, 10],
        size: [200, 90],
        title: "state is updated",
        ours: true,
        lines: [code("projectInputs", "sdk/resource/managed.ts"), text("the plan shows drift")],
      },
      {
        at: [490, 120],
        size: [200, 90],
        title: "removed from state",
        lines: [text("the next update"), text("creates it again")],
      },
      {
        at: [490, 230],
        size: [200, 90],
        title: "the refresh fails",
        lines: [text("state stays as it is,"), text("the error says what to do")],
      },
      {
        at: [740, 10],
        size: [140, 90],
        title: "next pulumi up",
        ours: true,
        lines: [code("compare", "sdk/resource/comparison.ts"), text("reverts drift")],
      },
    ],
    arrows: [
      { path: "M160 155H208" },
      { path: "M400 140 488 60", label: ["found", 430, 85] },
      { path: "M400 160H488", label: ["gone", 444, 152] },
      { path: "M400 180 488 270", label: ["no proof", 425, 242] },
      { path: "M690 55H738" },
    ],
  },
};

/** All pictures, by the names of their files. */
export function drawPictures(): ReadonlyMap<string, string> {
  const style = sharedStyle();
  return new Map(Object.entries(pictures).map(([name, picture]) => [name, draw(picture, style)]));
}

/** The names in the code that pictures show, each with its file. */
export function namesInPictures(): readonly { readonly name: string; readonly file: string }[] {
  return Object.values(pictures)
    .flatMap(({ boxes }) => boxes.flatMap(({ lines }) => lines))
    .flatMap(({ code: name, file }) => (name === undefined || file === undefined ? [] : [{ name, file }]));
}

/** Colours and arrow heads of the first picture, which is drawn by hand. */
function sharedStyle(): string {
  const drawn = readFileSync(join(picturesDirectory, "how-it-works.svg"), "utf8");
  const [style] = /<style>[^]*<\/defs>/.exec(drawn) ?? [];
  if (style === undefined) {
    throw new Error("docs/images/how-it-works.svg has no style.");
  }
  return style;
}

function draw({ title, description, size: [width, height], boxes, arrows }: Picture, style: string): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description" font-family="system-ui, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="14">`,
    `  <title id="title">${escaped(title)}</title>`,
    `  <desc id="description">${escaped(description)}</desc>`,
    `  ${style}`,
    ...boxes.flatMap(drawBox),
    ...arrows.flatMap(({ path, label }) => [
      `  <path class="line" d="${path}" />`,
      ...(label === undefined
        ? []
        : [
            `  <text class="small" x="${label[1]}" y="${label[2]}" text-anchor="middle">${escaped(label[0])}</text>`,
          ]),
    ]),
    "</svg>",
    "",
  ].join("\n");
}

const codeWidth = 7.3;
const textWidth = 6.9;
const titleWidth = 9;
const margin = 12;

function drawBox({ at: [x, y], size: [width, height], title, lines, ours = false }: Box): readonly string[] {
  if (margin + title.length * titleWidth > width) {
    throw new Error(`Picture: the title "${title}" does not fit into its box.`);
  }
  const named = Math.max(0, ...lines.map((line) => (line.text === undefined ? 0 : (line.code?.length ?? 0))));
  return [
    `  <rect class="box${ours ? " ours" : ""}" x="${x}" y="${y}" width="${width}" height="${height}" rx="8" />`,
    `  <text class="name" x="${x + margin}" y="${y + 26}">${escaped(title)}</text>`,
    ...lines.flatMap((line, index) => {
      const baseline = y + 50 + index * 22;
      const start = x + margin;
      const second = line.code === undefined ? start : start + (named + 1) * codeWidth;
      const end = Math.max(
        start + (line.code?.length ?? 0) * codeWidth,
        line.text === undefined ? 0 : second + line.text.length * textWidth,
      );
      if (end > x + width || baseline > y + height - 6) {
        throw new Error(`Picture: "${line.code ?? ""} ${line.text ?? ""}" does not fit into "${title}".`);
      }
      return [
        ...(line.code === undefined
          ? []
          : [
              `  <text class="small" x="${start}" y="${baseline}" font-family="ui-monospace, Consolas, monospace">${escaped(line.code)}</text>`,
            ]),
        ...(line.text === undefined
          ? []
          : [`  <text class="small" x="${second}" y="${baseline}">${escaped(line.text)}</text>`]),
      ];
    }),
  ];
}

function escaped(words: string): string {
  return words.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
