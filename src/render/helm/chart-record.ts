import type { Chart, ChartDependency, ChartFile, ChartMetadata } from '../chart/chart.ts';
import { toJson } from '../go/go-json.ts';
import { printJson, type JsonObject } from '../../util/json.ts';

/** A chart as Helm keeps it in a release: the part that is the same for every release, and the one that is not. */
export interface ChartRecord {
  readonly metadata: JsonObject;
  /** Members of a JSON object, without its braces: metadata, lock and values. */
  readonly head: string;
}

/** What subcharts the values chose and what they export shows in the metadata and the values of a record. */
export function chartHead(chart: Chart): ChartRecord {
  const metadata = recordedMetadata(chart.metadata);
  const head = `"metadata":${printJson(metadata)},"lock":${printJson(chart.lock ?? null)},"values":${printJson(toJson(chart.values))}`;
  return { metadata, head };
}

/** The files of a chart, which are the same however it is released. */
export function chartBody({ templates, schema, files }: Chart): string {
  return `"templates":${recordedFiles(templates)},"schema":${JSON.stringify(schema?.toString('base64') ?? null)},"schemamodtime":"0001-01-01T00:00:00Z","files":${recordedFiles(files)}`;
}

export const joinRecord = (head: string, body: string): string => `{${head},${body}}`;

function recordedFiles(files: readonly ChartFile[]): string {
  return JSON.stringify(files.map(({ name, data }) => ({ name, data: data.toString('base64') })));
}

function recordedMetadata(metadata: ChartMetadata): JsonObject {
  const { maintainers, dependencies, ...rest } = metadata;
  return withoutEmpty({
    ...rest,
    sources: [...rest.sources],
    keywords: [...rest.keywords],
    annotations: { ...rest.annotations },
    maintainers: maintainers.map(one => withoutEmpty({ ...one })),
    dependencies: (dependencies ?? []).map(recordedDependency),
  });
}

function recordedDependency({ importValues, name, repository, ...rest }: ChartDependency): JsonObject {
  return { name, repository, ...withoutEmpty({ ...rest, 'import-values': importValues as JsonObject[] }) };
}

/** What Go leaves out because it is empty. */
function withoutEmpty(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => {
      if (typeof value === 'object' && value !== null) return (Array.isArray(value) ? value : Object.keys(value)).length > 0;
      return value !== '' && value !== false && value !== undefined;
    }),
  );
}
