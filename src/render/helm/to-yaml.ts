import { writeYaml } from '../../yaml/write-yaml.ts';
import type { Json } from '../../util/json.ts';

export const withoutNewline = (text: string): string => (text.endsWith('\n') ? text.slice(0, -1) : text);

/** YAML as templates put it between other lines: without the newline at its end. */
export const toYaml = (value: Json, options: { isPretty?: boolean } = {}): string => withoutNewline(writeYaml(value, options));
