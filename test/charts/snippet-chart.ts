import type { JsonObject } from '../../src/util/json.ts';
import type { OracleQuestion, OracleReply } from './helm-oracle.ts';

/** What all snippets may use. */
export const snippetValues: JsonObject = {
  text: 'Hello World',
  empty: '',
  yes: true,
  no: false,
  zero: 0,
  int: 42,
  negative: -7,
  float: 1.5,
  big: 123456789012,
  huge: 1e21,
  null: null,
  list: ['b', 'a', 'c', 'a'],
  numbers: [3, 1, 2],
  mixed: [1, 'a', true, null, { k: 'v' }, [1]],
  nothing: [],
  map: { a: 1, b: 'two', c: { d: [1, 2], e: null } },
  none: {},
  maps: [{ name: 'x', n: 1 }, { name: 'y' }],
  yaml: 'a: 1\nb: [x, y]\n',
  template: '{{ .Release.Name }}-{{ .Values.text }}',
  unicode: 'Zażółć 日本 😀',
  lines: 'one\ntwo\n\nthree\n',
};

const around: Readonly<Record<string, string>> = {
  'Chart.yaml':
    'apiVersion: v2\nname: c\nversion: 1.2.3\nappVersion: "4.5"\ndescription: d\nkeywords: [k1, k2]\nmaintainers: [{name: n, email: e@x}]\nannotations: {x: y}\n',
  'templates/_helpers.tpl': `{{- define "name" }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}
{{- define "echo" }}<{{ . }}>{{ end }}
{{- define "labels" }}
a: b
c: {{ .Values.text | quote }}
{{- end }}
{{- define "broken" }}{{ .Values.int.field }}{{ end }}
{{- define "failing" }}{{ fail "it failed" }}{{ end }}`,
  'files/one.txt': 'first\nsecond\n',
  'files/two.yaml': 'k: v\n',
  'files/deep/three.txt': 'x',
};

export const snippetFile = 'c/templates/t.txt';

export function questionOf(template: string, values: JsonObject = snippetValues): OracleQuestion {
  return { files: { ...around, 'templates/t.txt': template }, values };
}

/** The text of a snippet, or its error. */
export interface SnippetAnswer {
  readonly out?: string;
  readonly error?: string;
}

export function answerOf({ files, error }: OracleReply): SnippetAnswer {
  if (error !== undefined) return { error };
  // Bytes that are no text are lost on the way through JSON.
  return { out: (files?.[snippetFile] ?? '').replaceAll(/(?<![\ud800-\udbff])[\udc80-\udcff]/g, '\ufffd') };
}
