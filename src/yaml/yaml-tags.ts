import { faultAt, type Mark, type YamlCursor, type YamlError } from './yaml-cursor.ts';
import type { Token } from './yaml-scanner.ts';

const uriCharacter = /[0-9A-Za-z_\-;/?:@&=+$,.!~*'()[\]%]/;
const maxVersionDigits = 2;

/** `%YAML 1.1` or `%TAG ! prefix`. */
export function scanDirective(cursor: YamlCursor): Token {
  const start = cursor.mark;
  const fault = (problem: string) => faultAt(problem, cursor.mark, start, true);
  cursor.skip();
  let name = '';
  while (cursor.isWord()) name += cursor.read();
  if (name === '') throw fault('could not find expected directive name');
  if (!cursor.isBlankOrEnd()) throw fault('found unexpected non-alphabetical character');
  let token: Token;
  if (name === 'YAML') token = scanVersion(cursor, start, fault);
  else if (name === 'TAG') token = scanTagDirective(cursor, start, fault);
  else throw fault('found unknown directive name');
  cursor.skipBlanks();
  cursor.skipComment();
  if (!cursor.isBreakOrEnd()) throw fault('did not find expected comment or line break');
  if (cursor.isBreak()) cursor.readBreak();
  return token;
}

type Fault = (problem: string) => YamlError;

function scanVersion(cursor: YamlCursor, start: Mark, fault: Fault): Token {
  cursor.skipBlanks();
  const major = readNumber(cursor, fault);
  if (cursor.peek() !== '.') throw fault("did not find expected digit or '.' character");
  cursor.skip();
  const minor = readNumber(cursor, fault);
  return { kind: 'version', start, end: cursor.mark, version: `${major}.${minor}` };
}

function readNumber(cursor: YamlCursor, fault: Fault): number {
  let digits = '';
  while (/[0-9]/.test(cursor.peek())) {
    if (digits.length >= maxVersionDigits) throw fault('found extremely long version number');
    digits += cursor.read();
  }
  if (digits === '') throw fault('did not find expected version number');
  return Number(digits);
}

function scanTagDirective(cursor: YamlCursor, start: Mark, fault: Fault): Token {
  cursor.skipBlanks();
  const value = readHandle(cursor, fault);
  if (!value.endsWith('!')) throw fault("did not find expected '!'");
  if (!cursor.isBlank()) throw fault('did not find expected whitespace');
  cursor.skipBlanks();
  const suffix = readUri(cursor, '', fault);
  if (!cursor.isBlankOrEnd()) throw fault('did not find expected whitespace or line break');
  return { kind: 'tag-directive', start, end: cursor.mark, value, suffix };
}

/** `!name`, `!handle!name` or `!<uri>`. The handle is '' when the suffix is the whole tag. */
export function scanTag(cursor: YamlCursor): Token {
  const start = cursor.mark;
  const fault = (problem: string) => faultAt(problem, cursor.mark, start, true);
  let value = '';
  let suffix: string;
  if (cursor.peek(1) === '<') {
    cursor.skip(2);
    suffix = readUri(cursor, '', fault);
    if (cursor.peek() !== '>') throw fault("did not find the expected '>'");
    cursor.skip();
  } else {
    const handle = readHandle(cursor, fault);
    if (handle.length > 1 && handle.endsWith('!')) {
      value = handle;
      suffix = readUri(cursor, '', fault);
    } else {
      suffix = readUri(cursor, handle, fault);
      value = suffix === '' ? '' : '!';
      if (suffix === '') suffix = '!';
    }
  }
  if (!cursor.isBlankOrEnd()) throw fault('did not find expected whitespace or line break');
  return { kind: 'tag', start, end: cursor.mark, value, suffix };
}

function readHandle(cursor: YamlCursor, fault: Fault): string {
  if (cursor.peek() !== '!') throw fault("did not find expected '!'");
  let handle = cursor.read();
  while (cursor.isWord()) handle += cursor.read();
  if (cursor.peek() === '!') handle += cursor.read();
  return handle;
}

function readUri(cursor: YamlCursor, head: string, fault: Fault): string {
  let uri = head.slice(1);
  let isEmpty = head === '';
  while (uriCharacter.test(cursor.peek())) {
    uri += cursor.peek() === '%' ? readOctets(cursor, fault) : cursor.read();
    isEmpty = false;
  }
  if (isEmpty) throw fault('did not find expected tag URI');
  return uri;
}

/** The escaped octets of one character. */
function readOctets(cursor: YamlCursor, fault: Fault): string {
  const octets: number[] = [];
  let left = 1;
  while (left-- > 0) {
    const digits = `${cursor.peek(1)}${cursor.peek(2)}`;
    if (cursor.peek() !== '%' || !/^[0-9a-fA-F]{2}$/.test(digits)) throw fault('did not find URI escaped octet');
    const octet = Number.parseInt(digits, 16);
    if (octets.length === 0) {
      left = octet < 0x80 ? 0 : (octet & 0xe0) === 0xc0 ? 1 : (octet & 0xf0) === 0xe0 ? 2 : (octet & 0xf8) === 0xf0 ? 3 : -1;
      if (left < 0) throw fault('found an incorrect leading UTF-8 octet');
    } else if ((octet & 0xc0) !== 0x80) throw fault('found an incorrect trailing UTF-8 octet');
    octets.push(octet);
    cursor.skip(3);
  }
  return Buffer.from(octets).toString('utf8');
}
