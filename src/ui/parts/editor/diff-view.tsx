import { yaml } from '@codemirror/lang-yaml';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightSpecialChars, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { editorLook, styleNonce } from './yaml-editor.tsx';

/** Two texts as one, with what goes and what comes. */
export function DiffView({ before, after, name = 'Difference' }: { before: string; after: string; name?: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const view = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: after,
        extensions: [
          EditorView.cspNonce.of(styleNonce()),
          lineNumbers(),
          highlightSpecialChars(),
          yaml(),
          editorLook,
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ 'aria-label': name, 'aria-readonly': 'true', tabindex: '0' }),
          unifiedMergeView({ original: before, mergeControls: false, gutter: true, collapseUnchanged: { margin: 3, minSize: 6 } }),
        ],
      }),
    });
    return () => view.destroy();
  }, [before, after, name]);
  if (before === after) return <p role="status">Nothing would change.</p>;
  return <div className="editor" ref={place} />;
}
