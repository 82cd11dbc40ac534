import { baseName } from '../go/base-name.ts';
import type { ChartFile } from '../chart/chart.ts';
import { fromBytes } from '../go/go-bytes.ts';
import { byteSlice, mapOf, namedType, stringSlice, stringType, uint8Type } from '../go/go-type.ts';
import { GoFunction, GoInt, typed, type GoMap, type GoSlice, type GoValue } from '../go/go-value.ts';
import { globMatcher } from './glob.ts';
import { toYaml, withoutNewline } from './to-yaml.ts';

const filesType = namedType('engine.files', mapOf(byteSlice));

const bytesOf = (data: Buffer): GoSlice =>
  typed<GoSlice>(
    Array.from(data, byte => new GoInt(BigInt(byte), uint8Type)),
    byteSlice,
  );

/** `.Files` of a chart. Contents become values only when somebody looks at them. */
export function filesValue(files: readonly ChartFile[]): GoMap {
  return filesMap(new Map(files.map(file => [file.name, file.data])));
}

function filesMap(contents: ReadonlyMap<string, Buffer>): GoMap {
  const map = typed<GoMap>(new LazyBytes(contents) as GoMap, filesType);
  const text = (name: string): string => fromBytes(contents.get(name) ?? Buffer.alloc(0));
  const byName = (print: (data: Buffer) => string): string =>
    toYaml(Object.fromEntries([...contents].map(([name, data]) => [baseName(name), print(data)])));
  map.goMethods = new Map<string, GoFunction>([
    ['Get', new GoFunction([stringType], ([name]) => text(name as string))],
    ['GetBytes', new GoFunction([stringType], ([name]) => bytesOf(contents.get(name as string) ?? Buffer.alloc(0)))],
    ['Glob', new GoFunction([stringType], ([pattern]) => globbed(contents, pattern as string))],
    ['AsConfig', new GoFunction([], () => byName(data => fromBytes(data)))],
    ['AsSecrets', new GoFunction([], () => byName(data => data.toString('base64')))],
    ['Lines', new GoFunction([stringType], ([name]) => lines(text(name as string)))],
  ]);
  return map;
}

function globbed(contents: ReadonlyMap<string, Buffer>, pattern: string): GoMap {
  const matches = globMatcher(pattern);
  return filesMap(new Map([...contents].filter(([name]) => matches(name))));
}

function lines(text: string): GoSlice {
  return typed<GoSlice>(text === '' ? [] : withoutNewline(text).split('\n'), stringSlice);
}

/** A map of byte slices that are made when they are asked for. */
class LazyBytes extends Map<string, GoValue> {
  readonly #contents: ReadonlyMap<string, Buffer>;

  constructor(contents: ReadonlyMap<string, Buffer>) {
    super([...contents.keys()].map(name => [name, undefined]));
    this.#contents = contents;
  }

  override get(name: string): GoValue {
    const data = this.#contents.get(name);
    return data && bytesOf(data);
  }

  override *entries(): MapIterator<[string, GoValue]> {
    for (const [name, data] of this.#contents) yield [name, bytesOf(data)];
  }

  override [Symbol.iterator](): MapIterator<[string, GoValue]> {
    return this.entries();
  }

  override *values(): MapIterator<GoValue> {
    for (const data of this.#contents.values()) yield bytesOf(data);
  }
}
