const redacted = '[redacted]';
const maxLength = 4096;
/** Of registration tokens and of the keys of API tokens. */
const key = /[bcdfghjklmnpqrstvwxz2456789]{54}/g;
const webToken = /eyJ[\w-]*\.[\w-]*\.[\w-]*/g;
const secretName = /token|secret|passw|csrf|credential|signature|apikey|api_key|assertion|verifier|^(?:code|state|nonce|sig|key|auth)$/;
/** The address of a webhook is its token. */
const webhook = /^\/api\/webhooks\/[^/?]+/;
/** And that of a review ends with one. */
const review = /^(\/admission\/[^/?]+\/[^/?]+\/)[^/?]+/;
/** Before the cluster, an import manifest names its token, which may be mistyped. */
const importManifest = /^(\/v3\/import\/)[^/?]*?([_-]c-[a-z0-9-]+\.yaml)?$/;
/** What a page behind a member's proxy is asked is its own affair. */
const proxied = /^\/k8s\/clusters\/[^/]+\/api\/.*\/proxy(?:\/|$)/;

/** The address of a request as it may be written down: what could be used to sign in is taken out. */
export function redactedUri(url: string): string {
  const mark = url.indexOf('?');
  const asked = mark < 0 ? url : url.slice(0, mark);
  const path = withoutKeys(
    asked.replace(webhook, `/api/webhooks/${redacted}`).replace(review, `$1${redacted}`).replace(importManifest, `$1${redacted}$2`),
  );
  if (mark < 0) return path.slice(0, maxLength);
  const query = proxied.test(path)
    ? redacted
    : url
        .slice(mark + 1)
        .split('&')
        .map(redactPair)
        .join('&');
  return `${path}?${query}`.slice(0, maxLength);
}

function redactPair(pair: string): string {
  const equals = pair.indexOf('=');
  if (equals < 0) return withoutKeys(pair);
  const name = pair.slice(0, equals);
  return `${withoutKeys(name)}=${secretName.test(decoded(name).toLowerCase()) ? redacted : withoutKeys(pair.slice(equals + 1))}`;
}

/** Escapes must not hide what is looked for. */
function withoutKeys(text: string): string {
  const clean = text.replace(key, redacted).replace(webToken, redacted);
  if (!clean.includes('%')) return clean;
  const plain = decoded(clean);
  return plain.search(key) >= 0 || plain.search(webToken) >= 0 ? redacted : clean;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text.replaceAll(/%([0-7][0-9a-f])/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}
