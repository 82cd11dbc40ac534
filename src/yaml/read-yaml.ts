import { goQuote } from '../util/go-quote.ts';
import type { Json } from '../util/json.ts';
import { YamlError, type Mark } from './yaml-cursor.ts';
import { goSyntax, keyId, keyText, YamlMap, type YamlValue } from './yaml-map.ts';
import { YamlParser, type ScalarEvent } from './yaml-parser.ts';
import { resolveScalar } from './yaml-types.ts';

export { YamlError } from './yaml-cursor.ts';

/** A value with the number of nodes in it, aliases followed. */
interface Node {
  value: YamlValue;
  size: number;
  readonly line: number;
  isComplete: boolean;
  readonly isMergeKey: boolean;
}

interface Collection extends Node {
  value: YamlValue[] | YamlMap;
  /** Children that wait for the end of a mapping: keys and values in turn. */
  readonly children: Node[];
}

const controlCharacter = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const maxDecoded = 4_000_000;

/**
 * Reads the first document of a YAML text as the real server does, and answers it as JSON with what strict reading finds: keys that appear
 * twice. Throws YamlError. Aliases are shared while reading, and their sizes counted, so that a small text cannot grow without bound.
 */
export function readYaml(text: string): { value: Json; duplicates: string[] } {
  if (controlCharacter.test(text)) throw new YamlError('yaml: control characters are not allowed');
  return new Composer(text.startsWith('\ufeff') ? text.slice(1) : text).read();
}

class Composer {
  private readonly parser: YamlParser;
  private readonly anchors = new Map<string, Node>();
  private readonly open: Collection[] = [];
  private readonly duplicates: string[] = [];
  /** Faults of meaning are told only when the text has no fault of form. */
  private firstFault: YamlError | undefined;
  private decoded = 1;
  private aliased = 0;

  constructor(text: string) {
    this.parser = new YamlParser(text);
  }

  read(): { value: Json; duplicates: string[] } {
    if (this.parser.next().kind === 'end-of-stream') return { value: null, duplicates: [] };
    const root = this.readRoot();
    this.parser.next();
    if (this.firstFault) throw this.firstFault;
    return { value: toJson(root.value), duplicates: this.duplicates };
  }

  private readRoot(): Node {
    for (;;) {
      const event = this.parser.next();
      switch (event.kind) {
        case 'scalar': {
          const done = this.add(this.scalar(event), event.anchor);
          if (done) return done;
          break;
        }
        case 'alias': {
          const done = this.add(this.alias(event.anchor, event.start), undefined);
          if (done) return done;
          break;
        }
        case 'sequence-start':
        case 'mapping-start': {
          const value = event.kind === 'sequence-start' ? [] : new YamlMap();
          const node = { value, size: 1, line: event.start.line, isComplete: false, isMergeKey: false, children: [] };
          if (event.anchor !== undefined) this.anchors.set(event.anchor, node);
          this.open.push(node);
          this.count(1, 0);
          break;
        }
        case 'sequence-end':
        case 'mapping-end': {
          const done = this.finish();
          if (done) return done;
          break;
        }
        default:
          throw new YamlError(`yaml: unexpected ${event.kind}`);
      }
    }
  }

  private fail(problem: string): void {
    this.firstFault ??= new YamlError(`yaml: ${problem}`);
  }

  private scalar(event: ScalarEvent): Node {
    this.count(1, 0);
    const isMergeKey = event.value === '<<' && (event.isImplicit || event.tag === 'tag:yaml.org,2002:merge');
    const node: Node = { value: null, size: 1, line: event.start.line, isComplete: true, isMergeKey };
    try {
      const scalar = resolveScalar(event);
      if (scalar.type !== 'null') node.value = scalar.type === 'float' ? { float: scalar.value } : scalar.value;
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
      this.firstFault ??= error;
    }
    return node;
  }

  private alias(name: string, { line }: Mark): Node {
    const target = this.anchors.get(name);
    if (!target) throw new YamlError(`yaml: unknown anchor '${name}' referenced`);
    if (!target.isComplete) {
      this.fail(`anchor '${name}' value contains itself`);
      return { value: null, size: 1, line, isComplete: true, isMergeKey: false };
    }
    this.count(1 + target.size, target.size);
    return { value: target.value, size: 1 + target.size, line, isComplete: true, isMergeKey: false };
  }

  private count(decoded: number, aliased: number): void {
    this.decoded += decoded;
    this.aliased += aliased;
    if (this.aliased <= 100 || this.decoded <= 1000) return;
    if (this.decoded > maxDecoded || this.aliased / this.decoded > allowedAliasRatio(this.decoded)) {
      throw this.firstFault ?? new YamlError('yaml: document contains excessive aliasing');
    }
  }

  /** Hands a finished node to the collection it stands in; answers it when it stands in none. */
  private add(node: Node, anchor: string | undefined): Node | undefined {
    if (anchor !== undefined) this.anchors.set(anchor, node);
    const parent = this.open.at(-1);
    if (!parent) return node;
    parent.size += node.size;
    if (Array.isArray(parent.value)) parent.value.push(node.value);
    else parent.children.push(node);
    return undefined;
  }

  private finish(): Node | undefined {
    const node = this.open.pop()!;
    node.isComplete = true;
    if (node.value instanceof YamlMap) this.fill(node.value, node.children);
    node.children.length = 0;
    return this.add(node, undefined);
  }

  private fill(map: YamlMap, children: readonly Node[]): void {
    for (let i = 0; i < children.length; i += 2) {
      const key = children[i]!;
      const value = children[i + 1]!;
      if (key.isMergeKey) this.merge(map, value);
      else if (typeof key.value === 'object' && key.value !== null && !('float' in key.value)) {
        this.fail(`invalid map key: ${goSyntax(key.value)}`);
      } else this.set(map, key.value, value.value, value.line);
    }
  }

  private set(map: YamlMap, key: YamlValue, value: YamlValue, line: number): void {
    const id = keyId(key);
    if (map.entries.has(id)) {
      const shown = typeof key === 'string' ? goQuote(key) : goSyntax(key);
      this.duplicates.push(`line ${line + 1}: key ${shown} already set in map`);
    }
    map.entries.set(id, { key, value });
  }

  /** Keys of a merged mapping count as written where the merge stands; of several mappings the earlier win. */
  private merge(map: YamlMap, { value, line }: Node): void {
    const sources = Array.isArray(value) ? value.toReversed() : [value];
    for (const source of sources) {
      if (!(source instanceof YamlMap)) return this.fail('map merge requires map or sequence of maps as the value');
      for (const entry of source.entries.values()) this.set(map, entry.key, entry.value, line);
    }
  }
}

function allowedAliasRatio(decoded: number): number {
  const low = 400_000;
  if (decoded <= low) return 0.99;
  return 0.99 - 0.89 * ((decoded - low) / (maxDecoded - low));
}

/** Rewrites maps as objects, without recursion. What aliases share is copied for each. */
function toJson(root: YamlValue): Json {
  const pending: (() => void)[] = [];
  const convert = (value: YamlValue): Json => {
    if (typeof value !== 'object' || value === null) return value;
    if (!Array.isArray(value) && 'float' in value) return finite(value.float);
    if (Array.isArray(value)) {
      const list: Json[] = [];
      pending.push(() => {
        for (const item of value) list.push(convert(item));
      });
      return list;
    }
    const object: Record<string, Json> = {};
    pending.push(() => {
      for (const { key, value: member } of value.entries.values()) setOwn(object, keyText(key, member), convert(member));
    });
    return object;
  };
  const json = convert(root);
  for (let next = pending.pop(); next; next = pending.pop()) next();
  return json;
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new YamlError(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
}

function setOwn(object: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}
