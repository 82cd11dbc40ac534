import { ExplainedError } from '../../client/network-error.ts';
import { urlHost } from '../../util/url-host.ts';

interface NetworkError extends Error {
  code?: string;
  address?: string;
  port?: number;
  host?: string;
  hostname?: string;
  syscall?: string;
}

const unknownAuthority = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

/** Says what went wrong with a connection in the words of Go, which people search for. */
export function goNetworkError(error: unknown, target: { host: string; port: number; servername: string }): string {
  const { code = '', message, hostname, syscall } = rootOf(error);
  const address = `${urlHost(target.host)}:${target.port}`;
  if (code === 'ECONNREFUSED') return `dial tcp ${address}: connect: connection refused`;
  if (code === 'EHOSTUNREACH') return `dial tcp ${address}: connect: no route to host`;
  if (code === 'ENETUNREACH') return `dial tcp ${address}: connect: network is unreachable`;
  if (code === 'ETIMEDOUT' || message.startsWith('no connection within')) return `dial tcp ${address}: i/o timeout`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${hostname ?? target.host}: no such host`;
  // Node calls it a reset too when the other side has closed the connection without a word.
  if (code === 'ECONNRESET' && syscall === undefined) return 'EOF';
  if (code === 'ECONNRESET' || code === 'EPIPE') return `read tcp ${address}: read: connection reset by peer`;
  if (unknownAuthority.has(code)) return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  if (code === 'CERT_HAS_EXPIRED') return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `tls: failed to verify certificate: x509: ${namesOf(rootOf(error), target.servername)}`;
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return 'http: server gave HTTP response to HTTPS client';
  return message;
}

/** What the operating system or the TLS library said, below what was made of it for people. */
function rootOf(error: unknown): NetworkError {
  if (error instanceof ExplainedError) return error.root;
  const { code, cause } = error as NetworkError;
  return code === undefined && cause instanceof Error ? rootOf(cause) : (error as NetworkError);
}

function namesOf(error: unknown, wanted: string): string {
  const { cert } = error as { cert?: { subjectaltname?: string } };
  const names = (cert?.subjectaltname ?? '').split(', ').filter(n => n !== '');
  const dns = names.filter(n => n.startsWith('DNS:')).map(n => n.slice(4));
  return dns.length === 0
    ? `certificate is not valid for any names, but wanted to match ${wanted}`
    : `certificate is valid for ${dns.join(', ')}, not ${wanted}`;
}
