import { invalid, type FieldError } from './field-error.ts';
import { isLabelValue, isQualifiedName } from './names.ts';

/** `exists` is the bare key, `!` its absence. */
export type Operator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | '>' | '<';

export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

export class SelectorSyntaxError extends Error {
  override name = 'SelectorSyntaxError';
}

type TokenType = 'end' | 'error' | 'identifier' | ')' | ',' | '!' | '==' | '=' | '>' | 'in' | '<' | '!=' | 'notin' | '(';
interface Token {
  readonly type: TokenType;
  readonly text: string;
}

const symbols: ReadonlySet<string> = new Set([')', ',', '!', '==', '=', '>', '<', '!=', '(']);
const isSymbolCharacter = (c: string | undefined) => c !== undefined && '=!(),><'.includes(c);
const isSpace = (c: string | undefined) => c === ' ' || c === '\t' || c === '\r' || c === '\n';

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  for (;;) {
    while (isSpace(text[position])) position++;
    if (position >= text.length || text[position] === '\0') break;
    const token = isSymbolCharacter(text[position]) ? symbolAt(text, position) : wordAt(text, position);
    position += token.length;
    tokens.push(token);
  }
  tokens.push({ type: 'end', text: '' });
  return tokens;
}

// The longest run of symbol characters that is a symbol, or an error naming the whole run.
function symbolAt(text: string, start: number): Token & { length: number } {
  let found = '';
  let end = start;
  while (isSymbolCharacter(text[end])) {
    const run = text.slice(start, end + 1);
    if (symbols.has(run)) found = run;
    else if (found !== '') break;
    end++;
  }
  if (found === '') return { type: 'error', text: `error expected: keyword found '${text.slice(start, end)}'`, length: end - start };
  return { type: found as TokenType, text: found, length: found.length };
}

function wordAt(text: string, start: number): Token & { length: number } {
  let end = start;
  while (end < text.length && !isSymbolCharacter(text[end]) && !isSpace(text[end])) end++;
  const word = text.slice(start, end);
  return { type: word === 'in' || word === 'notin' ? word : 'identifier', text: word, length: end - start };
}

/** Requirements sorted by key. Throws SelectorSyntaxError with the words of the API. */
export function parseRequirements(text: string): Requirement[] {
  const tokens = tokenize(text);
  let position = 0;
  // Where a value may stand, the words `in` and `notin` are values.
  const asValue = (token: Token | undefined): Token => {
    if (token === undefined) return { type: 'end', text: '' };
    return token.type === 'in' || token.type === 'notin' ? { type: 'identifier', text: token.text } : token;
  };
  const peek = () => asValue(tokens[position]);
  const take = () => asValue(tokens[position++]);
  const fail = (message: string): never => {
    throw new SelectorSyntaxError(message);
  };

  const requirements: Requirement[] = [];
  for (;;) {
    const token = peek();
    if (token.type === 'end') break;
    if (token.type !== 'identifier' && token.type !== '!') fail(`found '${token.text}', expected: !, identifier, or 'end of string'`);
    try {
      requirements.push(parseRequirement());
    } catch (e) {
      if (!(e instanceof SelectorSyntaxError)) throw e;
      fail(`unable to parse requirement: ${e.message}`);
    }
    const next = take();
    if (next.type === 'end') break;
    if (next.type !== ',') fail(`found '${next.text}', expected: ',' or 'end of string'`);
    const after = peek();
    if (after.type !== 'identifier' && after.type !== '!') fail(`found '${after.text}', expected: identifier after ','`);
  }
  return requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));

  function parseRequirement(): Requirement {
    let token = take();
    const isNegated = token.type === '!';
    if (isNegated) token = take();
    if (token.type !== 'identifier') fail(`found '${token.text}', expected: identifier`);
    const key = token.text;
    const keyProblems = isQualifiedName(key);
    if (keyProblems.length > 0) fail(`<nil>: ${invalid('', key, keyProblems.join('; ')).message}`);
    const { type } = peek();
    if (isNegated) return checked({ key, operator: '!', values: [] });
    if (type === 'end' || type === ',') return checked({ key, operator: 'exists', values: [] });
    const operator = parseOperator();
    const values = operator === 'in' || operator === 'notin' ? parseValues() : parseExactValue();
    return checked({ key, operator, values: [...new Set(values)].sort() });
  }

  function parseOperator(): Operator {
    const token = tokens[position++] ?? { type: 'end', text: '' };
    switch (token.type) {
      case 'in':
      case 'notin':
      case '=':
      case '==':
      case '!=':
      case '>':
      case '<':
        return token.type;
      default:
        return fail(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  function parseValues(): string[] {
    const open = take();
    if (open.type !== '(') fail(`found '${open.text}' expected: '('`);
    const first = peek();
    if (first.type === ')') {
      take();
      return [''];
    }
    if (first.type !== 'identifier' && first.type !== ',') fail(`found '${first.text}', expected: ',', ')' or identifier`);
    const values = parseIdentifiers();
    if (take().type !== ')') fail(`found '${first.text}', expected: ')'`);
    return values;
  }

  function parseIdentifiers(): string[] {
    const values: string[] = [];
    for (;;) {
      const token = take();
      if (token.type === 'identifier') {
        values.push(token.text);
        const next = peek();
        if (next.type === ')') return values;
        if (next.type !== ',') fail(`found '${next.text}', expected: ',' or ')'`);
        continue;
      }
      if (token.type !== ',') fail(`found '${token.text}', expected: ',', or identifier`);
      if (values.length === 0) values.push('');
      const next = peek().type;
      if (next === ')' || next === ',') values.push('');
      if (next === ')') return values;
    }
  }

  function parseExactValue(): string[] {
    const { type } = peek();
    if (type === 'end' || type === ',') return [''];
    const token = take();
    if (token.type !== 'identifier') fail(`found '${token.text}', expected: identifier`);
    return [token.text];
  }
}

function checked(requirement: Requirement): Requirement {
  const errors: FieldError[] = [];
  const { key, operator, values } = requirement;
  if (operator === '>' || operator === '<')
    for (const [i, value] of values.entries())
      if (!/^[+-]?[0-9]+$/.test(value))
        errors.push(invalid(`values[${i}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer"));
  for (const [i, value] of values.entries()) {
    const problems = isLabelValue(value);
    if (problems.length > 0) errors.push(invalid(`values[${i}][${key}]`, value, problems.join('; ')));
  }
  if (errors.length === 0) return requirement;
  const lines = errors.map(e => `${e.field}: ${e.message}`);
  throw new SelectorSyntaxError(lines.length === 1 ? lines.join('') : `[${lines.join(', ')}]`);
}

type Labels = Readonly<Record<string, string>> | undefined;

/** Whether labels satisfy all requirements of a query such as `a=b,c in (d,e)`. Throws SelectorSyntaxError. */
export function matchesLabelQuery(query: string, labels: Labels): boolean {
  return parseRequirements(query).every(requirement => requirementMatches(requirement, labels));
}

export function requirementMatches({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value);
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case '>':
    case '<':
      return comparesTo(value, operator, values);
  }
}

function comparesTo(value: string | undefined, operator: '>' | '<', values: readonly string[]): boolean {
  const bound = values[0];
  if (value === undefined || bound === undefined || !/^[+-]?[0-9]+$/.test(value)) return false;
  return operator === '>' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
}
