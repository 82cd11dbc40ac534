import { errorText } from '../../util/error-text.ts';
import { isJsonObject, parseJson, type Json } from '../../util/json.ts';
import { encodeJson, toJson } from '../go/go-json.ts';
import { jsonFault } from '../go/json-fault.ts';
import { fn } from '../go/go-function.ts';
import { LimitError, markUnrepeatable } from '../go/rendering.ts';
import { GoError, GoFunction, GoInt, isMap, isSlice, type GoMap, type GoSlice, type GoValue } from '../go/go-value.ts';
import { unmarshalYaml } from '../chart/unmarshal-yaml.ts';
import { toGoValue } from '../go/to-go-value.ts';
import { readToml } from '../toml/read-toml.ts';
import { TomlError, writeToml } from '../toml/write-toml.ts';
import { durationFunctions } from './duration-functions.ts';
import { sprigFunctions } from '../sprig/sprig-functions.ts';
import { toYaml } from './to-yaml.ts';

/** What a writer of YAML sees that does not go through JSON: bytes are numbers, and floats may have exponents. */
function toPlain(value: GoValue): Json {
  if (isSlice(value)) return value.map(toPlain);
  if (isMap(value)) return value.isNil ? {} : Object.fromEntries([...value].map(([key, item]) => [key, toPlain(item)]));
  // Integers are written whole, floats perhaps with an exponent.
  return value instanceof GoInt ? value.value : toJson(value);
}

const yamlOf = (value: GoValue): string => toYaml(toJson(value));

function toToml(value: GoValue): string {
  if (value === null || value === undefined) throw new GoError('reflect: call of reflect.Value.Type on zero Value');
  return writeToml(value);
}

/** Some functions swallow errors, as their users expect. */
function orElse<T>(work: () => T, fallback: (error: GoError | Error) => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof LimitError) throw error;
    return fallback(error as Error);
  }
}

const decoded = (kind: Json): string =>
  Array.isArray(kind) ? 'array' : kind === null ? 'null' : typeof kind === 'boolean' ? 'bool' : isJsonObject(kind) ? 'object' : typeof kind;

function mapFrom(value: Json, prefix: string): GoMap {
  if (value === null) return new Map();
  if (isJsonObject(value)) return toGoValue(value) as GoMap;
  throw new Error(`${prefix}json: cannot unmarshal ${decoded(value)} into Go value of type map[string]interface {}`);
}

function listFrom(value: Json, prefix: string): GoSlice {
  if (value === null) return [];
  if (Array.isArray(value)) return toGoValue(value) as GoSlice;
  throw new Error(`${prefix}json: cannot unmarshal ${decoded(value)} into Go value of type []interface {}`);
}

/** JSON from a text, with Go's words where it is none. */
function readJson(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw new Error(jsonFault(text));
  }
}

const whileDecoding = 'error unmarshaling JSON: while decoding JSON: ';
const errorMap = (error: Error): GoMap => new Map([['Error', errorText(error)]]);

/** Functions that Helm adds to Sprig's or replaces. Those that need a chart or a cluster come with the engine. */
const ownFunctions: Readonly<Record<string, GoFunction>> = {
  toYaml: fn(['any'], value =>
    orElse(
      () => yamlOf(value),
      () => '',
    ),
  ),
  mustToYaml: fn(['any'], yamlOf),
  toYamlPretty: fn(['any'], value => toYaml(toPlain(value), { isPretty: true })),
  fromYaml: fn(['string'], text => orElse(() => mapFrom(unmarshalYaml(text), whileDecoding), errorMap)),
  fromYamlArray: fn(['string'], text =>
    orElse<GoSlice>(
      () => listFrom(unmarshalYaml(text), whileDecoding),
      error => [errorText(error)],
    ),
  ),
  toToml: fn(['any'], value => {
    try {
      return toToml(value);
    } catch (error) {
      if (error instanceof TomlError) return error.message;
      throw error;
    }
  }),
  mustToToml: fn(['any'], value => {
    try {
      return toToml(value);
    } catch (error) {
      throw error instanceof TomlError ? new GoError(error.message) : error;
    }
  }),
  fromToml: fn(['string'], text => orElse(() => readToml(text), errorMap)),
  toJson: fn(['any'], value =>
    orElse(
      () => encodeJson(value),
      () => '',
    ),
  ),
  mustToJson: fn(['any'], value => encodeJson(value)),
  toPrettyJson: fn(['any'], value =>
    orElse(
      () => encodeJson(value, { indent: 2 }),
      () => '',
    ),
  ),
  mustToPrettyJson: fn(['any'], value => encodeJson(value, { indent: 2 })),
  toRawJson: fn(['any'], value => encodeJson(value, { escapesHtml: false })),
  mustToRawJson: fn(['any'], value => encodeJson(value, { escapesHtml: false })),
  fromJson: fn(['string'], text => orElse(() => mapFrom(readJson(text), ''), errorMap)),
  fromJsonArray: fn(['string'], text =>
    orElse<GoSlice>(
      () => listFrom(readJson(text), ''),
      error => [errorText(error)],
    ),
  ),
  mustFromJson: fn(['string'], text => {
    try {
      return toGoValue(readJson(text));
    } catch (error) {
      throw new GoError(errorText(error));
    }
  }),
  // Charts may not ask the network while they are rendered.
  getHostByName: fn(['string'], () => ''),
};

/** Functions into which chance or the clock goes: what they gave once they will not give again. */
const unrepeatable = new Set(
  `ago bcrypt buildCustomCert date dateInZone date_in_zone durationRound encryptAES genCA genCAWithKey genPrivateKey genSelfSignedCert
  genSelfSignedCertWithKey genSignedCert genSignedCertWithKey htmlDate htmlDateInZone htpasswd now randAlpha randAlphaNum randAscii randBytes
  randInt randNumeric shuffle uuidv4`.split(/\s+/),
);

function marked(name: string, target: GoFunction): GoFunction {
  if (!unrepeatable.has(name)) return target;
  const call = (args: GoValue[]): GoValue => {
    markUnrepeatable();
    return target.call(args);
  };
  return new GoFunction(target.params, call, target.isVariadic);
}

export const helmFunctions: ReadonlyMap<string, GoFunction> = new Map(
  [...sprigFunctions, ...Object.entries(durationFunctions), ...Object.entries(ownFunctions)].map(([name, target]) => [
    name,
    marked(name, target),
  ]),
);
