import { randomInt } from 'node:crypto';

const isUpper = (char: string): boolean => /^\p{Lu}$/u.test(char);
const isLower = (char: string): boolean => /^\p{Ll}$/u.test(char);
const isLetter = (char: string): boolean => /^\p{L}$/u.test(char);
const isSpace = (char: string): boolean => /^\p{White_Space}$/u.test(char);
const isConnector = (char: string): boolean => char === '-' || char === '_' || isSpace(char);
const isNumber = (char: string): boolean => /^\p{N}$/u.test(char);
const isPunctuation = (char: string): boolean => /^\p{P}$/u.test(char);
/** One letter for one: Go does not let a letter grow when its case changes. */
const one = (char: string, changed: string): string => ([...changed].length === 1 ? changed : char);
const upper = (char: string): string => one(char, char.toUpperCase());
const lower = (char: string): string => (char === 'İ' ? 'i' : one(char, char.toLowerCase()));
const isAscii = /^[\x00-\x7f]*$/;

export const upperCase = (text: string): string => (isAscii.test(text) ? text.toUpperCase() : [...text].map(upper).join(''));
export const lowerCase = (text: string): string => (isAscii.test(text) ? text.toLowerCase() : [...text].map(lower).join(''));

/** strings.Title: the first letter of every word, where a word ends at anything that is no letter, digit or underscore. */
export function titleCase(text: string): string {
  let previous = ' ';
  return [...text]
    .map(char => {
      const isStart = isSeparator(previous);
      previous = char;
      return isStart ? upper(char) : char;
    })
    .join('');
}

function isSeparator(char: string): boolean {
  if (char <= '\x7f') return !/[0-9A-Za-z_]/.test(char);
  return !isLetter(char) && !/^\p{Nd}$/u.test(char) && isSpace(char);
}

export function uncapitalize(text: string): string {
  let isStart = true;
  return [...text]
    .map(char => {
      if (isSpace(char)) {
        isStart = true;
        return char;
      }
      const changed = isStart ? lower(char) : char;
      isStart = false;
      return changed;
    })
    .join('');
}

export function swapCase(text: string): string {
  return [...text].map(char => (isUpper(char) || /^\p{Lt}$/u.test(char) ? lower(char) : isLower(char) ? upper(char) : char)).join('');
}

export function shuffle(text: string): string {
  const letters = [...text];
  for (let i = letters.length - 1; i > 0; i--) {
    const j = randomInt(i + 1);
    [letters[i], letters[j]] = [letters[j]!, letters[i]!];
  }
  return letters.join('');
}

/** FirstWord: connectors go, the letter after them grows; leading connectors stay. */
export function pascalCase(text: string): string {
  const letters = [...text];
  let at = 0;
  let out = '';
  while (at < letters.length && isConnector(letters[at]!)) out += letters[at++];
  // Its model writes the last connector twice when there is nothing else.
  if (at === letters.length) return out + (letters.at(-1) ?? '');
  let isCapital = isUpper(letters[at]!);
  let previous = upper(letters[at++]!);
  for (; at < letters.length; at++) {
    let char = letters[at]!;
    if (isConnector(char) && isConnector(previous)) {
      out += previous;
      continue;
    }
    if (isConnector(previous)) {
      isCapital = isUpper(char);
      char = upper(char);
    } else {
      if (isCapital && isUpper(char)) char = lower(char);
      else isCapital = false;
      out += previous;
    }
    previous = char;
  }
  return out + previous;
}

export const snakeCase = (text: string): string => joinWords(text, '_');
export const kebabCase = (text: string): string => joinWords(text, '-');

type WordType = 'none' | 'connector' | 'punctuation' | 'upper' | 'letters' | 'number' | 'other';
interface Word {
  readonly type: WordType;
  readonly text: string;
}

/** Cuts a text where its case or the sort of its letters changes: `HTTPStatus2xx` is `HTTP`, `Status`, `2`, `xx`. */
function* wordsOf(text: string): Generator<Word> {
  const letters = [...text];
  let at = 0;
  const take = (from: number, test: (char: string) => boolean): number => {
    let end = from;
    while (end < letters.length && test(letters[end]!)) end++;
    return end;
  };
  while (at < letters.length) {
    const char = letters[at]!;
    let type: WordType = 'other';
    let end = at + 1;
    if (isConnector(char)) [type, end] = ['connector', take(end, isConnector)];
    else if (isPunctuation(char)) [type, end] = ['punctuation', take(end, isPunctuation)];
    else if (isUpper(char)) [type, end] = ['upper', endOfCapitals(letters, at, take)];
    else if (isLetter(char)) [type, end] = ['letters', take(end, one => isLetter(one) && !isUpper(one))];
    else if (isNumber(char)) [type, end] = ['number', take(end, isNumber)];
    else end = take(end, one => !isConnector(one) && !isLetter(one) && !isNumber(one) && !isPunctuation(one));
    yield { type, text: letters.slice(at, end).join('') };
    at = end;
  }
}

function endOfCapitals(letters: readonly string[], at: number, take: (from: number, test: (char: string) => boolean) => number): number {
  const next = letters[at + 1];
  if (next === undefined || !isLetter(next)) return at + 1;
  if (!isUpper(next)) return take(at + 1, one => isLetter(one) && !isUpper(one));
  const end = take(at + 1, isUpper);
  return end < letters.length && isLetter(letters[end]!) ? end - 1 : end;
}

function joinWords(text: string, connector: string): string {
  const words = [...wordsOf(text)];
  let at = 0;
  let out = '';
  const next = (): Word => words[at++] ?? { type: 'none', text: '' };
  const isMore = (): boolean => at < words.length;
  const write = ({ type, text: word }: Word): void => {
    if (type === 'upper') out += [...word].map(lower).join('');
    else out += type === 'connector' ? [...word].map(() => connector).join('') : word;
  };
  const breaks = ({ type }: Word): boolean => type !== 'connector' && type !== 'punctuation';
  const writeRun = (from: Word): Word => {
    let word = from;
    while (word.type === 'letters' || word.type === 'number') {
      write(word);
      word = next();
    }
    return word;
  };

  let word = next();
  while (isMore()) {
    if (word.type !== 'connector') write(word);
    const previous = word;
    word = next();
    if (previous.type === 'number') {
      word = writeRun(word);
      if (word.type !== 'none' && breaks(word)) out += connector;
    } else if (previous.type === 'connector') write(previous);
    else if (previous.type !== 'punctuation') {
      if (word.type !== 'number') {
        if (breaks(word)) out += connector;
        continue;
      }
      if (!isMore()) continue;
      // A number belongs to the word before it (Bld4Floor), unless small letters follow (HTTP2xx).
      const number = word;
      word = next();
      if (word.type !== 'letters') {
        write(number);
        if (breaks(word)) out += connector;
        continue;
      }
      out += connector;
      write(number);
      word = writeRun(word);
      if (word.type !== 'none' && breaks(word)) out += connector;
    }
  }
  write(word);
  return out;
}
