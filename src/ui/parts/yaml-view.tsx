import { lazy, Suspense } from 'react';
import { Loading } from './notes.tsx';

const Editor = lazy(async () => ({ default: (await import('./editor/yaml-editor.tsx')).YamlEditor }));

/** An object as YAML, to read. The editor is loaded when somebody looks. */
export function YamlView({ object, name }: { object: object; name: string }) {
  return (
    <Suspense fallback={<Loading />}>
      <Editor value={object} name={name} isReadOnly />
    </Suspense>
  );
}
