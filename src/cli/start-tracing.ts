import { recordSpans } from '../util/trace.ts';
import { CommandError } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';
import { programVersion } from './version.ts';

/** Sends traces where the variables of OpenTelemetry say. Nothing of it is loaded unless they ask for it. */
export async function startTracing({ env }: Terminal, service: string): Promise<AsyncDisposable | undefined> {
  if (!env['OTEL_EXPORTER_OTLP_ENDPOINT'] && !env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']) return undefined;
  const { otlpExporter, otlpOptions } = await import('../runtime/otlp-exporter.ts');
  const options = otlpOptions(env, { service, version: programVersion() });
  if (!options) return undefined;
  if (!URL.canParse(options.url))
    throw new CommandError(`"${options.url}" is not the address of a collector of traces`, {
      hint: 'OTEL_EXPORTER_OTLP_ENDPOINT=http://HOST:4318 is one',
    });
  const exporter = otlpExporter(options);
  recordSpans(span => exporter.export(span));
  return exporter;
}
