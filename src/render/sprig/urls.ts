import { goQuote } from '../../util/go-quote.ts';
import { toBytes, fromBytes } from '../go/go-bytes.ts';
import { fn } from '../go/go-function.ts';
import { GoError, typeOf, type GoFunction, type GoMap } from '../go/go-value.ts';

/** A URL in the parts that Go's net/url knows. */
interface Url {
  scheme: string;
  opaque: string;
  userinfo: string;
  host: string;
  path: string;
  query: string;
  fragment: string;
}

function parseUrl(text: string): Url {
  const fail = (why: string): GoError => new GoError(`unable to parse url: parse ${goQuote(text)}: ${why}`);
  if (/[\u0000-\u001f\u007f]/.test(text)) throw fail('net/url: invalid control character in URL');
  const hash = text.indexOf('#');
  const fragment = hash < 0 ? '' : decode(text.slice(hash + 1), fail);
  let rest = hash < 0 ? text : text.slice(0, hash);
  const url: Url = { scheme: '', opaque: '', userinfo: '', host: '', path: '', query: '', fragment };
  if (rest.startsWith(':')) throw fail('missing protocol scheme');
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(rest);
  if (scheme) {
    url.scheme = scheme[1]!.toLowerCase();
    rest = rest.slice(scheme[0].length);
  }
  const question = rest.indexOf('?');
  if (question >= 0) {
    url.query = rest.slice(question + 1);
    rest = rest.slice(0, question);
  }
  if (!rest.startsWith('/')) {
    if (url.scheme !== '') return { ...url, opaque: rest };
    if (rest.split('/', 1)[0]!.includes(':')) throw fail('first path segment in URL cannot contain colon');
  }
  if (rest.startsWith('//') && (url.scheme !== '' || !rest.startsWith('///'))) {
    const slash = rest.indexOf('/', 2);
    const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
    rest = slash < 0 ? '' : rest.slice(slash);
    const at = authority.lastIndexOf('@');
    if (at >= 0) url.userinfo = userinfo(authority.slice(0, at), fail);
    url.host = host(authority.slice(at + 1), fail);
  }
  url.path = decode(rest, fail);
  return url;
}

function host(text: string, fail: (why: string) => GoError): string {
  const port = /:([^\]:]*)$/.exec(text);
  if (port && !/^[0-9]*$/.test(port[1]!)) throw fail(`invalid port ${goQuote(port[0])} after host`);
  if (text.includes(' ')) throw fail(`invalid character ${goQuote(' ')} in host name`);
  return decode(text, fail);
}

function userinfo(text: string, fail: (why: string) => GoError): string {
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(text)) throw fail('net/url: invalid userinfo');
  return text
    .split(':')
    .map(part => encode(decode(part, fail), userLetters))
    .join(':');
}

function decode(text: string, fail: (why: string) => GoError): string {
  const broken = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(text);
  if (broken) throw fail(`invalid URL escape ${goQuote(broken[0])}`);
  if (!text.includes('%')) return text;
  const bytes: number[] = [];
  const raw = toBytes(text);
  for (let i = 0; i < raw.length; i++) {
    if (raw[i] !== 37) bytes.push(raw[i]!);
    else {
      bytes.push(Number.parseInt(String.fromCharCode(raw[i + 1]!, raw[i + 2]!), 16));
      i += 2;
    }
  }
  return fromBytes(Buffer.from(bytes));
}

const userLetters = /[A-Za-z0-9\-_.~$&+,;=]/;
const pathLetters = /[A-Za-z0-9\-_.~$&+,/:;=@]/;
const fragmentLetters = /[A-Za-z0-9\-_.~$&+,/:;=?@!()*]/;

function encode(text: string, allowed: RegExp): string {
  return [...toBytes(text)]
    .map(byte => {
      const char = String.fromCharCode(byte);
      return allowed.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

function printUrl(url: Url): string {
  let out = url.scheme === '' ? '' : `${url.scheme}:`;
  if (url.opaque !== '') out += url.opaque;
  else {
    if (url.scheme !== '' || url.host !== '' || url.userinfo !== '') {
      if (url.host !== '' || url.path !== '' || url.userinfo !== '') out += '//';
      if (url.userinfo !== '') out += `${url.userinfo}@`;
      out += url.host;
    }
    const path = encode(url.path, pathLetters);
    if (path !== '' && !path.startsWith('/') && url.host !== '') out += '/';
    if (out === '' && path.split('/', 1)[0]!.includes(':')) out += './';
    out += path;
  }
  if (url.query !== '') out += `?${url.query}`;
  return url.fragment === '' ? out : `${out}#${encode(url.fragment, fragmentLetters)}`;
}

function hostname(text: string): string {
  const withoutPort = text.replace(/:[0-9]*$/, '');
  return withoutPort.startsWith('[') && withoutPort.endsWith(']') ? withoutPort.slice(1, -1) : withoutPort;
}

function partOf(parts: GoMap, key: string): string {
  const value = parts.get(key);
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  if (value === null) throw new GoError('runtime error: invalid memory address or nil pointer dereference');
  throw new GoError(`unable to parse ${key} key, must be of type string, but ${typeOf(value).kind} found`);
}

export const urlFunctions: Readonly<Record<string, GoFunction>> = {
  urlParse: fn(['string'], text => {
    const url = parseUrl(text);
    return new Map(Object.entries({ ...url, hostname: hostname(url.host) }));
  }),
  urlJoin: fn(['map'], parts => {
    const user = partOf(parts, 'userinfo');
    return printUrl({
      scheme: partOf(parts, 'scheme'),
      host: partOf(parts, 'host'),
      path: partOf(parts, 'path'),
      query: partOf(parts, 'query'),
      opaque: partOf(parts, 'opaque'),
      fragment: partOf(parts, 'fragment'),
      userinfo: user === '' ? '' : parseUrl(`proto://${user}@host`).userinfo,
    });
  }),
};
