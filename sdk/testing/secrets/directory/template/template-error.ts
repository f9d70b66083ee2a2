/** A template that cannot be parsed, or not be rendered. */
export class TemplateError extends Error {}

/** What a function answers to arguments that it cannot work with; becomes a `TemplateError` with its place. */
export class FunctionError extends Error {}
