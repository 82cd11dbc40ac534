/** An address as it stands before a port: IPv6 has colons of its own. */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);
