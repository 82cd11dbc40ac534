/** How requests that leave HTTP, and failures of the agent itself, are told inside the tunnel. */
export const upgradeProtocol = 'drover-upgrade';

export const streamHeaders = {
  /** The method of a request that wants to leave HTTP: the stream's own is CONNECT. */
  method: 'x-drover-method',
  /** What the connection is to become, and in an answer, what it became. */
  upgrade: 'x-drover-upgrade',
  /** In an answer of the agent's own: why the API server could not be asked. */
  failure: 'x-drover-failure',
} as const;

const names = new Set<string>(Object.values(streamHeaders));

/** Without the names that mean something inside the tunnel, so that neither end can be spoken to from outside. */
export function withoutStreamHeaders(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) if (!names.has(raw[i]!)) kept.push(raw[i]!, raw[i + 1]!);
  return kept;
}
