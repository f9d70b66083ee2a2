import { nearestName } from "../../../base/nearest";
import { type Argument, callChecks } from "./builtins";
import { templateFields } from "./fields";
import { type Problems, quoted, type TemplateKind } from "./finding";
import { type Parameter, type TemplateFunction, templateFunctions, usageOf } from "./functions";
import type { Scope } from "./scope";
import type { Command, FieldName, Operand, Pipeline } from "./syntax";
import { typeNames, unknownValue, type Value, type ValueType } from "./value";

/** Where an expression stands. */
export interface Place {
  /** What the dot is there. */
  readonly dot: ValueType;
  readonly scope: Scope;
}

/** Checks expressions against the documented functions and fields, and finds out what they result in. */
export class ExpressionChecker {
  /** The fields that the template uses. */
  readonly usedFields = new Set<string>();
  /** The template hands all fields on at once, so any can be used. */
  usesAllFields = false;

  constructor(
    private readonly kind: TemplateKind,
    private readonly problems: Problems,
  ) {}

  /** The value of a pipeline. Its variables are declared in the scope of the place. */
  pipeline(pipeline: Pipeline, place: Place): Value {
    const value = this.value(pipeline, place);
    for (const { name, offset } of pipeline.variables) {
      this.set(name, offset, value.type, pipeline.assigns, place.scope);
    }
    return value;
  }

  /** The value of a pipeline, its variables left alone. */
  value(pipeline: Pipeline, place: Place): Value {
    let piped: Argument | undefined;
    for (const command of this.problems.full ? [] : pipeline.commands) {
      const value = this.command(command, place, piped);
      const { offset, source } = command.first;
      piped = { ...value, offset, source: quoted(source) };
    }
    if (pipeline.unusedPipe !== undefined) {
      this.problems.warning(pipeline.unusedPipe, "Nothing follows `|`.");
    }
    return piped ?? unknownValue;
  }

  /** Declares or changes a variable. */
  set(name: string, offset: number, type: ValueType, assigns: boolean, scope: Scope): void {
    if (!assigns) {
      scope.declare(name, type);
    } else if (!scope.assign(name, type)) {
      this.problems.error(offset, `There is no variable ${quoted(name)}; \`:=\` declares one.`);
    }
  }

  private command({ first, parameters }: Command, place: Place, piped: Argument | undefined): Value {
    if (first.kind === "function") {
      return this.call(first.name, first.offset, this.arguments(parameters, place, piped));
    }
    if (first.kind === "nil") {
      this.problems.error(first.offset, "`nil` cannot stand alone.");
      return unknownValue;
    }
    const [parameter] = parameters;
    if (parameter !== undefined) {
      const hint = parameter.kind === "function" ? "; `|` hands it on to one" : "";
      const message = `${quoted(first.source)} is no function, it takes no arguments${hint}.`;
      this.problems.error(parameter.offset, message);
    } else if (piped !== undefined) {
      const message = `${quoted(first.source)} is no function: nothing can be piped into it.`;
      this.problems.error(first.offset, message);
    }
    return this.operand(first, place);
  }

  private arguments(operands: readonly Operand[], place: Place, piped: Argument | undefined): Argument[] {
    const given = operands.map((operand) => ({
      ...this.operand(operand, place),
      offset: operand.offset,
      source: quoted(operand.source),
      wholeLiteral: operand.kind === "number" && operand.value.isWhole,
    }));
    return piped === undefined ? given : [...given, piped];
  }

  private operand(operand: Operand, place: Place): Value {
    switch (operand.kind) {
      case "function":
        return this.call(operand.name, operand.offset, []);
      case "dot":
        this.usesAllFields ||= place.dot === "fields" || place.dot === "unknown";
        return { type: place.dot };
      case "nil":
        return { type: "nothing" };
      case "boolean":
        return { type: "boolean" };
      case "string":
        return { type: "text", literal: operand.text };
      case "number":
        return this.number(operand);
      case "variable":
        return this.variable(operand.name, operand.offset, place);
      case "group":
        return this.pipeline(operand.pipeline, place);
      case "fields":
        return this.fields(operand.of, operand.names, place);
    }
  }

  private number({ value, offset, source }: Extract<Operand, { kind: "number" }>): Value {
    if (value.overflows === true) {
      this.problems.error(offset, `${quoted(source)} is too large.`);
    }
    return value;
  }

  private variable(name: string, offset: number, { scope }: Place): Value {
    const type = scope.typeOf(name);
    if (type === undefined) {
      this.problems.error(offset, `There is no variable ${quoted(name)}.`);
      return unknownValue;
    }
    this.usesAllFields ||= type === "fields" || type === "unknown";
    return { type };
  }

  private fields(of: Operand | undefined, names: readonly FieldName[], place: Place): Value {
    let type = place.dot;
    if (of?.kind === "variable") {
      // Only the field is used, not all of them.
      type = place.scope.typeOf(of.name) ?? this.variable(of.name, of.offset, place).type;
    } else if (of?.kind === "nil") {
      this.problems.error(of.offset, "`nil` has no fields.");
      return unknownValue;
    } else if (of !== undefined) {
      type = this.operand(of, place).type;
    }
    for (const name of this.problems.full ? [] : names) {
      type = this.field(type, name, of === undefined && name === names[0]);
    }
    return { type };
  }

  private field(type: ValueType, { name, offset }: FieldName, ofDot: boolean): ValueType {
    const known = templateFields[this.kind].get(name);
    if (known === undefined) {
      this.problems.error(offset, this.unknownField(name));
      return "unknown";
    }
    this.usedFields.add(name);
    if (type === "fields" || type === "unknown") {
      return known;
    }
    if (type === "nothing") {
      this.problems.warning(offset, `\`.${name}\` has no value here: the template is called without one.`);
      return "nothing";
    }
    const message = ofDot
      ? `Here the dot is ${typeNames[type]}, which has no field \`.${name}\`; write \`$.${name}\`.`
      : `\`.${name}\` is asked of ${typeNames[type]}, which has no fields.`;
    this.problems.error(offset, message);
    return "unknown";
  }

  private unknownField(name: string): string {
    const fields = templateFields[this.kind];
    const what = this.kind === "ldif" ? "an LDIF template" : "a user name template";
    if (this.kind === "username" && templateFields.ldif.has(name)) {
      const known = [...fields.keys()].map((field) => `\`.${field}\``).join(" and ");
      return `\`.${name}\` is not known when a user name is made; ${known} are.`;
    }
    const near = nearestName(name, fields.keys());
    const hint =
      near === undefined
        ? `; the fields are ${[...fields.keys()].map((field) => `\`.${field}\``).join(", ")}`
        : `; did you mean \`.${near}\`?`;
    return `${quoted(`.${name}`)} is not a field of ${what}${hint}${near === undefined ? "." : ""}`;
  }

  private call(name: string, offset: number, given: readonly Argument[]): Value {
    const definition = templateFunctions.get(name);
    if (definition === undefined) {
      this.problems.error(offset, this.unknownFunction(name));
      return unknownValue;
    }
    if (definition.ldifOnly === true && this.kind !== "ldif") {
      this.problems.error(offset, `\`${name}\` can only be used in LDIF templates.`);
      return { type: definition.result };
    }
    const { parameters, rest } = definition;
    if (given.length < parameters.length || (rest === undefined && given.length > parameters.length)) {
      this.problems.error(offset, wrongCount(name, definition, given.length));
      return { type: definition.result };
    }
    const fitting = given.filter((argument, position) => this.fits(name, parameters[position], argument));
    const check = fitting.length === given.length ? callChecks.get(name) : undefined;
    const type = check?.({
      name,
      offset,
      given,
      error: (place, message) => this.problems.error(place, message),
      warning: (place, message) => this.problems.warning(place, message),
    });
    return { type: type ?? definition.result };
  }

  private unknownFunction(name: string): string {
    const field = nearestField(name, templateFields[this.kind].keys());
    if (field !== undefined) {
      return `${quoted(name)} is not a function; did you mean the field \`.${field}\`?`;
    }
    const functions = [...templateFunctions].filter(
      ([, { ldifOnly }]) => ldifOnly !== true || this.kind === "ldif",
    );
    const near = nearestName(
      name,
      functions.map(([candidate]) => candidate),
    );
    return `${quoted(name)} is not a function of these templates${near === undefined ? "." : `; did you mean \`${near}\`?`}`;
  }

  /** Whether an argument is what the parameter asks for; says so if not. */
  private fits(name: string, parameter: Parameter | undefined, argument: Argument): boolean {
    const { type, literal, offset, source, wholeLiteral } = argument;
    if (parameter === undefined || parameter.type === "any" || type === "unknown") {
      return true;
    }
    if (type !== parameter.type && !(parameter.type === "integer" && wholeLiteral === true)) {
      const wanted = parameter.type === "text" ? "text" : "an integer";
      this.problems.error(
        offset,
        `\`${name}\` needs ${wanted} as ${parameter.name}; ${source} is ${typeNames[type]}.`,
      );
      return false;
    }
    if (typeof literal === "number" && parameter.minimum !== undefined && literal < parameter.minimum) {
      const message = `\`${name}\` needs ${parameter.name} to be ${parameter.minimum} or more, not ${literal}.`;
      // The documents name no smallest number; the products fail below it.
      this.problems.warning(offset, message);
    }
    return true;
  }
}

function wrongCount(name: string, definition: TemplateFunction, given: number): string {
  const { parameters, rest } = definition;
  const count = parameters.length;
  if (count === 0) {
    return `\`${name}\` takes no arguments, but gets ${given}.`;
  }
  const wanted = `${rest === undefined ? "" : "at least "}${count} ${count === 1 ? "argument" : "arguments"}`;
  return `\`${name}\` takes ${wanted}, but gets ${given}: ${usageOf(name, definition)}.`;
}

function nearestField(name: string, fields: Iterable<string>): string | undefined {
  // A field without its dot looks like a function, and fields begin with a capital letter.
  return /^[A-Z]/.test(name) ? nearestName(name, fields) : undefined;
}
