import { writeArchive } from '../../src/render/write-archive.ts';

/** The files of a small chart, by their path in its folder. */
export function chartFiles(name: string, version: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: ${version}\nappVersion: "${version}"\ndescription: The chart ${name}\n`,
    'values.yaml': 'greeting: hello\n',
    'templates/greeting.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
data:
  greeting: {{ .Values.greeting }}
  version: {{ .Chart.Version }}
`,
    ...more,
  };
}

/** The same, packed. */
export function packedChart(name: string, version: string, more: Readonly<Record<string, string>> = {}): Buffer {
  return writeArchive(
    Object.entries(chartFiles(name, version, more)).map(([path, text]) => ({ name: `${name}/${path}`, data: Buffer.from(text) })),
  );
}
