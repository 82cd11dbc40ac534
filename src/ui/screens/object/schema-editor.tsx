import { autocompletion, completionKeymap, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { linter, type Diagnostic } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';
import { hoverTooltip, keymap, type EditorView } from '@codemirror/view';
import { useMemo } from 'react';
import { parseDocument } from 'yaml';
import type { Kind } from '../../data/kinds.ts';
import { YamlEditor } from '../../parts/editor/yaml-editor.tsx';
import { fieldPath, fieldsAt, type KindSchema } from './schema-fields.ts';
import { kindSchema } from './schema-help.ts';

interface SchemaEditorProps {
  readonly kind: Kind;
  readonly cluster: string;
  readonly value: object | string;
  readonly name: string;
  onChange(text: string): void;
}

/** An editor that knows the fields of the kind, as the cluster describes them. */
export function SchemaEditor({ kind, cluster, value, name, onChange }: SchemaEditorProps) {
  const { group, version, kind: kindName } = kind;
  const help = useMemo(() => helpFor(kindSchema(cluster, { group, version, kind: kindName })), [cluster, group, version, kindName]);
  return <YamlEditor value={value} name={name} extensions={help} onChange={onChange} />;
}

function helpFor(schema: Promise<KindSchema | undefined>): Extension {
  return [
    autocompletion({ override: [context => complete(context, schema)], icons: false }),
    keymap.of(completionKeymap),
    hoverTooltip((view, at) => explain(view, at, schema)),
    linter(findFaults),
  ];
}

async function complete(context: CompletionContext, loading: Promise<KindSchema | undefined>): Promise<CompletionResult | null> {
  const word = context.matchBefore(/[\w.-]*/);
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  if (!word) return null;
  if (/^\s*(- )*[\w./-]+: +[\w.-]*$/.test(before)) return completeValue(context, loading, word.from);
  if ((word.from === word.to && !context.explicit) || !/^\s*(- )*[\w.-]*$/.test(before)) return null;
  const schema = await loading;
  if (!schema) return null;
  const path = fieldPath(context.state.doc.toString(), line.number - 1).slice(0, -1);
  const options = fieldsAt(schema, path).map(({ name, description, type, isRequired }) => ({
    label: name,
    detail: isRequired ? `${type}, required` : type,
    info: description,
    apply:
      type === 'object'
        ? `${name}:\n${' '.repeat(indentOf(before) + 2)}`
        : type === 'array'
          ? `${name}:\n${' '.repeat(indentOf(before))}- `
          : `${name}: `,
  }));
  return options.length === 0 ? null : { from: word.from, options };
}

/** Of fields that take one of a few words. */
async function completeValue(
  { state, pos }: CompletionContext,
  loading: Promise<KindSchema | undefined>,
  from: number,
): Promise<CompletionResult | null> {
  const schema = await loading;
  const path = fieldPath(state.doc.toString(), state.doc.lineAt(pos).number - 1);
  const field = schema && fieldsAt(schema, path.slice(0, -1)).find(one => one.name === path.at(-1));
  return field && field.values.length > 0 ? { from, options: field.values.map(label => ({ label })) } : null;
}

const indentOf = (before: string) => /^[\s-]*/.exec(before)![0].length;

async function explain(view: EditorView, at: number, loading: Promise<KindSchema | undefined>) {
  const line = view.state.doc.lineAt(at);
  const [, lead = '', key] = /^([\s-]*)([\w./-]+):/.exec(line.text) ?? [];
  if (key === undefined || at < line.from + lead.length || at > line.from + lead.length + key.length) return null;
  const schema = await loading;
  const path = fieldPath(view.state.doc.toString(), line.number - 1);
  const field = schema && fieldsAt(schema, path.slice(0, -1)).find(one => one.name === path.at(-1));
  if (!field) return null;
  return {
    pos: line.from + lead.length,
    end: line.from + lead.length + key.length,
    create() {
      const dom = document.createElement('div');
      dom.className = 'field-help';
      const title = dom.appendChild(document.createElement('strong'));
      title.textContent = `${field.name}: ${field.type}${field.isRequired ? ', required' : ''}`;
      dom.appendChild(document.createElement('p')).textContent = field.description;
      return { dom };
    },
  };
}

function findFaults(view: EditorView): Diagnostic[] {
  return parseDocument(view.state.doc.toString()).errors.map(({ pos: [from, to], message }) => ({
    from: Math.min(from, view.state.doc.length),
    to: Math.min(Math.max(to, from), view.state.doc.length),
    severity: 'error',
    message: message.split('\n')[0] ?? message,
  }));
}
