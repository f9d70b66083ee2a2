/** A template that cannot be parsed, or not be rendered. */
export class TemplateError extends Error {}

/** A function refuses its arguments. Becomes a `TemplateError` with its position. */
export class FunctionError extends Error {}
