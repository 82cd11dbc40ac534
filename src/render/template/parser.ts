import { goQuote } from '../../util/go-quote.ts';
import { goUnquote } from '../go/go-unquote.ts';
import { Lexer } from './lexer.ts';
import { isEmpty, printNode, type Command, type Node, type Operand, type Pipe, type Source } from './node.ts';
import { parseNumber } from './parse-number.ts';
import { printToken, type Token, type TokenType } from './token.ts';

/** A mistake in the text of a template, in Go's words. */
export class TemplateParseError extends Error {
  override name = 'TemplateParseError';
}

export interface Definition {
  readonly name: string;
  readonly source: Source;
  readonly body: readonly Node[];
}

/** What ends a list of nodes. */
interface Ending {
  readonly type: 'end' | 'else';
}

const maxParens = 10_000;
const operandTypes = new Set<TokenType>([
  'bool',
  'charConstant',
  'complex',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'rawString',
  'string',
  'variable',
  'leftParen',
]);

/** The templates of a text: the text itself, under its name, and those it defines. */
export function parseTemplate(name: string, text: string, hasFunction: (name: string) => boolean): Map<string, Definition> {
  return new Parser({ name, text }, hasFunction).parse();
}

class Parser {
  readonly #source: Source;
  readonly #hasFunction: (name: string) => boolean;
  readonly #lexer: Lexer;
  readonly #definitions = new Map<string, Definition>();
  /** Tokens that were looked at and put back; the last comes first. */
  readonly #ahead: Token[] = [];
  #latest: Token = { type: 'eof', pos: 0, value: '', line: 1 };
  #variables: string[] = ['$'];
  #actionLine = 0;
  #rangeDepth = 0;
  #parens = 0;

  constructor(source: Source, hasFunction: (name: string) => boolean) {
    this.#source = source;
    this.#hasFunction = hasFunction;
    this.#lexer = new Lexer(source.text);
  }

  parse(): Map<string, Definition> {
    const body: Node[] = [];
    while (this.#peek().type !== 'eof') {
      if (this.#peek().type === 'leftDelim') {
        const delim = this.#next();
        const word = this.#nextNonSpace();
        if (word.type === 'define') {
          this.#inNewTemplate(() => this.#define());
          continue;
        }
        this.#ahead.push(word, delim);
      }
      const node = this.#textOrAction();
      if (isEnding(node)) throw this.#error(`unexpected {{${node.type}}}`);
      body.push(node);
    }
    this.#add({ name: this.#source.name, source: this.#source, body });
    return this.#definitions;
  }

  /** A template of its own knows no variables but `$`. */
  #inNewTemplate<T>(parse: () => T): T {
    const kept = { variables: this.#variables, rangeDepth: this.#rangeDepth, actionLine: this.#actionLine };
    this.#variables = ['$'];
    this.#rangeDepth = 0;
    this.#actionLine = 0;
    const parsed = parse();
    this.#variables = kept.variables;
    this.#rangeDepth = kept.rangeDepth;
    this.#actionLine = kept.actionLine;
    return parsed;
  }

  #define(): void {
    const context = 'define clause';
    const token = this.#nextNonSpace();
    if (token.type !== 'string' && token.type !== 'rawString') throw this.#unexpected(token, context);
    const name = this.#unquote(token);
    this.#expect('rightDelim', context);
    const { nodes, ending } = this.#itemList();
    if (ending.type !== 'end') throw this.#error(`unexpected {{${ending.type}}} in ${context}`);
    this.#add({ name, source: this.#source, body: nodes });
  }

  #add(definition: Definition): void {
    const present = this.#definitions.get(definition.name);
    if (!present || isEmpty(present.body)) this.#definitions.set(definition.name, definition);
    else if (!isEmpty(definition.body)) throw this.#error(`template: multiple definition of template ${goQuote(definition.name)}`);
  }

  #itemList(): { nodes: Node[]; ending: Ending } {
    const nodes: Node[] = [];
    while (this.#peekNonSpace().type !== 'eof') {
      const node = this.#textOrAction();
      if (isEnding(node)) return { nodes, ending: node };
      nodes.push(node);
    }
    throw this.#error('unexpected EOF');
  }

  #textOrAction(): Node | Ending {
    const token = this.#nextNonSpace();
    if (token.type === 'text') return { type: 'text', text: token.value, source: this.#source, pos: token.pos };
    if (token.type !== 'leftDelim') throw this.#unexpected(token, 'input');
    this.#actionLine = token.line;
    const node = this.#action();
    this.#actionLine = 0;
    return node;
  }

  #action(): Node | Ending {
    const token = this.#nextNonSpace();
    const { pos } = token;
    switch (token.type) {
      case 'block':
        return this.#block();
      case 'break':
      case 'continue': {
        const after = this.#nextNonSpace();
        if (after.type !== 'rightDelim') throw this.#unexpected(after, `{{${token.type}}}`);
        if (this.#rangeDepth === 0) throw this.#error(`{{${token.type}}} outside {{range}}`);
        return { type: token.type, source: this.#source, pos };
      }
      case 'else': {
        const next = this.#peekNonSpace().type;
        if (next !== 'if' && next !== 'with') this.#expect('rightDelim', 'else');
        return { type: 'else' };
      }
      case 'end':
        this.#expect('rightDelim', 'end');
        return { type: 'end' };
      case 'if':
      case 'range':
      case 'with':
        return this.#control(token.type);
      case 'template':
        return this.#template();
    }
    this.#ahead.push(token);
    return { type: 'action', pipe: this.#pipeline('command', 'rightDelim'), source: this.#source, pos };
  }

  #control(type: 'if' | 'range' | 'with'): Node {
    const known = this.#variables.length;
    const pipe = this.#pipeline(type, 'rightDelim');
    if (type === 'range') this.#rangeDepth++;
    const { nodes: body, ending } = this.#itemList();
    if (type === 'range') this.#rangeDepth--;
    const otherwise = ending.type === 'else' ? this.#otherwise(type) : undefined;
    this.#variables.length = known;
    return { type, pipe, body, otherwise, source: this.#source, pos: pipe.pos };
  }

  #otherwise(type: 'if' | 'range' | 'with'): Node[] {
    if (type !== 'range' && this.#peek().type === type) {
      this.#next();
      return [this.#control(type)];
    }
    const { nodes, ending } = this.#itemList();
    if (ending.type !== 'end') throw this.#error(`expected end; found {{${ending.type}}}`);
    return nodes;
  }

  #block(): Node {
    const context = 'block clause';
    const token = this.#nextNonSpace();
    const name = this.#templateName(token, context);
    const pipe = this.#pipeline(context, 'rightDelim');
    this.#inNewTemplate(() => {
      const { nodes, ending } = this.#itemList();
      if (ending.type !== 'end') throw this.#error(`unexpected {{${ending.type}}} in ${context}`);
      this.#add({ name, source: this.#source, body: nodes });
    });
    return { type: 'template', name, pipe, source: this.#source, pos: token.pos };
  }

  #template(): Node {
    const context = 'template clause';
    const token = this.#nextNonSpace();
    const name = this.#templateName(token, context);
    const after = this.#nextNonSpace();
    if (after.type === 'rightDelim') return { type: 'template', name, pipe: undefined, source: this.#source, pos: token.pos };
    this.#ahead.push(after);
    return { type: 'template', name, pipe: this.#pipeline(context, 'rightDelim'), source: this.#source, pos: token.pos };
  }

  #templateName(token: Token, context: string): string {
    if (token.type !== 'string' && token.type !== 'rawString') throw this.#unexpected(token, context);
    return this.#unquote(token);
  }

  #pipeline(context: string, end: TokenType): Pipe {
    const { pos } = this.#peekNonSpace();
    const { declares, isAssign } = this.#declarations(context);
    const commands: Command[] = [];
    for (;;) {
      const token = this.#nextNonSpace();
      if (token.type === end) break;
      if (!operandTypes.has(token.type)) throw this.#unexpected(token, context);
      this.#ahead.push(token);
      commands.push(this.#command());
    }
    if (commands.length === 0) throw this.#error(`missing value for ${context}`);
    commands.slice(1).forEach(({ args }, i) => {
      if (['bool', 'dot', 'nil', 'number', 'string'].includes(args[0]!.type)) {
        throw this.#error(`non executable command in pipeline stage ${i + 2}`);
      }
    });
    return { type: 'pipe', isAssign, declares, commands, source: this.#source, pos };
  }

  #declarations(context: string): { declares: string[]; isAssign: boolean } {
    const declares: string[] = [];
    for (;;) {
      const variable = this.#peekNonSpace();
      if (variable.type !== 'variable') return { declares, isAssign: false };
      this.#next();
      const directlyAfter = this.#peek();
      const after = this.#peekNonSpace();
      if (after.type === 'assign' || after.type === 'declare') {
        this.#nextNonSpace();
        declares.push(variable.value);
        this.#variables.push(variable.value);
        return { declares, isAssign: after.type === 'assign' };
      }
      if (after.type === 'char' && after.value === ',') {
        this.#nextNonSpace();
        declares.push(variable.value);
        this.#variables.push(variable.value);
        if (context !== 'range' || declares.length >= 2) throw this.#error(`too many declarations in ${context}`);
        if (['variable', 'rightDelim', 'rightParen'].includes(this.#peekNonSpace().type)) continue;
        throw this.#error('range can only initialize variables');
      }
      if (directlyAfter.type === 'space') this.#ahead.push(directlyAfter);
      this.#ahead.push(variable);
      return { declares, isAssign: false };
    }
  }

  #command(): Command {
    const { pos } = this.#peekNonSpace();
    const args: Operand[] = [];
    for (;;) {
      this.#peekNonSpace();
      const operand = this.#operand();
      if (operand) args.push(operand);
      const token = this.#next();
      if (token.type === 'space') continue;
      if (token.type === 'rightDelim' || token.type === 'rightParen') this.#ahead.push(token);
      else if (token.type !== 'pipe') throw this.#unexpected(token, 'operand');
      break;
    }
    if (args.length === 0) throw this.#error('empty command');
    return { type: 'command', args, source: this.#source, pos };
  }

  #operand(): Operand | undefined {
    const term = this.#term();
    if (!term || this.#peek().type !== 'field') return term;
    const { pos } = this.#peek();
    const names: string[] = [];
    while (this.#peek().type === 'field') names.push(this.#next().value.slice(1));
    if (term.type === 'field') return { ...term, names: [...term.names, ...names], pos };
    if (term.type === 'variable') return { ...term, names: [...term.names, ...names], pos };
    if (['bool', 'string', 'number', 'nil', 'dot'].includes(term.type)) {
      throw this.#error(`unexpected . after term ${goQuote(printNode(term))}`);
    }
    return { type: 'chain', of: term, names, source: this.#source, pos };
  }

  #term(): Operand | undefined {
    const token = this.#nextNonSpace();
    const at = { source: this.#source, pos: token.pos };
    switch (token.type) {
      case 'identifier':
        if (!this.#hasFunction(token.value)) throw this.#error(`function ${goQuote(token.value)} not defined`);
        return { type: 'identifier', name: token.value, ...at };
      case 'dot':
      case 'nil':
        return { type: token.type, ...at };
      case 'variable':
        if (!this.#variables.includes(token.value)) throw this.#error(`undefined variable ${goQuote(token.value)}`);
        return { type: 'variable', name: token.value, names: [], ...at };
      case 'field':
        return { type: 'field', names: [token.value.slice(1)], ...at };
      case 'bool':
        return { type: 'bool', value: token.value === 'true', ...at };
      case 'charConstant':
      case 'complex':
      case 'number':
        return { type: 'number', text: token.value, number: this.#number(token, token.type), ...at };
      case 'leftParen':
        return this.#parenthesized();
      case 'string':
      case 'rawString':
        return { type: 'string', quoted: token.value, text: this.#unquote(token), ...at };
    }
    this.#ahead.push(token);
    return undefined;
  }

  #parenthesized(): Pipe {
    if (this.#parens >= maxParens) throw this.#error('max expression depth exceeded');
    this.#parens++;
    const pipe = this.#pipeline('parenthesized pipeline', 'rightParen');
    this.#parens--;
    return pipe;
  }

  #number(token: Token, type: 'charConstant' | 'complex' | 'number') {
    try {
      return parseNumber(token.value, type);
    } catch (error) {
      throw this.#error((error as Error).message);
    }
  }

  #unquote(token: Token): string {
    const text = goUnquote(token.value);
    if (text === undefined) throw this.#error('invalid syntax');
    return text;
  }

  #next(): Token {
    const token = this.#ahead.pop();
    if (token) return token;
    this.#latest = this.#lexer.next();
    return this.#latest;
  }

  #peek(): Token {
    const token = this.#next();
    this.#ahead.push(token);
    return token;
  }

  #nextNonSpace(): Token {
    for (;;) {
      const token = this.#next();
      if (token.type !== 'space') return token;
    }
  }

  #peekNonSpace(): Token {
    const token = this.#nextNonSpace();
    this.#ahead.push(token);
    return token;
  }

  #expect(type: TokenType, context: string): void {
    const token = this.#nextNonSpace();
    if (token.type !== type) throw this.#unexpected(token, context);
  }

  #unexpected(token: Token, context: string): TemplateParseError {
    if (token.type !== 'error') return this.#error(`unexpected ${printToken(token)} in ${context}`);
    let where = '';
    if (this.#actionLine !== 0 && this.#actionLine !== token.line) {
      where = `${token.value.endsWith(' action') ? '' : ' in action'} started at ${this.#source.name}:${this.#actionLine}`;
    }
    return this.#error(printToken(token) + where);
  }

  // The line is that of the token read last, even when it was put back.
  #error(message: string): TemplateParseError {
    return new TemplateParseError(`template: ${this.#source.name}:${this.#latest.line}: ${message}`);
  }
}

const isEnding = (node: Node | Ending): node is Ending => node.type === 'end' || node.type === 'else';
