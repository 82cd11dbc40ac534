import { parseRfc3339 } from './cel-time.ts';
import { parseRequestUri } from './request-uri.ts';

export interface NamedFormat {
  readonly name: string;
  /** What is wrong with a text; nothing when it has the format. */
  validate(text: string): string[];
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label1035Text =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const qualifiedNameText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

function byPattern(pattern: RegExp, maxLength: number, text: string): (value: string) => string[] {
  return value => {
    const problems: string[] = [];
    if (Buffer.byteLength(value) > maxLength) problems.push(`must be no more than ${maxLength} bytes`);
    if (!pattern.test(value)) problems.push(text);
    return problems;
  };
}

/** A prefix may end in a dash: what follows will complete it. */
const asPrefix = (validate: (value: string) => string[]) => (value: string) =>
  validate(value.endsWith('-') ? `${value.slice(0, -1)}a` : value);
const holds = (test: (value: string) => boolean, text: string) => (value: string) => (test(value) ? [] : [text]);

export const isDnsLabel = byPattern(new RegExp(`^${label}$`), 63, labelText);
export const isDnsSubdomain = byPattern(new RegExp(`^${subdomain}$`), 253, subdomainText);
export const isDns1035Label = byPattern(/^[a-z]([-a-z0-9]*[a-z0-9])?$/, 63, label1035Text);
export const isLabelValue = byPattern(/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/, 63, labelValueText);

export function isQualifiedName(value: string): string[] {
  const parts = value.split('/');
  if (parts.length > 2)
    return [
      "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ];
  const problems: string[] = [];
  if (parts.length === 2) {
    if (parts[0] === '') problems.push('prefix part must be non-empty');
    else problems.push(...isDnsSubdomain(parts[0]!).map(problem => `prefix part ${problem}`));
  }
  const name = parts.at(-1)!;
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > 63) problems.push('name part must be no more than 63 bytes');
  if (!/^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(name)) problems.push(qualifiedNameText);
  return problems;
}

export const isUuid = (value: string): boolean => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(value);
export const isBase64 = (value: string): boolean => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value);
export const isDate = (value: string): boolean => /^\d{4}-\d\d-\d\d$/.test(value) && parseRfc3339(`${value}T00:00:00Z`) !== undefined;
export const isDateTime = (value: string): boolean => parseRfc3339(value) !== undefined;

export const namedFormats: Readonly<Record<string, NamedFormat>> = {
  dns1123Label: { name: 'dns1123Label', validate: isDnsLabel },
  dns1123Subdomain: { name: 'dns1123Subdomain', validate: isDnsSubdomain },
  dns1035Label: { name: 'dns1035Label', validate: isDns1035Label },
  qualifiedName: { name: 'qualifiedName', validate: isQualifiedName },
  dns1123LabelPrefix: { name: 'dns1123LabelPrefix', validate: asPrefix(isDnsLabel) },
  dns1123SubdomainPrefix: { name: 'dns1123SubdomainPrefix', validate: asPrefix(isDnsSubdomain) },
  dns1035LabelPrefix: { name: 'dns1035LabelPrefix', validate: asPrefix(isDns1035Label) },
  labelValue: { name: 'labelValue', validate: isLabelValue },
  uri: {
    name: 'uri',
    validate: value => (parseRequestUri(value) ? [] : [`parse ${JSON.stringify(value)}: invalid URI for request`]),
  },
  uuid: { name: 'uuid', validate: holds(isUuid, 'does not match the UUID format') },
  byte: { name: 'byte', validate: holds(isBase64, 'invalid base64') },
  date: { name: 'date', validate: holds(isDate, 'invalid date') },
  datetime: { name: 'datetime', validate: holds(isDateTime, 'invalid datetime') },
};

export const findNamedFormat = (name: string): NamedFormat | undefined =>
  Object.hasOwn(namedFormats, name) ? namedFormats[name] : undefined;
