import { isBase64, isDate, isDateTime, isUuid } from '../../cel/named-formats.ts';
import { parseGoDuration } from '../../cel/cel-time.ts';
import { parseAddress, parsePrefix } from '../../cel/ip-address.ts';
import { parseRequestUri } from '../../cel/request-uri.ts';
import { isDns1123Label, isDns1123Subdomain } from '../../api/names.ts';

const digits = (text: string): string => text.replace(/[^0-9]/g, '');

function isIsbn10(text: string): boolean {
  const isbn = text.replace(/[\s-]+/g, '');
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(isbn)) return false;
  const sum = [...isbn].reduce((total, char, i) => total + (10 - i) * (char === 'X' ? 10 : Number(char)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const isbn = text.replace(/[\s-]+/g, '');
  if (!/^[0-9]{13}$/.test(isbn)) return false;
  return [...isbn].reduce((total, char, i) => total + Number(char) * (i % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

const creditCard =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$/;

function isCreditCard(text: string): boolean {
  const number = digits(text);
  if (!creditCard.test(number)) return false;
  const sum = [...number].reverse().reduce((total, char, i) => {
    const value = Number(char) * (i % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

const withoutLeadingZeros = (text: string): string => text.replace(/\b0+(?=\d)/g, '');
const isIpv4 = (text: string): boolean =>
  text.includes('.') && parseAddress(text.includes(':') ? text : withoutLeadingZeros(text)) !== undefined;
const isCidr = (text: string): boolean => parsePrefix(text.includes(':') ? text : withoutLeadingZeros(text)) !== undefined;
const octet = '(?:0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])';
const rgbColor = new RegExp(`^rgb\\(\\s*${octet}\\s*,\\s*${octet}\\s*,\\s*${octet}\\s*\\)$`);
const label = String.raw`a-zA-Z0-9\p{S}\p{L}`;
const hostname = new RegExp(
  `^(?:[${label}](?:-?[${label}]{0,62})?|(?:[${label}](?:[${label}\\-]{0,61}[${label}])?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
  'u',
);
const isHostname = (text: string): boolean =>
  hostname.test(text) && Buffer.byteLength(text) <= 255 && text.split('.').every(part => Buffer.byteLength(part) <= 63);
const mac = /^(?:[0-9a-fA-F]{2}([:-])(?:[0-9a-fA-F]{2}\1){4}[0-9a-fA-F]{2}|(?:[0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4})$/;
const email = /^(?:[^<>@]*<)?[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*>?$/;
const uuidOf = (version: string, variant: string): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i');
const scalaUnits =
  /^(\d+(?:\.\d+)?)\s*(ns|nano|nanos|nanosecond|nanoseconds|us|µs|μs|micro|micros|microsecond|microseconds|ms|milli|millis|millisecond|milliseconds|s|sec|secs|second|seconds|m|min|mins|minute|minutes|h|hr|hour|hours|d|day|days|w|wk|week|weeks)$/;

/** By normalised name: dashes do not count. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: text => /^[0-9a-fA-F]{24}$/.test(text),
  uri: text => parseRequestUri(text) !== undefined,
  email: text => email.test(text),
  hostname: isHostname,
  ipv4: isIpv4,
  ipv6: text => text.includes(':') && parseAddress(text) !== undefined,
  cidr: isCidr,
  mac: text => mac.test(text),
  uuid: isUuid,
  uuid3: text => uuidOf('3', '[0-9a-f]').test(text),
  uuid4: text => uuidOf('4', '[89ab]').test(text),
  uuid5: text => uuidOf('5', '[89ab]').test(text),
  isbn: text => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: text => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: text => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  rgbcolor: text => rgbColor.test(text),
  byte: text => text !== '' && isBase64(text),
  password: () => true,
  date: isDate,
  duration: text => parseGoDuration(text) !== undefined || scalaUnits.test(text),
  datetime: isDateTime,
  k8sshortname: text => isDns1123Label(text).length === 0,
  k8slongname: text => isDns1123Subdomain(text).length === 0,
};

/** The check for a format of strings; undefined when the server does not know the format. */
export function stringFormat(name: string): ((text: string) => boolean) | undefined {
  const normalised = name.replaceAll('-', '');
  return Object.hasOwn(formats, normalised) ? formats[normalised] : undefined;
}

/** Whether a format says anything about values of a type. */
export function isKnownFormat(format: string, type: string): boolean {
  if (type === '' || type === 'string') return stringFormat(format) !== undefined;
  if (type === 'integer') return format === 'int32' || format === 'int64';
  return type === 'number' && (format === 'float' || format === 'double');
}
