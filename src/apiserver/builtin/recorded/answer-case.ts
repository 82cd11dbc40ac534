/** A request whose answer by a real server is kept in answers.json; scripts/record-builtin-answers.ts makes that file. */
export interface AnswerCase {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Without apiVersion, kind and (unless it matters) a name. */
  readonly body: Readonly<Record<string, unknown>>;
  /** A merge patch on what the server stored; the answer to this PUT is recorded instead. */
  readonly update?: unknown;
  readonly subresource?: string;
}

/** Creations of one kind. */
export const creates = (apiVersion: string, kind: string, bodies: Record<string, Record<string, unknown>>): AnswerCase[] =>
  Object.entries(bodies).map(([name, body]) => ({ name: `${apiVersion} ${kind}: ${name}`, apiVersion, kind, body }));

/** Updates of one object, each of its own copy. */
export const updates = (
  apiVersion: string,
  kind: string,
  body: Record<string, unknown>,
  patches: Record<string, unknown>,
  subresource?: string,
): AnswerCase[] =>
  Object.entries(patches).map(([name, update]) => ({
    name: `${apiVersion} ${kind}${subresource === undefined ? '' : ` ${subresource}`} update: ${name}`,
    apiVersion,
    kind,
    body,
    update,
    ...(subresource !== undefined && { subresource }),
  }));
