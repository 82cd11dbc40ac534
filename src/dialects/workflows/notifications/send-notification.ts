import { createHmac } from 'node:crypto';
import { Secret } from '../../../api/builtin-kinds.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { Egress } from '../../../sources/egress.ts';
import { SourceError } from '../../../sources/source-error.ts';
import { isMailAddress, submitMail } from '../../../sources/submit-mail.ts';
import { errorText } from '../../../util/error-text.ts';
import { mailText } from './mail-message.ts';
import type { Attempt } from './next-deliveries.ts';
import type { NotificationBody, Recipient } from './notification.ts';
import { slackMessage } from './slack-message.ts';

const timeoutMs = 15_000;
const mailTimeoutMs = 30_000;
const maxAnswerBytes = 64 * 1024;

/** One attempt to tell somebody, by the rules of the hub's operator. Throws only when the hub cannot be asked. */
export async function sendNotification(
  { hub, egress }: { readonly hub: KubeClient; readonly egress: Egress },
  body: NotificationBody,
  { form, to = '', secret: { name, key } }: Recipient,
  signal: AbortSignal,
): Promise<Attempt> {
  const secret = await hub.get(Secret, { namespace: body.namespace, name }, { signal });
  const url = valueOf(secret, key);
  if (url === undefined) return { error: `secret "${name}" has no key "${key}"` };
  try {
    if (form === 'email') return await sendMail(egress, body, to, { url, value: one => valueOf(secret, one), signal });
    const text = JSON.stringify(form === 'slack' ? slackMessage(body) : body);
    const signingKey = form === 'webhook' ? valueOf(secret, 'secret') : undefined;
    const { status } = await egress.fetch({
      url,
      method: 'POST',
      body: text,
      headers: { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) },
      ownHeaders: {
        'x-drover-delivery': body.id,
        'x-drover-event': body.event,
        ...(signingKey !== undefined && { 'x-drover-signature': signatureOf(text, signingKey) }),
      },
      maxBytes: maxAnswerBytes,
      timeoutMs,
      signal,
    });
    return status >= 200 && status < 300 ? {} : { error: `answered ${status}` };
  } catch (error) {
    if (signal.aborted) throw error;
    return { error: withoutPath(errorText(error), url), isFinal: error instanceof SourceError && error.isFinal };
  }
}

interface MailSettings {
  readonly url: string;
  /** Of a key of the Secret. */
  value(key: string): string | undefined;
  readonly signal: AbortSignal;
}

async function sendMail(egress: Egress, body: NotificationBody, to: string, { url, value, signal }: MailSettings): Promise<Attempt> {
  const from = value('from') ?? '';
  if (!isMailAddress(from)) return { error: 'the Secret of the mail server has no mail address in its key "from"' };
  const server = { url, username: value('username'), password: value('password'), ca: value('ca.crt') };
  await submitMail(server, { from, to, text: mailText(body, from, to) }, { egress, timeoutMs: mailTimeoutMs, signal });
  return {};
}

export const signatureOf = (text: string, key: string): string => `sha256=${createHmac('sha256', key).update(text).digest('hex')}`;

function valueOf(secret: Secret | undefined, key: string): string | undefined {
  const data = secret?.data?.[key];
  const value = data === undefined ? secret?.stringData?.[key] : Buffer.from(data, 'base64').toString('utf8');
  return value?.trim() || undefined;
}

/** Of many such addresses the path is the secret. */
function withoutPath(message: string, url: string): string {
  const { pathname, search } = URL.canParse(url) ? new URL(url) : { pathname: url, search: '' };
  return [search, pathname].reduce((text, part) => (part.length > 1 ? text.replaceAll(part, '/…') : text), message);
}
