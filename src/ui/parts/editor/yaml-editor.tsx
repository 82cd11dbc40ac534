import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { stringify } from 'yaml';

interface YamlEditorProps {
  /** An object, or a text that is YAML already. */
  readonly value: object | string;
  readonly name: string;
  readonly isReadOnly?: boolean;
  readonly extensions?: Extension;
  onChange?(text: string): void;
}

export const printYaml = (value: object | string): string =>
  typeof value === 'string' ? value : stringify(inOrder(value), { lineWidth: 0 });

/** What an object is comes first, how it is last, as kubectl prints it. */
function inOrder(object: object): object {
  const { apiVersion, kind, metadata, status, ...rest } = object as Record<string, unknown>;
  if (apiVersion === undefined || kind === undefined) return object;
  return { apiVersion, kind, ...(metadata !== undefined && { metadata }), ...rest, ...(status !== undefined && { status }) };
}

/** What the editor marks its styles with, so that the browser believes them. */
export const styleNonce = (): string => document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

export const editorLook: Extension = [
  EditorView.theme({
    '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: 'var(--text-small)' },
    '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
    '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--muted)', border: 'none' },
    '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
    '.cm-cursor': { borderLeftColor: 'var(--text)' },
    '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
    '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
      backgroundColor: 'color-mix(in srgb, var(--accent) 30%, transparent)',
    },
    '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
    '.cm-tooltip': { backgroundColor: 'var(--raised)', border: '1px solid var(--line)', borderRadius: 'var(--round)' },
    '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--chosen)', color: 'var(--text)' },
    // Its own marks are in no font of many machines.
    '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"···"' },
    '.cm-collapsedLines': { color: 'var(--muted)', background: 'var(--sunken)' },
    '.cm-foldPlaceholder': { backgroundColor: 'var(--sunken)', border: '1px solid var(--line)', color: 'var(--muted)' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
      { tag: [tags.string, tags.special(tags.string)], color: 'var(--text)' },
      { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--info)' },
      { tag: [tags.comment, tags.lineComment], color: 'var(--muted)', fontStyle: 'italic' },
      { tag: tags.meta, color: 'var(--warn)' },
    ]),
  ),
];

export function YamlEditor({ value, name, isReadOnly = false, extensions = [], onChange }: YamlEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const changed = useRef(onChange);
  useEffect(() => {
    changed.current = onChange;
  });

  // Who looks at another part of the screen and comes back finds what he wrote, and can undo it.
  const left = useRef<{ readonly state: EditorState; readonly of: readonly unknown[] }>(undefined);
  useEffect(() => {
    const of = [isReadOnly, name, extensions];
    const isSame = left.current?.of.every((one, i) => one === of[i]) ?? false;
    const editor = new EditorView({
      parent: place.current!,
      state: isSame
        ? left.current!.state
        : EditorState.create({
            doc: printYaml(value),
            extensions: [
              EditorView.cspNonce.of(styleNonce()),
              lineNumbers(),
              highlightSpecialChars(),
              foldGutter(),
              history(),
              bracketMatching(),
              highlightSelectionMatches(),
              yaml(),
              editorLook,
              EditorState.readOnly.of(isReadOnly),
              EditorView.contentAttributes.of({ 'aria-label': name, tabindex: '0', ...(isReadOnly && { 'aria-readonly': 'true' }) }),
              // Tab indents only once somebody has begun to write; Escape gives it back to the page.
              keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap, ...searchKeymap, ...(isReadOnly ? [] : [indentWithTab])]),
              EditorView.updateListener.of(update => update.docChanged && changed.current?.(update.state.doc.toString())),
              extensions,
            ],
          }),
    });
    view.current = editor;
    return () => {
      left.current = { state: editor.state, of };
      editor.destroy();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- what comes later is written into the same editor
  }, [isReadOnly, name, extensions]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || !isReadOnly) return;
    const text = printYaml(value);
    const present = editor.state.doc.toString();
    if (text !== present) editor.dispatch({ changes: { from: 0, to: present.length, insert: text } });
  }, [value, isReadOnly]);

  return <div className="editor" ref={place} />;
}
