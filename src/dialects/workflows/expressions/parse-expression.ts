import { ExpressionError } from './expression-error.ts';
import { functors, methods, type ExpressionNode, type Functor, type Method, type Operator } from './expression-node.ts';
import { nextToken, type Token } from './tokenize.ts';

const maxDepth = 32;
const maxLength = 16_384;

/** The weakest first. */
const levels: readonly (readonly Operator[])[] = [['||'], ['&&'], ['==', '!='], ['<=', '>=', '<', '>']];

export interface Parsed {
  readonly node: ExpressionNode;
  /** Where the text after it begins. */
  readonly end: number;
}

/** Reads what stands between `${` and `}`; `from` is where it begins, and the answer ends after the `}`. Throws ExpressionError. */
export function parseEmbedded(source: string, from: number): Parsed {
  const parser = new Parser(source, from, false);
  const node = parser.value(0);
  return { node, end: parser.expect('}') };
}

/** Reads a whole text as a condition: also with comparisons, and with `${…}` around its parts. Throws ExpressionError. */
export function parseCondition(source: string): ExpressionNode {
  const parser = new Parser(source, 0, true);
  const node = parser.condition(0, 0);
  parser.expectEnd();
  return node;
}

class Parser {
  readonly #source: string;
  readonly #from: number;
  readonly #isCondition: boolean;
  #token: Token;

  constructor(source: string, from: number, isCondition: boolean) {
    this.#source = source;
    this.#from = from;
    this.#isCondition = isCondition;
    this.#token = nextToken(source, from);
  }

  condition(level: number, depth: number): ExpressionNode {
    this.#bound(depth);
    const signs = levels[level];
    if (!signs) return this.#negated(depth);
    let left = this.condition(level + 1, depth);
    for (let sign = this.#operator(signs); sign !== undefined; sign = this.#operator(signs)) {
      const at = this.#next().at;
      left = { kind: 'binary', operator: sign, left, right: this.condition(level + 1, depth + 1), at };
    }
    return left;
  }

  #operator(signs: readonly Operator[]): Operator | undefined {
    const token = this.#token;
    return token.kind === 'sign' ? signs.find(one => one === token.text) : undefined;
  }

  #negated(depth: number): ExpressionNode {
    if (!this.#is('!')) return this.value(depth);
    this.#bound(depth);
    const { at } = this.#next();
    return { kind: 'not', of: this.#negated(depth + 1), at };
  }

  /** Something with everything that is done to it: `a.b[0].trim()`. */
  value(depth: number): ExpressionNode {
    let node = this.#start(depth);
    for (let count = 0; ; count++) {
      this.#bound(count);
      if (this.#is('.')) node = this.#member(node, depth);
      else if (this.#is('[')) {
        const { at } = this.#next();
        node = { kind: 'index', of: node, index: this.#inner(depth + 1), at };
        this.expect(']');
      } else return node;
    }
  }

  #member(of: ExpressionNode, depth: number): ExpressionNode {
    const { at } = this.#next();
    const name = this.#name();
    if (this.#is('(')) return this.#call(of, name, { at, depth });
    return of.kind === 'path' ? { ...of, names: [...of.names, name] } : { kind: 'field', of, name, at };
  }

  #call(of: ExpressionNode, name: string, { at, depth }: { at: number; depth: number }): ExpressionNode {
    const functor = of.kind === 'path' ? `${of.names.join('.')}.${name}` : '';
    const args = this.#arguments(depth);
    if (Object.hasOwn(functors, functor)) {
      const count = functors[functor as Functor];
      if (args.length !== count) throw new ExpressionError(`${functor} takes ${count} arguments`, at);
      return { kind: 'functor', functor: functor as Functor, args, at: of.at };
    }
    if (!Object.hasOwn(methods, name)) throw new ExpressionError(`there is no method "${name}"`, at);
    const [least, most] = methods[name as Method];
    if (args.length < least || args.length > most) throw new ExpressionError(`"${name}" takes ${numberOf(least, most)}`, at);
    return { kind: 'method', of, method: name as Method, args, at };
  }

  #arguments(depth: number): ExpressionNode[] {
    this.#next();
    const args: ExpressionNode[] = [];
    while (!this.#is(')')) {
      if (args.length > 0) this.expect(',');
      args.push(this.#inner(depth + 1));
    }
    this.#next();
    return args;
  }

  #inner(depth: number): ExpressionNode {
    return this.#isCondition ? this.condition(0, depth) : this.value(depth);
  }

  #start(depth: number): ExpressionNode {
    this.#bound(depth);
    const token = this.#next();
    if (token.kind === 'text' || token.kind === 'number') return { kind: 'literal', value: token.value, at: token.at };
    if (token.kind === 'name') return wordNode(token.text, token.at);
    if (token.kind === 'sign' && this.#isCondition && (token.text === '(' || token.text === '${')) {
      const node = this.condition(0, depth + 1);
      this.expect(token.text === '(' ? ')' : '}');
      return node;
    }
    throw unexpected(token);
  }

  #name(): string {
    const token = this.#next();
    if (token.kind !== 'name') throw unexpected(token);
    return token.text;
  }

  #is(sign: string): boolean {
    return this.#token.kind === 'sign' && this.#token.text === sign;
  }

  #next(): Token {
    const token = this.#token;
    if (token.end - this.#from > maxLength) throw new ExpressionError(`the expression is longer than ${maxLength} characters`, this.#from);
    this.#token = token.kind === 'sign' && token.text === '}' ? token : nextToken(this.#source, token.end);
    return token;
  }

  /** Where the text after the sign begins. What follows a `}` is no part of the expression and is not looked at. */
  expect(sign: string): number {
    const token = this.#token;
    if (!this.#is(sign)) throw token.kind === 'end' ? new ExpressionError(`"${sign}" is missing`, token.at) : unexpected(token);
    if (sign !== '}') this.#next();
    else if (this.#isCondition) this.#token = nextToken(this.#source, token.end);
    return token.end;
  }

  expectEnd(): void {
    if (this.#token.kind !== 'end') throw unexpected(this.#token);
  }

  #bound(depth: number): void {
    if (depth > maxDepth) throw new ExpressionError(`the expression is deeper than ${maxDepth}`, this.#token.at);
  }
}

const words: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

function wordNode(text: string, at: number): ExpressionNode {
  const value = Object.hasOwn(words, text) ? words[text] : undefined;
  return value === undefined ? { kind: 'path', names: [text], at } : { kind: 'literal', value, at };
}

const numberOf = (least: number, most: number): string =>
  least === most ? `${least} ${least === 1 ? 'argument' : 'arguments'}` : `${least} to ${most} arguments`;

function unexpected(token: Token): ExpressionError {
  if (token.kind === 'end') return new ExpressionError('the expression ends too early', token.at);
  const shown = 'text' in token ? token.text : String(token.value);
  return new ExpressionError(`unexpected "${shown}"`, token.at);
}
