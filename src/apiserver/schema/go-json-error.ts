import { badRequest, type StatusError } from '../../api/status.ts';

/** Why Go's decoder refuses a document, in its words. */
export class GoJsonError extends Error {}

/** A value of the wrong JSON type. `path` is where Go says it stands, below `struct`. */
export class GoTypeError extends GoJsonError {
  readonly value: string;
  readonly goType: string;
  readonly path: readonly string[];

  constructor(value: string, goType: string, struct = '', path: readonly string[] = []) {
    const target = struct === '' && path.length === 0 ? 'value' : `struct field ${struct}.${path.join('.')}`;
    super(`json: cannot unmarshal ${value} into Go ${target} of type ${goType}`);
    this.value = value;
    this.goType = goType;
    this.path = path;
  }
}

/** The answer of the server to a body that cannot be decoded. */
export function undecodableBody(kind: string, version: string, error: Error): StatusError {
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${error.message}`);
}
