import { later } from './later.tsx';

const Editor = later(async () => (await import('./editor/yaml-editor.tsx')).YamlEditor);

/** An object as YAML, to read. The editor is loaded when somebody looks. */
export function YamlView({ object, name }: { object: object; name: string }) {
  return <Editor value={object} name={name} isReadOnly />;
}
