import type { YAMLError } from 'yaml';

/** What go-yaml says to some of the faults our parser finds, and whether its scanner or its parser finds them. */
const goFaults: Readonly<Record<string, readonly [message: string, isScanner: boolean]>> = {
  BLOCK_AS_IMPLICIT_KEY: ['mapping values are not allowed in this context', true],
  TAB_AS_INDENT: ['found character that cannot start any token', true],
  BAD_ALIAS: ['did not find expected alphabetic or numeric character', true],
  MISSING_CHAR: ["did not find expected ',' or ']'", false],
  BAD_INDENT: ['did not find expected key', false],
};

/** A fault in YAML text in the words of go-yaml, which names lines from the second on. */
export function yamlFault({ code, message, pos: [position] }: YAMLError, text: string): string {
  const [words, isScanner] = goFaults[code] ?? [message.split('\n', 1)[0]!, false];
  const line = text.slice(0, position).split('\n').length - 1;
  if (line === 0) return words;
  return `line ${isScanner ? line + 1 : line}: ${words}`;
}
