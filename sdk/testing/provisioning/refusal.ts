/** An answer other than success. Thrown by an endpoint, written by the service as a JSON:API error document. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    /** Where in the body the mistake is, or `?` and the name of a query parameter. */
    readonly source?: string,
  ) {
    super(detail);
  }
}

/** The same answer for what is absent and for what the caller may not do. */
export function notFound(): Refusal {
  return new Refusal(404, "not found", "There is no such resource, or the token may not do this with it.");
}

export function forbidden(detail: string): Refusal {
  return new Refusal(403, "forbidden", detail);
}

export function badRequest(detail: string, source?: string): Refusal {
  return new Refusal(400, "bad request", detail, source);
}

/** @param pointer a JSON pointer into the body, such as `/data/attributes/name` */
export function invalid(pointer: string, detail: string): Refusal {
  const title = pointer.startsWith("/data/attributes/") ? "invalid attribute" : "unprocessable entity";
  return new Refusal(422, title, detail, pointer);
}
