import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';

export type Draft = 4 | 6 | 7 | 2019 | 2020;
export type Schema = boolean | JsonObject;

/** A schema with the parts that references may point to. It never asks the network: what is not inside is an error. */
export class SchemaDocument {
  readonly root: Schema;
  readonly draft: Draft;
  readonly location: string;
  private readonly anchors = new Map<string, Schema>();

  constructor(value: Json) {
    if (!isSchema(value)) throw new Error('values.schema.json is neither an object nor a boolean');
    this.root = value;
    this.draft = draftOf(value);
    const id = isJsonObject(value) ? value[this.draft === 4 ? 'id' : '$id'] : undefined;
    this.location = typeof id === 'string' && /^[a-z][a-z0-9+.-]*:/i.test(id) ? id.replace(/#.*$/, '') : 'file:///values.schema.json';
    this.findAnchors(value, 0);
  }

  resolve(reference: string): Schema {
    const hash = reference.indexOf('#');
    const base = hash === -1 ? reference : reference.slice(0, hash);
    const fragment = hash === -1 ? '' : decodeURIComponent(reference.slice(hash + 1));
    const isHere = base === '' || base === this.location;
    const start = isHere ? this.root : this.anchors.get(base);
    if (start === undefined)
      throw new Error(`cannot load schema ${JSON.stringify(reference)}: only references within the chart are followed`);
    if (fragment === '') return start;
    if (!fragment.startsWith('/')) {
      const anchored = this.anchors.get(`#${fragment}`);
      if (anchored === undefined) throw new Error(`no anchor ${JSON.stringify(fragment)} in the schema`);
      return anchored;
    }
    return pointed(start, fragment);
  }

  private findAnchors(value: Json, depth: number): void {
    if (depth > maxDepth) throw new Error(`the schema is nested more than ${maxDepth} levels deep`);
    if (Array.isArray(value)) for (const item of value) this.findAnchors(item, depth + 1);
    if (!isJsonObject(value)) return;
    for (const name of ['$anchor', '$dynamicAnchor']) {
      const anchor = value[name];
      if (typeof anchor === 'string') this.anchors.set(`#${anchor}`, value);
    }
    const id = value[this.draft === 4 ? 'id' : '$id'];
    if (typeof id === 'string') this.anchors.set(id, value);
    for (const item of Object.values(value)) this.findAnchors(item, depth + 1);
  }
}

const maxDepth = 200;

const isSchema = (value: Json | undefined): value is Schema => typeof value === 'boolean' || isJsonObject(value);

function draftOf(schema: Schema): Draft {
  const named = isJsonObject(schema) ? schema['$schema'] : undefined;
  if (typeof named !== 'string') return 2020;
  if (named.includes('draft-04')) return 4;
  if (named.includes('draft-06')) return 6;
  if (named.includes('draft-07')) return 7;
  return named.includes('2019-09') ? 2019 : 2020;
}

function pointed(start: Schema, pointer: string): Schema {
  let at: Json | undefined = start;
  for (const step of pointer.slice(1).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  if (!isSchema(at)) throw new Error(`the schema has nothing at "#${pointer}"`);
  return at;
}
