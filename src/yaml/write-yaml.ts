import { formatFloat } from '../util/go-float.ts';
import { goPrint } from '../util/go-print.ts';
import { isJsonObject, type Json, type JsonObject } from '../util/json.ts';
import { compareKeys } from './yaml-keys.ts';
import { YamlSink } from './yaml-sink.ts';
import { isMultiline, writeScalar, type ScalarStyle } from './write-yaml-scalar.ts';
import { isPlainText } from './yaml-types.ts';

/** Keys longer than this are written as `? key`. */
const maxSimpleKeyBytes = 128;
/** Integers beyond these are floats. */
const [minInt, maxUint] = [-(2n ** 63n), 2n ** 64n - 1n];
const utf8 = new TextEncoder();

type Context = 'root' | 'sequence' | 'mapping' | 'simple-key';

interface YamlOptions {
  /** Lists under a key move to the right and long lines stay whole, as with Helm's `toYamlPretty`. */
  readonly isPretty?: boolean;
}

/** Writes JSON as YAML, byte for byte as Kubernetes' own programs and Helm's `toYaml` do. */
export function writeYaml(value: Json, options: YamlOptions = {}): string {
  const sink = new YamlSink(options);
  writeNode(sink, value, 'root');
  sink.newLine();
  return sink.text;
}

function writeNode(sink: YamlSink, value: Json, context: Context): void {
  if (Array.isArray(value)) return value.length === 0 ? sink.indicator('[]', true) : writeSequence(sink, value, context);
  if (isJsonObject(value)) return Object.keys(value).length === 0 ? sink.indicator('{}', true) : writeMapping(sink, value);
  const [text, style] = sink.indentsLists && typeof value === 'number' ? [formatFloat(value, 'g', -1), 'plain' as const] : scalar(value);
  sink.indented({ isFlow: true }, () => writeScalar(sink, text, style, context === 'simple-key'));
}

function writeSequence(sink: YamlSink, items: readonly Json[], context: Context): void {
  // A list under a key does not move to the right unless that is asked for.
  sink.indented({ keepsColumn: context === 'mapping' && !sink.isIndention && !sink.indentsLists }, () => {
    for (const item of items) {
      sink.newLine();
      sink.indicator('-', true, { isIndention: true });
      writeNode(sink, item, 'sequence');
    }
  });
}

function writeMapping(sink: YamlSink, mapping: JsonObject): void {
  sink.indented({}, () => {
    for (const key of Object.keys(mapping).sort(compareKeys)) {
      sink.newLine();
      writeKey(sink, key);
      writeNode(sink, mapping[key] as Json, 'mapping');
    }
  });
}

function writeKey(sink: YamlSink, key: string): void {
  if (!isMultiline(key) && utf8.encode(key).length <= maxSimpleKeyBytes) {
    writeNode(sink, key, 'simple-key');
    sink.indicator(':', false);
    return;
  }
  sink.indicator('?', true, { isIndention: true });
  writeNode(sink, key, 'mapping');
  sink.newLine();
  sink.indicator(':', true, { isIndention: true });
}

function scalar(value: string | number | bigint | boolean | null): [text: string, style: ScalarStyle] {
  if (typeof value === 'bigint') return [goPrint(value >= minInt && value <= maxUint ? value : Number(value)), 'plain'];
  if (typeof value !== 'string') return [value === null ? 'null' : goPrint(value), 'plain'];
  if (value.includes('\n')) return [value, 'literal'];
  return [value, isPlainText(value) ? 'plain' : 'double'];
}
