import type { Readable } from 'node:stream';
import type { KubeObject } from '../api/object.ts';
import type { Status } from '../api/status.ts';
import { isJsonObject, parseJson } from '../util/json.ts';
import type { WatchEvent } from './kube-client.ts';
import { explainNetworkError } from './network-error.ts';
import { statusErrorOf } from './read-answer.ts';
import { UnreachableError } from './transport.ts';

/** No object of Kubernetes comes near it; a server that does not speak lines does. */
const maxLineBytes = 32 * 1024 * 1024;

/** Cuts bytes into lines, however they arrive. Throws when a line has no end within the bound. */
export class LineSplitter {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(maxBytes = maxLineBytes) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that this chunk completes, without the empty ones. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#keep(chunk.subarray(start, end));
      const line = this.#take();
      if (line !== '') lines.push(line);
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  /** What came after the last line's end. */
  rest(): string {
    return this.#take();
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#size += part.length;
    if (this.#size > this.#maxBytes) throw new Error(`the server sent a line of more than ${this.#maxBytes} bytes`);
    this.#parts.push(part);
  }

  #take(): string {
    const line = (this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)).toString('utf8').trim();
    this.#parts = [];
    this.#size = 0;
    return line;
  }
}

/** The events of a watch. Throws UnreachableError when the stream breaks, or says nothing at all for too long. */
export async function* readWatch<T extends KubeObject>(body: Readable, silenceMs: number): AsyncGenerator<WatchEvent<T>> {
  const splitter = new LineSplitter();
  for await (const chunk of chunksOf(body, silenceMs)) {
    for (const line of splitter.push(chunk)) yield parseEvent<T>(line);
  }
  if (splitter.rest() !== '') throw new UnreachableError('the watch broke off');
}

async function* chunksOf(body: Readable, silenceMs: number): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      // Only waiting counts: a reader that is busy with the last events is not the server's silence.
      const timer = setTimeout(() => body.destroy(new Error(`the watch was silent for ${silenceMs / 1000} s`)), silenceMs);
      const next = await chunks.next().finally(() => clearTimeout(timer));
      if (next.done) return;
      yield next.value;
    }
  } catch (cause) {
    throw new UnreachableError('the watch broke off', { cause: explainNetworkError(cause, '') });
  } finally {
    body.destroy();
  }
}

/** One line of a watch. An error that the server reports inside the stream is thrown, except that the past is gone. */
export function parseEvent<T extends KubeObject>(line: string): WatchEvent<T> {
  const event = parseLine(line);
  const { type, object } = event;
  if (type === 'ERROR') {
    const status = isJsonObject(object) ? (object as unknown as Partial<Status>) : {};
    if (status.code === 410) return { type: 'EXPIRED' };
    throw statusErrorOf(status, status.code ?? 500);
  }
  const isKnown = type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' || type === 'BOOKMARK';
  if (!isKnown || !isJsonObject(object) || !isJsonObject(object.metadata)) throw unreadable(line);
  return { type, object: object as unknown as T };
}

function parseLine(line: string) {
  try {
    const event = parseJson(line);
    if (isJsonObject(event)) return event;
  } catch {
    // Said below, with what was read.
  }
  throw unreadable(line);
}

const unreadable = (line: string) => new Error(`the server sent something else than an event: ${JSON.stringify(line.slice(0, 200))}`);
