import { withoutCredentials } from '../sources/without-credentials.ts';
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
  if (!isWebAddress(options.url))
    throw new CommandError(`"${withoutCredentials(options.url)}" is not the address of a collector of traces`, {
      hint: 'OTEL_EXPORTER_OTLP_ENDPOINT=http://HOST:4318 is one; what signs in there goes to OTEL_EXPORTER_OTLP_HEADERS',
    });
  const exporter = otlpExporter(options);
  recordSpans(span => exporter.export(span));
  return exporter;
}

/** One with a password in it would be refused, and told in logs, with every attempt. */
function isWebAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
