import { goQuote } from '../../util/go-quote.ts';

/** A text with one or more templates in it, for positions in errors. */
export interface Source {
  readonly name: string;
  readonly text: string;
}

interface At {
  readonly source: Source;
  readonly pos: number;
}

export type Operand =
  | ({ readonly type: 'field'; readonly names: readonly string[] } & At)
  | ({ readonly type: 'variable'; readonly name: string; readonly names: readonly string[] } & At)
  | ({ readonly type: 'chain'; readonly of: Operand; readonly names: readonly string[] } & At)
  | ({ readonly type: 'identifier'; readonly name: string } & At)
  | ({ readonly type: 'dot' } & At)
  | ({ readonly type: 'nil' } & At)
  | ({ readonly type: 'bool'; readonly value: boolean } & At)
  | ({ readonly type: 'number'; readonly text: string; readonly number: NumberForms } & At)
  | ({ readonly type: 'string'; readonly quoted: string; readonly text: string } & At)
  | Pipe;

/** What a number may stand for; the syntax and the place where it is used decide. */
export interface NumberForms {
  readonly int: bigint | undefined;
  readonly uint: bigint | undefined;
  readonly float: number | undefined;
  /** Of a number with an imaginary part, even if that is zero. */
  readonly complex?: { readonly real: number; readonly imaginary: number };
}

export interface Command extends At {
  readonly type: 'command';
  readonly args: readonly Operand[];
}

export interface Pipe extends At {
  readonly type: 'pipe';
  readonly isAssign: boolean;
  readonly declares: readonly string[];
  readonly commands: readonly Command[];
}

export type Node =
  | ({ readonly type: 'text'; readonly text: string } & At)
  | ({ readonly type: 'action'; readonly pipe: Pipe } & At)
  | ({
      readonly type: 'if' | 'with' | 'range';
      readonly pipe: Pipe;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[] | undefined;
    } & At)
  | ({ readonly type: 'template'; readonly name: string; readonly pipe: Pipe | undefined } & At)
  | ({ readonly type: 'break' | 'continue' } & At);

export type AnyNode = Node | Command | Operand;

/** A node as it would be written: the context in error messages. */
export function printNode(node: AnyNode): string {
  switch (node.type) {
    case 'text':
      return goQuote(node.text);
    case 'action':
      return `{{${printNode(node.pipe)}}}`;
    case 'if':
    case 'with':
    case 'range': {
      const otherwise = node.otherwise ? `{{else}}${node.otherwise.map(printNode).join('')}` : '';
      return `{{${node.type} ${printNode(node.pipe)}}}${node.body.map(printNode).join('')}${otherwise}{{end}}`;
    }
    case 'template':
      return `{{template ${goQuote(node.name)}${node.pipe ? ` ${printNode(node.pipe)}` : ''}}}`;
    case 'break':
    case 'continue':
      return `{{${node.type}}}`;
    case 'pipe': {
      const declares = node.declares.length > 0 ? `${node.declares.join(', ')} ${node.isAssign ? '=' : ':='} ` : '';
      return declares + node.commands.map(printNode).join(' | ');
    }
    case 'command':
      return node.args.map(arg => (arg.type === 'pipe' ? `(${printNode(arg)})` : printNode(arg))).join(' ');
    case 'field':
      return node.names.map(name => `.${name}`).join('');
    case 'variable':
      return [node.name, ...node.names].join('.');
    case 'chain':
      return `${node.of.type === 'pipe' ? `(${printNode(node.of)})` : printNode(node.of)}${node.names.map(name => `.${name}`).join('')}`;
    case 'identifier':
      return node.name;
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
    case 'bool':
      return String(node.value);
    case 'number':
      return node.text;
    case 'string':
      return node.quoted;
  }
}

/** `name:line:column`, the column in bytes as Go counts it. */
export function locate({ source, pos }: At): string {
  const before = source.text.slice(0, pos);
  const lineStart = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (let at = before.indexOf('\n'); at >= 0; at = before.indexOf('\n', at + 1)) line++;
  return `${source.name}:${line}:${Buffer.byteLength(before.slice(lineStart))}`;
}

/** Whether a list of nodes has nothing to say: such a definition does not replace one that has. */
export const isEmpty = (nodes: readonly Node[]): boolean => nodes.every(node => node.type === 'text' && node.text.trim() === '');
