/** What the API said when it did not do what was asked. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly { field?: string; message?: string }[];

  constructor(code: number, message: string, { reason = '', causes = [] }: Partial<Pick<ApiError, 'reason' | 'causes'>> = {}) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.causes = causes;
  }
}

export interface RequestOptions {
  readonly method?: string;
  /** An object goes as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
  /** Goes its way though the page is left. */
  readonly isLastDeed?: boolean;
}

const listeners = new Set<() => void>();

/** Calls when the hub has answered that nobody is signed in. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let guard: (path: string, method: string) => Promise<void> = () => Promise.resolve();

/** Asked before each request; what it throws is the answer, and the request stays here. */
export function guardRequests(next: typeof guard): void {
  guard = next;
}

/** Asks the hub, as whoever is signed in. Throws an ApiError with the words of the API. */
export async function request<T = unknown>(path: string, options: RequestOptions = {}): Promise<T> {
  const text = await requestText(path, options);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

export async function requestText(path: string, options: RequestOptions = {}): Promise<string> {
  const { method = 'GET', body, signal, accept = 'application/json', contentType = 'application/json', isLastDeed = false } = options;
  await guard(path, method);
  const headers: Record<string, string> = { accept };
  if (body !== undefined) headers['content-type'] = contentType;
  if (method !== 'GET') Object.assign(headers, csrfHeaders());
  let res: Response;
  try {
    res = await fetch(path, {
      method,
      headers,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
      credentials: 'same-origin',
      cache: 'no-store',
      keepalive: isLastDeed,
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new ApiError(0, 'the hub does not answer', { reason: 'Unreachable' });
  }
  const text = await res.text();
  if (res.ok) return text;
  if (res.status === 401 && !path.startsWith('/v3-public')) for (const listener of listeners) listener();
  throw errorOf(res.status, text);
}

/** Reads a Status of Kubernetes or an error of Rancher; anything else is its own message. */
export function errorOf(code: number, text: string): ApiError {
  try {
    const status = JSON.parse(text) as {
      message?: string;
      reason?: string;
      code?: unknown;
      details?: { causes?: { field?: string; message?: string }[] };
    };
    const reason = status.reason ?? (typeof status.code === 'string' ? status.code : '');
    if (status.message) return new ApiError(code, status.message, { reason, causes: status.details?.causes ?? [] });
  } catch {
    // Not JSON.
  }
  return new ApiError(code, text.slice(0, 500) || `the hub answered ${code}`);
}

/** What requests that change something carry, so that no other page can make them. */
export const csrfHeaders = (): Readonly<Record<string, string>> => ({ 'x-api-csrf': cookie('CSRF') ?? '' });

function cookie(name: string): string | undefined {
  return document.cookie
    .split('; ')
    .find(pair => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}
