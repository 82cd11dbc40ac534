import { goQuote } from '../../util/go-quote.ts';

export type TokenType =
  | 'error'
  | 'bool'
  | 'char'
  | 'charConstant'
  | 'complex'
  | 'assign'
  | 'declare'
  | 'eof'
  | 'field'
  | 'identifier'
  | 'leftDelim'
  | 'leftParen'
  | 'number'
  | 'pipe'
  | 'rawString'
  | 'rightDelim'
  | 'rightParen'
  | 'space'
  | 'string'
  | 'text'
  | 'variable'
  | 'dot'
  | Keyword;

export type Keyword = 'block' | 'break' | 'continue' | 'define' | 'else' | 'end' | 'if' | 'range' | 'nil' | 'template' | 'with';

export const keywords: ReadonlySet<string> = new Set<Keyword>([
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'range',
  'nil',
  'template',
  'with',
]);

export interface Token {
  readonly type: TokenType;
  readonly pos: number;
  readonly value: string;
  readonly line: number;
}

/** A token as error messages show it. */
export function printToken({ type, value }: Token): string {
  if (type === 'eof') return 'EOF';
  if (type === 'error') return value;
  if (keywords.has(type) || type === 'dot') return `<${value}>`;
  const letters = [...value];
  return letters.length > 10 ? `${goQuote(letters.slice(0, 10).join(''))}...` : goQuote(value);
}
