import type { KubeObject } from '../api/object.ts';
import { parseJson, printJson } from '../util/json.ts';

/** Bytes that are made when they are asked for, because many stores share what they are made from. */
export interface BytesSource {
  readonly length: number;
  render(): Buffer;
  /** Whether a piece of text without ids and times is in the bytes. */
  includes(text: string): boolean;
}

/** One version of one object: its bytes as they go over the wire, parsed only when somebody looks inside. Immutable. */
export class Entry {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly #source: Buffer | BytesSource;
  #parsed: WeakRef<KubeObject> | undefined;

  constructor(
    key: { resource: string; namespace: string; name: string },
    revision: number,
    source: Buffer | BytesSource,
    parsed?: KubeObject,
  ) {
    this.resource = key.resource;
    this.namespace = key.namespace;
    this.name = key.name;
    this.revision = revision;
    this.#source = source;
    if (parsed) this.#parsed = new WeakRef(parsed);
  }

  get bytes(): Buffer {
    return this.#source instanceof Uint8Array ? this.#source : this.#source.render();
  }

  get sizeBytes(): number {
    return this.#source.length;
  }

  includes(text: string): boolean {
    return this.#source.includes(text);
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
