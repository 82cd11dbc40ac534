import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isConfigMapKey,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isPathSegmentName,
  isQualifiedName,
  isRelaxedEnvVarName,
  isValidPortName,
} from './names.ts';

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const keyName =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const cases: [string, (value: string) => string[], string, string[]][] = [
  ['a good subdomain', isDns1123Subdomain, 'a.b-c', []],
  ['a bad subdomain', isDns1123Subdomain, 'A_b', [subdomain]],
  ['a long subdomain', isDns1123Subdomain, 'a'.repeat(254), ['must be no more than 253 characters']],
  ['a label with dots', isDns1123Label, 'a.b', ['must not contain dots']],
  ['an empty label', isDns1123Label, '', [label]],
  ['a DNS-1035 label with a digit', isDns1035Label, 'a1', []],
  ['a label key without name', isQualifiedName, 'a/', ['name part must be non-empty', keyName]],
  ['a label key without prefix', isQualifiedName, '/a', ['prefix part must be non-empty']],
  ['a long label key', isQualifiedName, 'a'.repeat(64), ['name part must be no more than 63 bytes']],
  ['a label value in bytes', isLabelValue, 'a'.repeat(64), ['must be no more than 63 bytes']],
  ['an empty label value', isLabelValue, '', []],
  ['a path segment', isPathSegmentName, 'system:node', []],
  ['a path segment with a slash', isPathSegmentName, 'a/b%', ["may not contain '/'", "may not contain '%'"]],
  ['a key that climbs', isConfigMapKey, '..a', ["must not start with '..'"]],
  ['a relaxed variable', isRelaxedEnvVarName, 'a b', []],
  ['a port name of digits', isValidPortName, '80', ['must contain at least one letter (a-z)']],
];

for (const [name, check, value, expected] of cases) test(`names: ${name}`, () => assert.deepEqual(check(value), expected));
