interface SystemError extends Error {
  readonly code?: string;
}

const explanations: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed by the other side',
  EPIPE: 'the connection was closed by the other side',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network is unreachable',
  EAI_AGAIN: 'the name could not be looked up just now',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by an unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an unknown authority',
  CERT_SIGNATURE_FAILURE: 'its certificate is signed by an unknown authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
  EPROTO: 'it does not speak TLS as we do',
};

/** Says it in words for people. What the system said is kept for programs, and not told again as its cause. */
export class ExplainedError extends Error {
  readonly root: Error;

  constructor(words: string, root: Error) {
    super(words);
    this.root = root;
  }
}

/** The reason in words for people. What is not known is left as it was said. */
export function explainNetworkError(error: unknown, host: string): Error {
  // When a name has several addresses, all of them were tried.
  const first = error instanceof AggregateError ? (error.errors[0] as SystemError) : (error as SystemError);
  const code = first?.code ?? '';
  if (code === 'ENOTFOUND') return new ExplainedError(`there is no host "${host}"`, first);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return new ExplainedError(`its certificate is for another name: ${first.message}`, first);
  const words = explanations[code] ?? (code.startsWith('ERR_SSL_') ? explanations.EPROTO : undefined);
  return words === undefined ? first : new ExplainedError(words, first);
}
