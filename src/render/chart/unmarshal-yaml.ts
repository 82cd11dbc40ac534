import { errorText } from '../../util/error-text.ts';
import type { Json } from '../../util/json.ts';
import { readYaml } from '../../yaml/read-yaml.ts';

/** YAML as Helm reads it, through JSON; the error says so. */
export function unmarshalYaml(text: string): Json {
  try {
    return readYaml(text).value;
  } catch (error) {
    throw new Error(`error converting YAML to JSON: ${errorText(error)}`);
  }
}
