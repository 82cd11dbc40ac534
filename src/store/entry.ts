import type { KubeObject } from '../api/object.ts';
import { parseJson, printJson } from '../util/json.ts';

/** One version of one object: its bytes as they go over the wire, parsed only when somebody looks inside. Immutable. */
export class Entry {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly bytes: Buffer;
  #parsed: WeakRef<KubeObject> | undefined;

  constructor(key: { resource: string; namespace: string; name: string }, revision: number, bytes: Buffer, parsed?: KubeObject) {
    this.resource = key.resource;
    this.namespace = key.namespace;
    this.name = key.name;
    this.revision = revision;
    this.bytes = bytes;
    if (parsed) this.#parsed = new WeakRef(parsed);
  }

  get obj(): KubeObject {
    const kept = this.#parsed?.deref();
    if (kept) return kept;
    const parsed = parseJson(this.bytes.toString('utf8')) as unknown as KubeObject;
    this.#parsed = new WeakRef(parsed);
    return parsed;
  }
}

/** `namespace/name`, or the name alone: the order of these keys is the order of lists. */
export function listKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** Kind and apiVersion come first, so that list items can leave them out by skipping a prefix. */
export function encodeObject(obj: KubeObject): Buffer {
  const { kind, apiVersion, ...rest } = obj;
  const text = printJson({ kind, apiVersion, ...rest });
  // Not from Node's shared pool: what lives long would keep its short-lived neighbours there in memory.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** The number of bytes that `encodeObject` puts before the first field after kind and apiVersion. */
export function typePrefixLength(kind: string, apiVersion: string): number {
  return Buffer.byteLength(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`);
}
