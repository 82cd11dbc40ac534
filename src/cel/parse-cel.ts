import { CelIssues } from './cel-issues.ts';
import { operandStart, tokenize, type Token } from './tokenize-cel.ts';

/** The syntax tree of an expression. `pos` is where the real compiler points when something is wrong with the node. */
export type Expr =
  | { readonly op: 'literal'; readonly pos: number; readonly value: Literal }
  | { readonly op: 'ident'; readonly pos: number; readonly name: string }
  | { readonly op: 'select'; readonly pos: number; readonly operand: Expr; readonly field: string; readonly optional: boolean }
  | { readonly op: 'index'; readonly pos: number; readonly operand: Expr; readonly index: Expr; readonly optional: boolean }
  | { readonly op: 'call'; readonly pos: number; readonly name: string; readonly target: Expr | undefined; readonly args: readonly Expr[] }
  | { readonly op: 'list'; readonly pos: number; readonly items: readonly { readonly value: Expr; readonly optional: boolean }[] }
  | { readonly op: 'map'; readonly pos: number; readonly entries: readonly MapEntry[] }
  | { readonly op: 'struct'; readonly pos: number; readonly name: string; readonly entries: readonly StructEntry[] };

export interface MapEntry {
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface StructEntry {
  readonly field: string;
  readonly pos: number;
  readonly value: Expr;
  readonly optional: boolean;
}

export type Literal =
  | { readonly type: 'int'; readonly value: bigint }
  | { readonly type: 'uint'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'null' };

const maxDepth = 250;
const reserved = new Set('as break const continue else for function if import let loop package namespace return var void while'.split(' '));
const maxInt = 9223372036854775807n;

const binaryLevels: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!=', '<', '<=', '>', '>=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];
/** How the compiler names operators in its messages. */
const operatorNames: Readonly<Record<string, string>> = Object.fromEntries(
  ['||', '&&', '==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%'].map(op => [op, `_${op}_`]).concat([['in', '@in']]),
);

/** Parses an expression; throws CelIssues that print as the real compiler's errors do. */
export function parseCel(source: string): Expr {
  return new Parser(source).parse();
}

class Parser {
  readonly #source: string;
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
    this.#tokens = tokenize(source);
  }

  parse(): Expr {
    const expr = this.#ternary();
    if (this.#next.kind !== 'end') throw this.#fail(`extraneous input '${this.#next.text}' expecting <EOF>`);
    return expr;
  }

  get #next(): Token {
    return this.#tokens[this.#at]!;
  }

  #take(): Token {
    const token = this.#next;
    if (token.kind !== 'end') this.#at++;
    return token;
  }

  #accept(text: string): Token | undefined {
    return this.#next.kind === 'punct' && this.#next.text === text ? this.#take() : undefined;
  }

  #expect(text: string): Token {
    const token = this.#accept(text);
    if (!token) throw this.#fail(`mismatched input '${this.#next.text}' expecting '${text}'`);
    return token;
  }

  #fail(detail: string, pos = this.#next.pos): CelIssues {
    return new CelIssues(this.#source, [{ pos, message: `Syntax error: ${detail}` }]);
  }

  #ternary(): Expr {
    if (++this.#depth > maxDepth)
      throw new CelIssues(this.#source, [{ pos: this.#next.pos, message: `expression recursion limit exceeded: ${maxDepth}` }]);
    const condition = this.#binary(0);
    const question = this.#accept('?');
    let expr = condition;
    if (question) {
      const then = this.#binary(0);
      this.#expect(':');
      expr = { op: 'call', pos: question.pos, name: '_?_:_', target: undefined, args: [condition, then, this.#ternary()] };
    }
    this.#depth--;
    return expr;
  }

  #binary(level: number): Expr {
    const operators = binaryLevels[level];
    if (!operators) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const token = this.#next;
      const isOperator = (token.kind === 'punct' || (token.kind === 'ident' && token.text === 'in')) && operators.includes(token.text);
      if (!isOperator) return left;
      this.#take();
      left = { op: 'call', pos: token.pos, name: operatorNames[token.text]!, target: undefined, args: [left, this.#binary(level + 1)] };
    }
  }

  #unary(): Expr {
    const token = this.#next;
    if (token.kind === 'punct' && (token.text === '!' || token.text === '-')) {
      this.#take();
      const number = this.#next;
      if (token.text === '-' && (number.kind === 'int' || number.kind === 'double') && !isRepeated(this.#tokens[this.#at - 2], '-')) {
        this.#take();
        return this.#member(this.#negative(number, token.pos));
      }
      if (++this.#depth > maxDepth)
        throw new CelIssues(this.#source, [{ pos: token.pos, message: `expression recursion limit exceeded: ${maxDepth}` }]);
      const operand = this.#unary();
      this.#depth--;
      return { op: 'call', pos: token.pos, name: token.text === '!' ? '!_' : '-_', target: undefined, args: [operand] };
    }
    return this.#member(this.#primary());
  }

  #negative(token: Token, pos: number): Expr {
    if (token.kind === 'double') return { op: 'literal', pos, value: { type: 'double', value: -Number(token.text) } };
    const value = -BigInt(token.text);
    if (value < -maxInt - 1n) throw this.#fail('invalid int literal', pos);
    return { op: 'literal', pos, value: { type: 'int', value } };
  }

  #member(start: Expr): Expr {
    let expr = start;
    for (;;) {
      const dot = this.#accept('.');
      if (dot) {
        const optional = this.#accept('?') !== undefined;
        const name = this.#take();
        if (name.kind !== 'ident' && name.kind !== 'quoted')
          throw this.#fail(`no viable alternative at input '.${name.kind === 'end' ? '' : name.text}'`, name.pos);
        const open = name.kind === 'ident' && !optional ? this.#accept('(') : undefined;
        expr = open
          ? { op: 'call', pos: open.pos, name: name.text, target: expr, args: this.#arguments(')') }
          : { op: 'select', pos: dot.pos, operand: expr, field: name.text, optional };
        continue;
      }
      const bracket = this.#accept('[');
      if (bracket) {
        const optional = this.#accept('?') !== undefined;
        const index = this.#ternary();
        this.#expect(']');
        expr = { op: 'index', pos: bracket.pos, operand: expr, index, optional };
        continue;
      }
      const brace = this.#next.kind === 'punct' && this.#next.text === '{' ? typeName(expr) : undefined;
      if (brace === undefined) return expr;
      const open = this.#take();
      expr = { op: 'struct', pos: open.pos, name: brace, entries: this.#structEntries() };
    }
  }

  #arguments(close: string): Expr[] {
    const args: Expr[] = [];
    if (this.#accept(close)) return args;
    do args.push(this.#ternary());
    while (this.#accept(','));
    this.#expect(close);
    return args;
  }

  #primary(): Expr {
    const token = this.#take();
    switch (token.kind) {
      case 'int': {
        const value = BigInt(token.text);
        if (value > maxInt) throw this.#fail('invalid int literal', token.pos);
        return { op: 'literal', pos: token.pos, value: { type: 'int', value } };
      }
      case 'uint':
        return { op: 'literal', pos: token.pos, value: { type: 'uint', value: BigInt(token.text) } };
      case 'double':
        return { op: 'literal', pos: token.pos, value: { type: 'double', value: Number(token.text) } };
      case 'string':
        return { op: 'literal', pos: token.pos, value: { type: 'string', value: token.text } };
      case 'bytes':
        return { op: 'literal', pos: token.pos, value: { type: 'bytes', value: token.bytes ?? new Uint8Array() } };
      case 'ident':
        return this.#identifier(token, '');
      case 'punct':
        if (token.text === '(') {
          const inner = this.#ternary();
          this.#expect(')');
          return inner;
        }
        if (token.text === '[') return { op: 'list', pos: token.pos, items: this.#listItems() };
        if (token.text === '{') return { op: 'map', pos: token.pos, entries: this.#mapEntries() };
        if (token.text === '.' && this.#next.kind === 'ident') return this.#identifier(this.#take(), '.');
    }
    // ANTLR calls a token extraneous when all would be well without it.
    const how = token.kind !== 'end' && canStartOperand(this.#next) ? 'extraneous' : 'mismatched';
    throw this.#fail(`${how} input '${token.kind === 'quoted' ? `\`${token.text}\`` : token.text}' expecting ${operandStart}`, token.pos);
  }

  #identifier(token: Token, prefix: string): Expr {
    const literal = { true: true, false: false }[token.text];
    if (literal !== undefined) return { op: 'literal', pos: token.pos, value: { type: 'bool', value: literal } };
    if (token.text === 'null') return { op: 'literal', pos: token.pos, value: { type: 'null' } };
    if (token.text === 'in') throw this.#fail(`extraneous input 'in' expecting ${operandStart}`, token.pos);
    if (reserved.has(token.text)) throw new CelIssues(this.#source, [{ pos: token.pos, message: `reserved identifier: ${token.text}` }]);
    const open = this.#accept('(');
    if (open) return { op: 'call', pos: open.pos, name: prefix + token.text, target: undefined, args: this.#arguments(')') };
    return { op: 'ident', pos: token.pos, name: prefix + token.text };
  }

  #listItems(): { value: Expr; optional: boolean }[] {
    const items: { value: Expr; optional: boolean }[] = [];
    while (!this.#accept(']')) {
      const optional = this.#accept('?') !== undefined;
      items.push({ value: this.#ternary(), optional });
      if (!this.#accept(',')) {
        this.#expect(']');
        break;
      }
    }
    return items;
  }

  #mapEntries(): MapEntry[] {
    const entries: MapEntry[] = [];
    while (!this.#accept('}')) {
      const optional = this.#accept('?') !== undefined;
      const key = this.#ternary();
      this.#expect(':');
      entries.push({ key, value: this.#ternary(), optional });
      if (!this.#accept(',')) {
        this.#expect('}');
        break;
      }
    }
    return entries;
  }

  #structEntries(): StructEntry[] {
    const entries: StructEntry[] = [];
    while (!this.#accept('}')) {
      const optional = this.#accept('?') !== undefined;
      const field = this.#take();
      if (field.kind !== 'ident' && field.kind !== 'quoted')
        throw this.#fail(`mismatched input '${field.text}' expecting IDENTIFIER`, field.pos);
      const colon = this.#expect(':');
      entries.push({ field: field.text, pos: colon.pos, value: this.#ternary(), optional });
      if (!this.#accept(',')) {
        this.#expect('}');
        break;
      }
    }
    return entries;
  }
}

function canStartOperand({ kind, text }: Token): boolean {
  if (kind === 'punct') return ['[', '{', '(', '.', '-', '!'].includes(text);
  return kind !== 'end' && kind !== 'quoted' && text !== 'in';
}

function isRepeated(token: Token | undefined, text: string): boolean {
  return token?.kind === 'punct' && token.text === text;
}

function typeName(expr: Expr): string | undefined {
  if (expr.op === 'ident') return expr.name;
  if (expr.op !== 'select' || expr.optional) return undefined;
  const parent = typeName(expr.operand);
  return parent === undefined ? undefined : `${parent}.${expr.field}`;
}
