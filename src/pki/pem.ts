export interface PemBlock {
  readonly type: string;
  readonly bytes: Buffer;
}

export function printPem(type: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join('\n')}\n-----END ${type}-----\n`;
}

/** All blocks of a PEM text, in order. Text around them is ignored. */
export function parsePem(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  for (const [, type = '', body = ''] of text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----\r?\n([A-Za-z0-9+/=\s]*?)-----END \1-----/g))
    blocks.push({ type, bytes: Buffer.from(body, 'base64') });
  return blocks;
}
