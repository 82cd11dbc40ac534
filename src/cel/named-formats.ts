import { isDns1035Label, isDns1123Label, isDns1123Subdomain, isLabelValue, isQualifiedName, maskTrailingDash } from '../api/names.ts';
import { parseRfc3339 } from './cel-time.ts';
import { parseRequestUri } from './request-uri.ts';

export interface NamedFormat {
  readonly name: string;
  /** What is wrong with a text; nothing when it has the format. */
  validate(text: string): string[];
}

/** A prefix may end in a dash: what follows will complete it. */
const asPrefix = (validate: (value: string) => string[]) => (value: string) => validate(maskTrailingDash(value));
const holds = (test: (value: string) => boolean, text: string) => (value: string) => (test(value) ? [] : [text]);

export const isUuid = (value: string): boolean => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(value);
export const isBase64 = (value: string): boolean => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value);
export const isDate = (value: string): boolean => /^\d{4}-\d\d-\d\d$/.test(value) && parseRfc3339(`${value}T00:00:00Z`) !== undefined;

/** Lists of thousands of entries have the same few times again and again. */
const knownTimes = new Set<string>();
const maxKnownTimes = 1024;
const maxKnownLength = 40;

export function isDateTime(value: string): boolean {
  if (knownTimes.has(value)) return true;
  if (parseRfc3339(value) === undefined) return false;
  if (knownTimes.size >= maxKnownTimes) knownTimes.clear();
  if (value.length <= maxKnownLength) knownTimes.add(value);
  return true;
}

export const namedFormats: Readonly<Record<string, NamedFormat>> = {
  dns1123Label: { name: 'dns1123Label', validate: isDns1123Label },
  dns1123Subdomain: { name: 'dns1123Subdomain', validate: isDns1123Subdomain },
  dns1035Label: { name: 'dns1035Label', validate: isDns1035Label },
  qualifiedName: { name: 'qualifiedName', validate: isQualifiedName },
  dns1123LabelPrefix: { name: 'dns1123LabelPrefix', validate: asPrefix(isDns1123Label) },
  dns1123SubdomainPrefix: { name: 'dns1123SubdomainPrefix', validate: asPrefix(isDns1123Subdomain) },
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
