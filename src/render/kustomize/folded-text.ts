import { YamlParser } from '../../yaml/yaml-parser.ts';

// What cannot be printed keeps a text out of blocks; so do blanks before a line's end.
const cannotBeBlock = /^$|[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]| $| [\n\r\u0085\u2028\u2029]/u;

/**
 * What becomes of a folded text when Go's yaml.v3 writes it and reads it again, which is not always the same text: a line that is indented further
 * moves away from the one before.
 */
export function refold(text: string): string {
  if (cannotBeBlock.test(text)) return text;
  const parser = new YamlParser(`a: >${hints(text)}\n${fold(text)}`);
  for (;;) {
    const event = parser.next();
    if (event.kind === 'scalar' && event.quotes === 'folded') return event.value;
    if (event.kind === 'document-end' || event.kind === 'end-of-stream') return text;
  }
}

function hints(text: string): string {
  const indent = /^[ \n]/.test(text) ? '2' : '';
  if (!text.endsWith('\n')) return `${indent}-`;
  return text === '\n' || text.endsWith('\n\n') ? `${indent}+` : indent;
}

function fold(text: string): string {
  // The library looks at the beginning of the whole text where it means the next line.
  const beginsBlank = /^\n*(?:[ \t]|$)/.test(text);
  let written = '';
  let followsBreak = true;
  let isIndented = true;
  for (const char of text) {
    if (char === '\n') {
      if (!followsBreak && !isIndented && !beginsBlank) written += '\n';
      written += '\n';
      followsBreak = true;
      continue;
    }
    if (followsBreak) {
      written += '  ';
      isIndented = char === ' ' || char === '\t';
    }
    written += char;
    followsBreak = false;
  }
  return written.endsWith('\n') ? written : `${written}\n`;
}
