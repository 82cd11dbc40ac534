import { at } from '../../api/field-error.ts';
import { propertyOf, valuesOf, type SchemaProps } from './schema-props.ts';

const escapes: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', "'": "'", '\\': '\\' };

/** A JSON path such as `.spec.ports['http']`, resolved against a schema. Throws an Error that says what is wrong with it. */
export function resolveFieldPath(
  jsonPath: string,
  root: SchemaProps,
  allowsBrackets = true,
): { path: string; schema: SchemaProps | undefined } {
  const tokens = jsonPath.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]']+|'/gs) ?? [];
  let path = '';
  let schema: SchemaProps | undefined = root;
  let i = 0;
  const next = (): string => {
    const token = tokens[i++];
    if (token === undefined) throw new Error('unexpected end of JSON path');
    return token;
  };
  const step = (name: string): void => {
    if (schema?.properties !== undefined) {
      path = at.child(path, name);
      schema = propertyOf(schema, name);
      if (!schema) throw new Error('does not refer to a valid field');
    } else if (schema?.additionalProperties !== undefined) {
      path = at.key(path, name);
      schema = valuesOf(schema);
    } else throw new Error('does not refer to a valid field');
  };
  while (i < tokens.length) {
    const token = next();
    if (token === '.') step(next());
    else if (token === '[') {
      if (!allowsBrackets) throw new Error('array notation is not allowed');
      const quoted = next();
      if (quoted.length < 2 || !quoted.startsWith("'") || !quoted.endsWith("'"))
        throw new Error(`expected single quoted string but got ${quoted}`);
      step(unescape(quoted.slice(1, -1)));
      const close = next();
      if (close !== ']') throw new Error(`expected ] but got ${close}`);
    } else throw new Error(`expected [ or . but got: ${token}`);
  }
  return { path, schema };
}

function unescape(text: string): string {
  return text.replace(/\\./gs, escape => {
    const plain = escapes[escape[1]!];
    if (plain === undefined) throw new Error(`invalid string literal: invalid escape char ${escape}`);
    return plain;
  });
}
