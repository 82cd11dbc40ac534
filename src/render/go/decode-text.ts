import { formatFloat } from '../../util/go-float.ts';
import type { Json } from '../../util/json.ts';

/**
 * YAML where a text is wanted, as Kubernetes' reader of YAML takes it: numbers and booleans may stand there, since versions and weights are often
 * written without quotes. Undefined when it is a list or an object.
 */
export function decodeText(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && !Number.isInteger(value)) return formatFloat(value, 'g', -1);
  return typeof value === 'object' ? undefined : String(value);
}
