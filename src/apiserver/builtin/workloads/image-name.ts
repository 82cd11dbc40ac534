const domain = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const host = `(?:${domain}(?:\\.${domain})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`;
const pathComponent = '[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*';
const reference = new RegExp(
  `^(?:(${host})/)?(${pathComponent}(?:/${pathComponent})*)(?::([\\w][\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
);
const digestLength: Record<string, number> = { sha256: 64, sha384: 96, sha512: 128 };

/**
 * The tag a container runtime would pull: `latest` when neither tag nor digest is given, '' for a digest alone and for
 * names that are not image references.
 */
export function imageTag(image: string): string {
  if (/^[a-f0-9]{64}$/.test(image)) return '';
  const match = reference.exec(image);
  if (!match) return '';
  const [, registry, path, tag, digest] = match;
  if ((registry ?? '').length + (path ?? '').length > 255) return '';
  if (digest !== undefined && !hasKnownDigest(digest)) return '';
  return tag ?? (digest === undefined ? 'latest' : '');
}

function hasKnownDigest(digest: string): boolean {
  const [algorithm = '', hex = ''] = digest.split(':');
  return digestLength[algorithm] === hex.length && /^[a-f0-9]+$/.test(hex);
}

/** The pull policy of an image that names none. */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  return imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
}
