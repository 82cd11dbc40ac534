import { csrfHeaders, errorOf } from '../../data/request.ts';

interface SendOptions {
  /** Of the form. */
  readonly field: string;
  onSent(bytes: number): void;
  readonly signal: AbortSignal;
}

const abortedName = 'AbortError';

export const isAborted = (error: unknown): boolean => error instanceof Error && error.name === abortedName;

/** Sends a file as Harvester takes it: a form with one field. `fetch` does not tell how far it has come. */
export function sendFile(path: string, file: File, { field, onSent, signal }: SendOptions): Promise<void> {
  const form = new FormData();
  form.append(field, file);
  return new Promise((resolve, reject) => {
    const sender = new XMLHttpRequest();
    sender.open('POST', path);
    sender.setRequestHeader('File-Size', String(file.size));
    for (const [name, value] of Object.entries(csrfHeaders())) sender.setRequestHeader(name, value);
    sender.upload.onprogress = ({ loaded }) => onSent(Math.min(loaded, file.size));
    sender.onload = () => (sender.status < 300 ? resolve() : reject(errorOf(sender.status, sender.responseText)));
    sender.onerror = () => reject(errorOf(0, 'the connection broke before all of it was sent'));
    sender.onabort = () => reject(new DOMException('stopped', abortedName));
    signal.addEventListener('abort', () => sender.abort(), { once: true });
    if (signal.aborted) sender.abort();
    else sender.send(form);
  });
}
